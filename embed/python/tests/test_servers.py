"""Real servers of both kinds with real clients: FastMCP and the official SDK."""

import json
import os
import socket
import sys
import threading
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastmcp import FastMCP
from mcp import Client, StdioServerParameters
from mcp.server import MCPServer

import lro.mcp
from lro.fastmcp import LargeResultOffloading

PACKAGE = Path(__file__).parents[1]
CORPUS = PACKAGE.parents[1] / "tests" / "fixtures" / "mif-memories.json"
ROWS = [{"id": i, "state": "open" if i % 3 else "closed", "body": "x" * 40} for i in range(500)]

KINDS = pytest.mark.parametrize("kind", ["fastmcp", "mcp"])
ERAS = pytest.mark.parametrize("era", ["legacy", "auto"])


def rows() -> list[dict]:
    return ROWS


def few() -> list[dict]:
    return ROWS[:2]


def broken() -> list[dict]:
    raise ValueError("no rows " * 2000)


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}


def example(output_dir, kind):
    return [str(PACKAGE / "example" / "server.py"), str(CORPUS), str(output_dir), kind]


def served(kind, output_dir, **options):
    """A server with three tools and offloading."""
    if kind == "fastmcp":
        server = FastMCP("rows")
        server.add_middleware(LargeResultOffloading(str(output_dir), **options))
        for tool in (rows, few, broken):
            server.tool(tool)
        return server._mcp_server
    server = MCPServer("rows")
    lro.mcp.offload(server, str(output_dir), **options)
    for tool in (rows, few, broken):
        server.add_tool(tool)
    return server._lowlevel_server


@asynccontextmanager
async def client_of(server, era, **options):
    async with Client(server, mode=era, **options) as client:
        yield client


@KINDS
@ERAS
@pytest.mark.anyio
async def test_large_results_are_offloaded_and_answered_from(kind, era, tmp_path):
    async with client_of(served(kind, tmp_path), era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools)[-1] == "lro_search"
        assert tools["rows"].output_schema is None
        answer = await client.call_tool("rows", {})
        response = answer.structured_content
        assert response["offloaded"] and response["summary"]["count"] == len(ROWS)
        assert json.loads(answer.content[0].text) == response
        lines = Path(response["file_path"]).read_text().splitlines()
        assert [json.loads(line) for line in lines[1:]] == ROWS
        extracted = await client.call_tool(
            "lro_extract", {"file_path": response["file_path"], "query": "select(.id == 7) | .state"}
        )
        assert extracted.structured_content["results"] == ["open"]
        wrong = await client.call_tool("lro_extract", {"file_path": "/etc/passwd", "query": "."})
        assert wrong.is_error and "outside" in wrong.content[0].text


@KINDS
@ERAS
@pytest.mark.anyio
async def test_small_results_and_errors_stand(kind, era, tmp_path):
    async with client_of(served(kind, tmp_path), era) as client:
        few_rows = await client.call_tool("few", {})
        assert few_rows.structured_content == {"result": ROWS[:2]}
        failed = await client.call_tool("broken", {})
        assert failed.is_error
        assert not list(tmp_path.iterdir())


@KINDS
@pytest.mark.anyio
async def test_tools_have_settings_of_their_own(kind, tmp_path):
    settings = {"tools": {"rows": {"offload": "never"}, "few": {"offload": "always"}}}
    async with client_of(served(kind, tmp_path, **settings), "legacy") as client:
        assert (await client.call_tool("rows", {})).structured_content == {"result": ROWS}
        assert (await client.call_tool("few", {})).structured_content["summary"]["count"] == 2


@KINDS
@ERAS
@pytest.mark.anyio
async def test_the_example_serves_the_real_corpus(kind, era, tmp_path):
    parameters = StdioServerParameters(command=sys.executable, args=example(tmp_path / "results", kind), env=ENVIRONMENT)
    async with Client(parameters, mode=era) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][-1] == "lro_search"
        memories = await client.call_tool("recall_memories", {"query": ""})
        response = memories.structured_content
        assert response["summary"]["count"] == 362
        by_namespace = await client.call_tool("lro_extract", {"file_path": response["file_path"], "recipe": 6})
        assert sum(group["count"] for group in by_namespace.structured_content["results"]) == 362
        counted = await client.call_tool("count_memories", {})
        assert counted.structured_content == {"result": 362}


@KINDS
@ERAS
@pytest.mark.skipif("LRO" not in os.environ, reason="LRO names the command")
@pytest.mark.anyio
async def test_a_proxy_that_offloads_gets_full_results(kind, era, tmp_path):
    results, own = tmp_path / "proxy", tmp_path / "server"
    results.mkdir()
    command = ["proxy", "--announce", "--output-dir", str(results), "--", sys.executable, *example(own, kind)]
    parameters = StdioServerParameters(command=os.environ["LRO"], args=command, env=ENVIRONMENT)
    async with Client(parameters, mode=era) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools.count("lro_extract") == 1 and tools[-1] == "lro_search"
        response = (await client.call_tool("recall_memories", {"query": ""})).structured_content
        assert Path(response["file_path"]).parent.parent == results.resolve()
        assert response["summary"]["count"] == 362
        assert not list(own.glob("*"))


@KINDS
@pytest.mark.parametrize("offered", [True, False])
@pytest.mark.anyio
async def test_over_http_a_file_needs_the_tool(kind, offered, tmp_path):
    """LRO-44 and decision 30: without the tool, and without a shared file system, nothing is offloaded."""
    with over_http(served(kind, tmp_path, offer_tools=offered)) as url:
        async with Client(url) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            answer = (await client.call_tool("rows", {})).structured_content
    assert ("lro_extract" in names) is offered
    if offered:
        assert "lro_extract" in answer["guidance"]
    else:
        assert answer == {"result": ROWS} and not list(tmp_path.iterdir())


@contextmanager
def over_http(server):
    """The server behind a URL of this machine, on a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        application = server.streamable_http_app()
        running = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="on"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        running.should_exit = True
        thread.join(10)


@pytest.fixture
def anyio_backend():
    return "asyncio"
