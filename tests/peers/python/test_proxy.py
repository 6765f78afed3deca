"""Reference servers behind the proxy, with the official client of Python."""

import asyncio
import json
import os
import socket
import sys
import tempfile
import unittest
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters

LRO = os.environ["LRO"]
SERVERS = Path(os.environ["LRO_PEERS_JS"]) / "node_modules" / "@modelcontextprotocol"

ISSUES = [{"id": i, "state": "open" if i % 3 else "closed", "body": "x" * 400} for i in range(11_000)]


# A server over streamable HTTP, on the port that it is given.
REMOTE = """
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("remote")

@server.tool()
def hello(times: int) -> str:
    return "hi " * times

server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
"""


# A server over pipes that speaks both eras.
STATELESS = """
import asyncio
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("stateless")

@server.tool()
def hello(times: int) -> str:
    return "hi " * times

@server.tool()
async def slow(times: int, context: Context) -> str:
    for step in range(times):
        await context.report_progress(step, times)
        await asyncio.sleep(0.3)
    return "done"

server.run()
"""


@asynccontextmanager
async def remote(port):
    """A server over streamable HTTP while it runs."""
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", REMOTE, str(port), stdout=quiet, stderr=quiet)
    try:
        while True:
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.05)
        yield
    finally:
        process.kill()
        await process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@asynccontextmanager
async def proxied(results, server, *args, mode="legacy", env=None):
    """A client of a reference server behind the proxy. `mode` is the era of the protocol that it speaks."""
    script = str(SERVERS / f"server-{server}" / "dist" / "index.js")
    command = ["proxy", "--output-dir", str(results), "--", "node", script, *map(str, args)]
    parameters = StdioServerParameters(command=LRO, args=command, env={**os.environ, **(env or {})})
    async with Client(parameters, mode=mode) as client:
        yield client

@asynccontextmanager
async def listening(results, *command):
    """The URL of a proxy over streamable HTTP while it runs."""
    flags = ["proxy", "--listen", "127.0.0.1:0", "--output-dir", str(results), "--", *map(str, command)]
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(LRO, *flags, stdout=asyncio.subprocess.PIPE, stdin=quiet, stderr=quiet)
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


class Proxy(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data, self.results = (Path(folder.name).resolve() / name for name in ("data", "results"))
        self.data.mkdir()
        self.results.mkdir()
        (self.data / "issues.json").write_text(json.dumps(ISSUES))
        (self.data / "small.json").write_text("[1]")

    async def test_a_file_of_5_mb_is_offloaded_and_answered_from(self):
        async with proxied(self.results, "filesystem", self.data) as client:
            tools = (await client.list_tools()).tools
            self.assertEqual(tools[-1].name, "lro_search")
            read = await client.call_tool("read_text_file", {"path": str(self.data / "issues.json")})
            response = read.structured_content
            self.assertTrue(response["offloaded"])
            self.assertEqual(response["summary"]["count"], len(ISSUES))
            self.assertEqual(json.loads(read.content[0].text), response)
            lines = Path(response["file_path"]).read_text().splitlines()
            self.assertEqual([json.loads(line) for line in lines[1:]], ISSUES)
            extracted = await client.call_tool(
                "lro_extract", {"file_path": response["file_path"], "query": "select(.id == 7) | .state"}
            )
            self.assertEqual(extracted.structured_content["results"], ["open"])

    async def test_a_small_result_is_the_servers(self):
        async with proxied(self.results, "filesystem", self.data) as client:
            await client.list_tools()
            read = await client.call_tool("read_text_file", {"path": str(self.data / "small.json")})
            self.assertEqual(read.content[0].text, "[1]")
            self.assertEqual(read.structured_content, {"content": "[1]"})
            failed = await client.call_tool("read_text_file", {"path": "/outside"})
            self.assertTrue(failed.is_error)

    async def test_the_client_finds_the_era_that_the_server_speaks(self):
        async with proxied(self.results, "everything", mode="auto") as client:
            self.assertEqual((await client.list_tools()).tools[-1].name, "lro_search")
            echo = await client.call_tool("echo", {"message": "é"})
            self.assertIn("é", echo.content[0].text)

    async def test_the_tools_of_the_command_are_served_in_both_eras(self):
        parameters = StdioServerParameters(command=LRO, args=["mcp", "--output-dir", str(self.results)], env=dict(os.environ))
        for mode in ("legacy", "auto"):
            async with Client(parameters, mode=mode) as client:
                offloaded = await client.call_tool("lro_offload", {"text": json.dumps(ISSUES)})
                response = offloaded.structured_content
                self.assertEqual(response["summary"]["count"], len(ISSUES))
                extracted = await client.call_tool(
                    "lro_extract", {"file_path": response["file_path"], "query": "length", "slurp": True}
                )
                self.assertEqual(extracted.structured_content["results"], [len(ISSUES)])

    async def test_the_proxy_serves_over_http_in_the_era_that_the_server_speaks(self):
        script = SERVERS / "server-filesystem" / "dist" / "index.js"
        async with listening(self.results, "node", script, self.data) as url:
            for mode in ("legacy", "auto"):
                async with Client(url, mode=mode) as client:
                    read = await client.call_tool("read_text_file", {"path": str(self.data / "issues.json")})
                    path = read.structured_content["file_path"]
                    extracted = await client.call_tool("lro_extract", {"file_path": path, "query": "length", "slurp": True})
                    self.assertEqual(extracted.structured_content["results"], [len(ISSUES)])

    async def test_the_proxy_serves_over_http_without_sessions(self):
        async with listening(self.results, sys.executable, "-c", STATELESS) as url:
            async with Client(url, mode="auto") as first, Client(url, mode="auto") as second:
                self.assertEqual(first.protocol_version, "2026-07-28")
                seen = []

                async def progress(value, total, message):
                    seen.append(value)

                slow = first.call_tool("slow", {"times": 3}, progress_callback=progress)
                hello = second.call_tool("hello", {"times": 2})
                slow, hello = await asyncio.gather(slow, hello)
                self.assertEqual((hello.content[0].text, slow.content[0].text), ("hi hi ", "done"))
                self.assertEqual(seen, [0.0, 1.0, 2.0])
                large = await first.call_tool("hello", {"times": 20_000})
                self.assertTrue(large.structured_content["offloaded"])
                answer = await second.call_tool("lro_extract", {"file_path": large.structured_content["file_path"], "query": "length"})
                self.assertFalse(answer.is_error)

    async def test_a_remote_server_that_restarts_is_called_again(self):
        port = free_port()
        command = ["proxy", "--output-dir", str(self.results), "--url", f"http://127.0.0.1:{port}/mcp"]
        parameters = StdioServerParameters(command=LRO, args=command, env=dict(os.environ))
        first = remote(port)
        await first.__aenter__()
        async with Client(parameters, mode="legacy") as client:
            self.assertEqual((await client.call_tool("hello", {"times": 2})).content[0].text, "hi hi ")
            await first.__aexit__(None, None, None)
            with self.assertRaisesRegex(MCPError, "no answer from"):
                await client.call_tool("hello", {"times": 2})
            async with remote(port):
                self.assertEqual((await client.call_tool("hello", {"times": 2})).content[0].text, "hi hi ")
                large = await client.call_tool("hello", {"times": 20_000})
                self.assertTrue(large.structured_content["offloaded"])



if __name__ == "__main__":
    unittest.main()
