"""The README's examples run."""

import json
import re
from pathlib import Path

import pytest
from fastmcp import Client
from mcp import Client as OfficialClient

from lro import Lro

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch, corpus):
    """Runs the one example with a text in it, in an empty directory; answers its names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sent = []
    names = {"records": corpus, "objects": json.loads(corpus), "send_to_model": sent.append, "Lro": Lro, "sent": sent}
    names["path_in"] = lambda text: json.loads(text)["file_path"]

    def run_example(text):
        [code] = [example for example in EXAMPLES if text in example]
        exec(compile(code, str(README), "exec"), names)
        return names

    return run_example


def test_there_are_examples():
    # tests/frameworks/python runs those of frameworks.
    assert len(EXAMPLES) == 7 + 6


def test_an_agent(run):
    names = run("AgentOffloader()")
    assert {tool["name"] for tool in names["offered"]} > {"lro_extract"}
    assert json.loads(names["text"])["offloaded"]
    assert not names["answer"].is_error and json.loads(names["answer"].text)["results"]


def test_a_store(run):
    run("RedisStore(url=")


def test_a_program(run, tmp_path):
    names = run("with Lro(")
    assert names["sent"][0]["offloaded"] and names["found"][0]["title"]
    assert len(list((tmp_path / "results").iterdir())) == 1


@pytest.mark.anyio
async def test_a_function_and_a_session(run, tmp_path):
    names = run("async def recall_memories")
    assert (await names["recall_memories"]("x"))["offloaded"]
    assert names["answer"].outcome == "offloaded"
    assert not (tmp_path / "results" / "job-7").exists()


def test_words_of_the_caller(run):
    names = run("by_type = {")
    response, memories = names["response"], names["objects"]
    episodic = [memory.get("title") for memory in memories if memory["memory_type"] == "episodic"]
    assert response["summary"]["given"] == f"{len(episodic)} are episodic"
    assert names["titles"] == episodic[: len(names["titles"])] != []


@pytest.mark.anyio
async def test_a_server_of_fastmcp(run):
    server = run("FastMCP(")["mcp"]
    server.tool(lambda: [{"id": i} for i in range(3000)], name="rows")
    async with Client(server) as client:
        assert (await client.call_tool("rows", {})).structured_content["offloaded"]


@pytest.mark.anyio
async def test_a_server_of_the_official_sdk(run):
    server = run("MCPServer(")["server"]

    @server.tool()
    def rows() -> list[dict]:
        return [{"id": i} for i in range(3000)]

    async with OfficialClient(server._lowlevel_server) as client:
        assert (await client.call_tool("rows", {})).structured_content["offloaded"]
