"""Two processes behind one address, each request on the next of them: what one has offloaded, the other reads."""

import json
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from mcp import Client

from stores import Balancer, free_port, redis_server, started

EXAMPLE = Path(__file__).parents[1] / "example" / "replica.py"
KINDS = pytest.mark.parametrize("kind", ["fastmcp", "mcp"])


@contextmanager
def replicas(kind, store):
    """Two servers and their balancer: its URL, it, and their processes by port."""
    with ExitStack() as stack:
        processes = {}
        for port in (free_port(), free_port()):
            command = [sys.executable, EXAMPLE, port, store, kind]
            processes[port] = stack.enter_context(started(command, port))
        balancer = Balancer(list(processes))
        stack.callback(balancer.close)
        yield f"http://127.0.0.1:{balancer.port}/mcp", balancer, processes


async def called(url, tool, **arguments):
    """The answer of one call on a connection of its own, by the stateless protocol."""
    async with Client(url, mode="2026-07-28") as client:
        return await client.call_tool(tool, arguments)


async def offloaded(url):
    path = (await called(url, "rows")).structured_content["file_path"]
    assert path.startswith("lro://atlatl-rows-")
    return path


@KINDS
@pytest.mark.anyio
async def test_one_offloads_the_other_extracts(kind):
    with redis_server() as (store, _), replicas(kind, store) as (url, balancer, processes):
        path = await offloaded(url)
        for _ in range(4):
            found = await called(url, "lro_extract", file_path=path, query="select(.id == 1999) | .title")
            assert found.structured_content["results"] == ["row 1999"]
        assert (await called(url, "lro_describe", file_path=path)).structured_content["header"]["count"] == 2000
        assert "row 7" in json.dumps((await called(url, "lro_read", file_path=path, lines="8")).structured_content)
        assert (await called(url, "lro_search", file_path=path, pattern="row 1999")).structured_content["total"] == 1
        assert set(balancer.served) == set(processes)


@KINDS
@pytest.mark.anyio
async def test_the_writer_is_killed_in_between(kind):
    with redis_server() as (store, _), replicas(kind, store) as (url, balancer, processes):
        path = await offloaded(url)
        # The first of them has answered the last request, or the second; each is killed in a turn of its own.
        writer = processes[balancer.served[-1]]
        writer.kill()
        writer.wait()
        found = await called(url, "lro_extract", file_path=path, query=".id", limit=2)
        assert found.structured_content["results"] == [0, 1]
        assert await offloaded(url) != path


@pytest.mark.anyio
async def test_the_store_is_killed_and_comes_back_without_the_result():
    with redis_server() as (store, process), replicas("fastmcp", store) as (url, _, _):
        path = await offloaded(url)
        process.kill()
        process.wait()
        answer = (await called(url, "rows")).structured_content
        assert answer["offloaded"] is False and "cannot store" in answer["warning"]
        refused = await called(url, "lro_extract", file_path=path, query=".id")
        assert refused.is_error and "cannot read" in refused.content[0].text and "try again" in refused.content[0].text
        port = store.rpartition(":")[2].removesuffix("/0")
        with started(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""], int(port)):
            lost = await called(url, "lro_extract", file_path=path, query=".id")
            assert lost.is_error and "there is no such file, or it has expired" in lost.content[0].text
            assert "run the tool again to get a fresh file_path" in lost.content[0].text
            path = await offloaded(url)
            found = await called(url, "lro_extract", file_path=path, query=".id", limit=1)
            assert found.structured_content["results"] == [0]


@pytest.mark.anyio
async def test_a_store_on_the_disk_of_one_machine(tmp_path):
    with replicas("mcp", str(tmp_path / "store")) as (url, balancer, processes):
        path = await offloaded(url)
        for _ in range(2):
            found = await called(url, "lro_extract", file_path=path, count=True, query=".")
            assert found.structured_content["results"] == [2000]
        assert set(balancer.served) == set(processes)
