"""Two proxies that share a store, before a real server of MCP, with the official client: what one has offloaded, the other
reads. The stores are a real Redis, a server that speaks S3, and a folder."""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
import unittest
import urllib.request
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import stores
from mcp import Client, StdioServerParameters

LRO = os.environ["LRO"]

ISSUES = [{"id": number, "state": "open" if number % 3 else "closed", "body": "x" * 90} for number in range(2000)]

# A store that is away is told after so many seconds at most: two tries of five, and what a busy machine adds.
TOLD_WITHIN_SECONDS = 30

SERVER = """
import json
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("tracker")

@server.tool()
def list_issues(count: int) -> str:
    return json.dumps(json.load(open(sys.argv[1]))[:count])

server.run()
"""

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


@asynccontextmanager
async def replica(issues, url):
    """A proxy that listens, before a server of its own: its address and its process."""
    server = [sys.executable, "-c", SERVER, str(issues)]
    pipe, quiet = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    environment = {**os.environ, **CREDENTIALS, "LRO_STORE": url}
    process = await asyncio.create_subprocess_exec(
        LRO, "proxy", "--listen", "127.0.0.1:0", "--", *server, stdout=pipe, stdin=quiet, stderr=quiet, env=environment
    )
    try:
        yield (await process.stdout.readline()).decode().strip(), process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def lro(url, *arguments, status=0):
    """What the command prints on standard output, as text."""
    environment = {**os.environ, **CREDENTIALS, "LRO_STORE": url}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(LRO, *map(str, arguments), stdout=pipe, stderr=pipe, env=environment)
    out, error = await process.communicate()
    assert process.returncode == status, f"{arguments}: {process.returncode}: {error.decode()}"
    return out.decode() if status == 0 else error.decode()


def response_of(result):
    return json.loads(result.content[0].text)


