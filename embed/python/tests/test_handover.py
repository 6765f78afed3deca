"""Results that go from one tool of a server to the next without passing through the model (USER-11)."""

import json

import pytest
from fastmcp import FastMCP
from mcp import Client
from mcp.server import MCPServer

import lro.mcp
from lro.fastmcp import LargeResultOffloading

ROWS = [{"id": i, "state": "open" if i % 3 else "closed", "body": "x" * 40} for i in range(500)]

KINDS = pytest.mark.parametrize("kind", ["fastmcp", "mcp"])
ERAS = pytest.mark.parametrize("era", ["legacy", "auto"])


def served(kind, output_dir, got, **options):
    """A server with a tool that returns rows, and one that takes them."""

    def rows() -> list[dict]:
        return ROWS

    def take(content: str = "", rows: list[dict] | None = None) -> str:
        got.append((content, rows))
        return "taken"

    options = {"output_dir": str(output_dir), "resolve_arguments": True, **options}
    if kind == "fastmcp":
        server = FastMCP("rows")
        server.add_middleware(LargeResultOffloading(**options))
        for tool in (rows, take):
            server.tool(tool)
        return server._mcp_server
    server = MCPServer("rows")
    lro.mcp.offload(server, **options)
    for tool in (rows, take):
        server.add_tool(tool)
    return server._lowlevel_server


@KINDS
@ERAS
@pytest.mark.anyio
async def test_a_result_is_handed_to_another_tool(kind, era, tmp_path):
    got = []
    async with Client(served(kind, tmp_path, got), mode=era) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "lro://" in listed["lro_extract"].description
        path = (await client.call_tool("rows", {})).structured_content["file_path"]
        part = {"$lro": {"file_path": path, "where": ["id<2"], "select": ["id"]}}
        answer = await client.call_tool("take", {"content": f"lro://{path}", "rows": part})
        assert not answer.is_error, answer
        [(content, rows)] = got
        assert [row["id"] for row in _rows(content)] == list(range(500))
        assert rows == [{"id": 0}, {"id": 1}]


@KINDS
@ERAS
@pytest.mark.anyio
async def test_what_cannot_be_handed_over_never_reaches_the_tool(kind, era, tmp_path):
    got = []
    async with Client(served(kind, tmp_path, got), mode=era) as client:
        refused = await client.call_tool("take", {"content": "lro:///etc/passwd"})
        assert refused.is_error and "outside the output directory" in refused.content[0].text
        assert got == []
        await client.call_tool("take", {"content": "lro is a word"})
        assert got == [("lro is a word", None)]


@KINDS
@pytest.mark.anyio
async def test_it_is_off_by_default(kind, tmp_path):
    got = []
    async with Client(served(kind, tmp_path, got, resolve_arguments=False), mode="legacy") as client:
        await client.call_tool("take", {"content": "lro:///etc/passwd"})
        assert got == [("lro:///etc/passwd", None)]


def _rows(content):
    rows = json.loads(content)
    return rows["result"] if isinstance(rows, dict) else rows
