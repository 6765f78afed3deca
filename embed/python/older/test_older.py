"""Servers on FastMCP 2 and 3 and on version 1 of the official SDK, which FastMCP 2 and 3 need: real servers, real clients."""

import importlib.metadata
import json
import logging
import os
import sys
import tempfile
import unittest
from pathlib import Path

import fastmcp
import mcp.types
from fastmcp.client import Client
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.fastmcp import FastMCP
from mcp.server.lowlevel import Server
from mcp.shared.memory import create_connected_server_and_client_session as connected

import lro.mcp
from lro.fastmcp import LargeResultOffloading

ROWS = [{"id": i, "state": "open" if i % 3 else "closed", "body": "x" * 40} for i in range(500)]
NAMES = ["lro_describe", "lro_extract", "lro_read", "lro_search"]

# The packages log calls and whole errors by themselves.
logging.disable(logging.CRITICAL)


def rows() -> list[dict]:
    return ROWS


def few() -> list[dict]:
    return ROWS[:2]


def broken() -> list[dict]:
    raise ValueError("no rows")


def of_fastmcp(output_dir, **options):
    server = fastmcp.FastMCP("rows")
    server.add_middleware(LargeResultOffloading(output_dir, **options))
    for tool in (rows, few, broken):
        server.tool(tool)
    return server._mcp_server


def of_sdk(output_dir, **options):
    server = FastMCP("rows")
    for tool in (rows, few, broken):
        server.add_tool(tool)
    lro.mcp.offload(server, output_dir, **options)
    return server._mcp_server


def of_lowlevel(output_dir, **options):
    server = Server("rows")
    tools = {"rows": rows, "few": few, "broken": broken}

    @server.list_tools()
    async def listed():
        schema = {"type": "object"}
        return [mcp.types.Tool(name=name, inputSchema=schema, outputSchema=schema) for name in tools]

    @server.call_tool()
    async def called(name, arguments):
        return {"result": tools[name]()}

    lro.mcp.offload(server, output_dir, **options)
    return server


KINDS = {"fastmcp": of_fastmcp, "sdk": of_sdk, "lowlevel": of_lowlevel}


class Older(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    async def test_versions_are_those_that_this_is_about(self):
        self.assertLess(int(importlib.metadata.version("mcp").split(".")[0]), 2)
        self.assertIn(int(fastmcp.__version__.split(".")[0]), (2, 3))

    async def test_large_results_are_offloaded_and_answered_from(self):
        for kind, made in KINDS.items():
            with self.subTest(kind):
                directory = self.folder / kind
                async with connected(made(str(directory))) as client:
                    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                    self.assertEqual(list(tools), ["rows", "few", "broken", *NAMES])
                    self.assertIsNone(tools["rows"].outputSchema)
                    answer = await client.call_tool("rows", {})
                    response = answer.structuredContent
                    self.assertEqual((response["offloaded"], response["summary"]["count"]), (True, len(ROWS)))
                    self.assertEqual(answer.meta, {"lro/result": "offloaded"})
                    asked = {"file_path": response["file_path"], "query": "select(.id == 7) | .state"}
                    found = await client.call_tool("lro_extract", asked)
                    self.assertEqual(found.structuredContent["results"], ["open"])
                    wrong = await client.call_tool("lro_extract", {"file_path": "/etc/passwd", "query": "."})
                    self.assertTrue(wrong.isError and "outside" in wrong.content[0].text)
                    small = await client.call_tool("few", {})
                    self.assertEqual(small.structuredContent, {"result": ROWS[:2]})
                    self.assertTrue((await client.call_tool("broken", {})).isError)
                    self.assertTrue(list(directory.rglob("*.jsonl")))
                # The session's files end with its connection.
                self.assertEqual(list(directory.rglob("*.jsonl")), [])

    async def test_each_connection_has_its_own_session(self):
        for kind, made in KINDS.items():
            with self.subTest(kind):
                server = made(str(self.folder / kind))
                async with connected(server) as one, connected(server) as other:
                    path = (await one.call_tool("rows", {})).structuredContent["file_path"]
                    asked = {"file_path": path, "recipe": 1}
                    self.assertFalse((await one.call_tool("lro_extract", asked)).isError)
                    self.assertTrue((await other.call_tool("lro_extract", asked)).isError)

    async def test_a_proxy_and_code_get_all(self):
        proxy = mcp.types.Implementation.model_validate({"name": "p", "version": "1", "proxy": True})
        code = mcp.types.Implementation(name="script", version="1")
        for kind, made in KINDS.items():
            for client_info, offers in ((proxy, False), (code, True)):
                with self.subTest(kind, client=client_info.name):
                    server = made(str(self.folder / kind), code_callers=["script"])
                    async with connected(server, client_info=client_info) as client:
                        listed = [tool.name for tool in (await client.list_tools()).tools]
                        self.assertEqual("lro_extract" in listed, offers)
                        answer = await client.call_tool("rows", {})
                        self.assertEqual(answer.structuredContent, {"result": ROWS})

    async def test_over_standard_input_and_output(self):
        for kind in KINDS:
            with self.subTest(kind):
                command = StdioServerParameters(
                    command=sys.executable, args=[__file__, kind, str(self.folder / kind)], env=dict(os.environ)
                )
                async with stdio_client(command) as streams, ClientSession(*streams) as client:
                    await client.initialize()
                    path = (await client.call_tool("rows", {})).structuredContent["file_path"]
                    found, place = [], {}
                    while place is not None:
                        asked = {"file_path": path, "query": ".id", "limit": 60, **place}
                        page = (await client.call_tool("lro_extract", asked)).structuredContent
                        found += page["results"]
                        place = {"next": page["next"]} if "next" in page else None
                    self.assertEqual(found, [row["id"] for row in ROWS])

    async def test_what_a_tool_calls_is_for_its_code(self):
        server = fastmcp.FastMCP("rows")
        server.add_middleware(LargeResultOffloading(str(self.folder)))
        server.tool(rows)

        @server.tool
        async def count(ctx: fastmcp.Context) -> int:
            async with fastmcp.Client(ctx.fastmcp) as inner:
                return len(json.loads((await inner.call_tool("rows", {})).content[0].text))

        async with Client(server) as client:
            counted = await client.call_tool("count", {})
            self.assertEqual(counted.structured_content, {"result": len(ROWS)})


async def serve(kind, directory):
    from mcp.server.stdio import stdio_server

    server = KINDS[kind](directory)
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


if __name__ == "__main__":
    import anyio

    anyio.run(serve, *sys.argv[1:])
