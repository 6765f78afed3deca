"""One session for each conversation, with real servers and clients: its files are its own, and end with it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from test_servers import ENVIRONMENT, ERAS, KINDS, ROWS, anyio_backend, client_of, example, over_http, served

import lro
from lro.messages import Offloader
from lro.sessions import Conversation

__all__ = ["anyio_backend"]


async def offloaded(client, **meta):
    answer = await client.call_tool("rows", {}, **({"meta": meta} if meta else {}))
    return Path(answer.structured_content["file_path"])


async def read(client, path):
    """What the tool says of a file: "read", or why not."""
    answer = await client.call_tool("lro_extract", {"file_path": str(path), "query": "length", "slurp": True})
    if answer.is_error:
        return answer.content[0].text
    assert answer.structured_content["results"] == [len(ROWS)]
    return "read"


def soon(holds):
    """Waits until something holds: the end of a session is not waited for by its client."""
    start = time.monotonic()
    while not holds():
        assert time.monotonic() - start < 10
        time.sleep(0.01)


@KINDS
@pytest.mark.anyio
async def test_conversations_over_http_see_only_their_own_files(kind, tmp_path):
    with over_http(served(kind, tmp_path)) as url:
        async with AsyncExitStack() as stack:
            one, other = [await stack.enter_async_context(Client(url, mode="legacy")) for _ in range(2)]
            first, second = await offloaded(one), await offloaded(other)
            assert first.parent.parent == tmp_path and len(first.parent.name) == 12
            assert [await read(one, path) for path in (first, first.name)] == ["read", "read"]
            assert "it belongs to another conversation" in await read(one, second)
            assert "it belongs to another conversation" in await read(other, tmp_path / first.name)
            async with Client(url, mode="legacy") as third:
                ended = await offloaded(third)
            soon(lambda: not ended.parent.exists())
            assert await read(other, second) == "read"
        soon(lambda: not list(tmp_path.iterdir()))


@KINDS
@pytest.mark.anyio
async def test_the_stateless_protocol_over_http_has_no_sessions_unless_they_are_named(kind, tmp_path):
    with over_http(served(kind, tmp_path)) as url:
        async with Client(url) as client:
            path = await offloaded(client)
            assert path.parent == tmp_path
            assert await read(client, path) == "read"
    assert path.exists()
    named = served(kind, tmp_path, session=lambda ctx: ctx.request.headers.get("x-principal"))
    with over_http(named) as url:
        async with AsyncExitStack() as stack:
            ann, bob, mallory = [await stack.enter_async_context(of(url, name)) for name in ("ann", "bob", "../ann")]
            path = await offloaded(ann)
            assert path.parent == tmp_path / "ann"
            assert await read(ann, path) == "read"
            assert "it belongs to another conversation" in await read(bob, path)
            with pytest.raises(Exception):
                await offloaded(mallory)
            assert [folder.name for folder in tmp_path.iterdir() if folder.is_dir()] == ["ann"]


def of(url, principal):
    """A client that says who it is."""
    import httpx2

    return Client(streamable_http_client(url, http_client=httpx2.AsyncClient(headers={"x-principal": principal})))


@KINDS
@ERAS
@pytest.mark.anyio
async def test_a_process_has_one_conversation_and_its_files_go_with_it(kind, era, tmp_path):
    results = tmp_path / "results"
    parameters = StdioServerParameters(command=sys.executable, args=example(results, kind), env=ENVIRONMENT)
    async with Client(parameters, mode=era) as client:
        paths = [
            Path((await client.call_tool("recall_memories", {"query": ""})).structured_content["file_path"])
            for _ in range(2)
        ]
        assert paths[0].parent == paths[1].parent and paths[0].parent.parent == results
    assert not list(results.iterdir())


@KINDS
@ERAS
@pytest.mark.anyio
async def test_a_session_with_a_name_is_kept_and_resumed(kind, era, tmp_path):
    async with client_of(served(kind, tmp_path, session="work"), era) as client:
        path = await offloaded(client)
    assert path.parent == tmp_path / "work" and path.exists()
    async with client_of(served(kind, tmp_path), era) as stranger:
        assert "it belongs to another conversation" in await read(stranger, path)
    async with client_of(served(kind, tmp_path, session="work"), era) as resumed:
        assert await read(resumed, path) == "read"


@KINDS
@pytest.mark.anyio
async def test_a_session_is_kept_or_deleted_as_is_said(kind, tmp_path):
    for options, remains in [({}, False), ({"session_end": "keep"}, True), ({"session": "a", "session_end": "delete"}, False)]:
        async with client_of(served(kind, tmp_path, **options), "legacy") as client:
            path = await offloaded(client)
        assert path.exists() is remains, options


def test_a_crash_leaves_the_folder_to_the_sweep(tmp_path):
    results = tmp_path / "results"
    server = subprocess.Popen(
        [sys.executable, *example(results, "mcp")], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin and server.stdout
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    for message in (
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": {"name": "recall_memories", "arguments": {"query": ""}}},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline()) if "id" in message else {}
    path = Path(answer["result"]["structuredContent"]["file_path"])
    os.kill(server.pid, signal.SIGKILL)
    server.communicate()
    assert path.exists()
    lro.Lro(results).cleanup(ttl_seconds=0)
    assert path.exists(), "the file has a TTL of its own"
    header, *records = path.read_text().splitlines()
    old = {**json.loads(header), "timestamp": "2020-01-01T00:00:00.000Z"}
    path.write_text("\n".join([json.dumps(old), *records]) + "\n")
    lro.Lro(results).cleanup()
    assert not path.parent.exists()


@KINDS
@pytest.mark.anyio
async def test_what_a_model_has_read_is_summed_up(kind, tmp_path, monkeypatch):
    asked = []
    original = lro.Lro.mcp_offload_result

    def offload_result(self, *given):
        asked.append(self._known)
        return original(self, *given)

    monkeypatch.setattr(lro.Lro, "mcp_offload_result", offload_result)
    async with client_of(served(kind, tmp_path, context_tokens=200_000), "legacy") as client:
        result = await client.call_tool("few", {})
        texts = sum(len(block.text) for block in result.content)
        size = -(-max(texts, len(json.dumps(result.structured_content, separators=(",", ":")))) // 4)
        await client.call_tool("few", {})
        await client.call_tool("few", {}, meta={"lro/inputTokens": 150_000})
        await client.call_tool("few", {}, meta={"lro/inputTokens": -1})
    assert [known.get("input_tokens") for known in asked] == [None, size, 150_000, 150_000 + size]
    assert len({known["session"] for known in asked}) == 1
    asked.clear()
    async with client_of(served(kind, tmp_path), "legacy") as client:
        await client.call_tool("few", {}, meta={"lro/inputTokens": 150_000})
    assert "input_tokens" not in asked[0], "without a context window nobody asks"


def test_images_are_not_counted(tmp_path):
    sessions = Offloader(str(tmp_path), context_tokens=1000).sessions
    rows = [
        ({"content": [{"type": "text", "text": "é" * 5}]}, 3),
        ({"content": [{"type": "text", "text": "1234"}], "structuredContent": {"a": 1}}, 2),
        ({"content": [{"type": "image", "data": "A" * 1000}, {"type": "text", "text": 7}, "x"]}, 0),
        ({"content": [{"type": "resource", "resource": {"text": "12345678"}}]}, 2),
        ({"task": {}}, 0),
        ([], 0),
    ]
    for place, (result, tokens) in enumerate(rows):
        of_one = Conversation(str(place))
        sessions.passed(of_one, json.dumps(result))
        assert sessions.call(of_one)["input_tokens"] == tokens, result


def test_options_that_make_no_sense_are_told(tmp_path):
    for options in ({"session": "a/b"}, {"session": ""}, {"session": 7}, {"session_end": "burn"}):
        with pytest.raises(lro.InvalidArgument):
            Offloader(str(tmp_path), **options)