class Counting:
    """Passes bytes on to a server, and counts those that come back."""

    def __init__(self, port):
        self.returned = 0
        self._server = port

    async def start(self):
        server = await asyncio.start_server(self._pass_on, "127.0.0.1")
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _pass_on(self, reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", self._server), (reader, writer)
        await asyncio.gather(self._copy(back[0], there[1], 0), self._copy(there[0], back[1], 1))

    async def _copy(self, reader, writer, counts):
        while data := await reader.read(1 << 16):
            self.returned += len(data) * counts
            writer.write(data)
        writer.close()


class Stores(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.cleanups = cls.enterClassContext(ExitStack())
        folder = cls.cleanups.enter_context(tempfile.TemporaryDirectory())
        cls.folder = Path(folder).resolve()
        cls.issues = cls.folder / "issues.json"
        cls.issues.write_text(json.dumps(ISSUES))
        redis, cls.redis = cls.cleanups.enter_context(stores.redis_server())
        endpoint = cls.cleanups.enter_context(stores.s3_server())
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/results", method="PUT")).close()
        cls.urls = {
            "a folder": str(cls.folder / "shared"),
            "Redis": f"{redis}?ttl=600",
            "S3": f"s3://results/team?region=us-east-1&endpoint={endpoint}",
        }

    async def test_what_one_replica_offloads_another_one_reads_after_the_first_is_killed(self):
        for name, url in self.urls.items():
            with self.subTest(name):
                async with replica(self.issues, url) as (first, writer), replica(self.issues, url) as (second, _):
                    async with Client(first, mode="auto") as client:
                        response = response_of(await client.call_tool("list_issues", {"count": len(ISSUES)}))
                    path = response["file_path"]
                    self.assertTrue(path.startswith("lro://"), path)
                    writer.send_signal(signal.SIGKILL)
                    await writer.wait()
                    async with Client(second, mode="auto") as client:
                        arguments = {"file_path": path, "where": ["id>=1990", "state=open"], "select": ["id"]}
                        page = await client.call_tool("lro_extract", arguments)
                        ids = [issue["id"] for issue in page.structured_content["results"]]
                        self.assertEqual(ids, [number for number in range(1990, 2000) if number % 3])
                        found, next_page = [], None
                        while next_page is not None or not found:
                            more = {"next": next_page} if next_page else {}
                            page = await client.call_tool("lro_extract", {"file_path": path, "query": ".id", **more})
                            self.assertFalse(page.is_error, page.content)
                            found += page.structured_content["results"]
                            next_page = page.structured_content.get("next")
                        self.assertEqual(found, list(range(len(ISSUES))), "to the last page")

    async def test_a_file_of_the_command_is_that_of_every_store(self):
        for name, url in self.urls.items():
            with self.subTest(name):
                answer = json.loads(await lro(url, "offload", "--operation", "list", self.issues))
                path = answer["file_path"]
                self.assertEqual(json.loads(await lro(url, "rebuild", path)), ISSUES)
                self.assertIn("2000", await lro(url, "extract", path, "--count"))
                self.assertIn('".state"', await lro(url, "describe", path))
                if name == "Redis":
                    told = await lro(url, "list", status=1)
                    self.assertIn("cannot list its files; they expire by themselves", told)
                else:
                    self.assertIn(path.removeprefix("lro://"), await lro(url, "list"))
                    self.assertIn("deleted 1 file", await lro(url, "purge"))
                    self.assertIn("no such file", await lro(url, "extract", path, "--query", ".", status=1))

    async def test_a_page_of_a_large_file_is_a_part_of_it_on_the_way(self):
        large = self.folder / "large.json"
        large.write_text(json.dumps([{**ISSUES[0], "id": number} for number in range(500_000)]))
        port = int(self.urls["S3"].rsplit(":", 1)[1])
        answer = json.loads(await lro(self.urls["S3"], "offload", "--operation", "list", large))
        counting = Counting(port)
        async with await counting.start():
            url = self.urls["S3"].replace(f":{port}", f":{counting.port}")
            page = await lro(url, "extract", answer["file_path"], "--query", ".id", "--limit", 5)
        self.assertEqual(page.split(), ["0", "1", "2", "3", "4"])
        self.assertGreater(large.stat().st_size, 50 << 20)
        self.assertLess(counting.returned, 1 << 20)

    async def test_a_store_that_is_away_is_told_in_the_truncated_answer(self):
        with stores.redis_server() as (url, process):
            async with replica(self.issues, url) as (address, _), Client(address, mode="auto") as client:
                path = response_of(await client.call_tool("list_issues", {"count": 500}))["file_path"]
                process.kill()
                process.wait()
                begin = time.monotonic()
                truncated = response_of(await client.call_tool("list_issues", {"count": 500}))
                self.assertFalse(truncated["offloaded"])
                self.assertIn(f"the store `{url.removesuffix('/0')}` says", truncated["warning"])
                refused = await client.call_tool("lro_extract", {"file_path": path, "query": ".id"})
                self.assertTrue(refused.is_error)
                self.assertIn("the store `redis://", refused.content[0].text)
                self.assertLess(time.monotonic() - begin, 2 * TOLD_WITHIN_SECONDS)

    async def test_what_a_store_has_lost_is_not_found(self):
        url = str(self.folder / "losing")
        async with replica(self.issues, url) as (address, _), Client(address, mode="auto") as client:
            path = response_of(await client.call_tool("list_issues", {"count": 500}))["file_path"]
            for file in Path(url).rglob("*.jsonl"):
                file.unlink()
            refused = await client.call_tool("lro_extract", {"file_path": path, "query": ".id"})
            self.assertTrue(refused.is_error)
            self.assertIn("no such file", refused.content[0].text)

    async def test_the_server_of_the_tools_alone_reads_and_writes_there(self):
        url = self.urls["Redis"]
        parameters = StdioServerParameters(command=LRO, args=["mcp"], env={**os.environ, "LRO_STORE": url})
        async with Client(parameters) as client:
            offloaded = await client.call_tool("lro_offload", {"text": json.dumps(ISSUES)})
            path = offloaded.structured_content["file_path"]
            counted = await client.call_tool("lro_extract", {"file_path": path, "count": True})
            self.assertEqual(counted.structured_content["results"], [len(ISSUES)])
        self.assertIn("2000", await lro(url, "extract", path, "--count"))

    async def test_what_is_no_store_is_told_at_once(self):
        told = await lro("gs://bucket", "mcp", status=2)
        self.assertIn("`gs` is no store that is known here; give `redis://", told)
        told = await lro(self.urls["a folder"], "list", "--output-dir", ".", status=2)
        self.assertIn("leave out `--store` or `--output-dir`", told)


if __name__ == "__main__":
    unittest.main()
