"""Results in key-value stores: real servers, the same assertions on each of them."""

import json
import signal
import socket
import threading
import time
from contextlib import contextmanager

import pytest
from key_value.aio.stores.disk import DiskStore
from key_value.aio.stores.memory import MemoryStore
from key_value.aio.stores.redis import RedisStore
from key_value.aio.stores.s3 import S3Store

from lro import InvalidArgument, IoFailure, Limits, Lro, LroError, NotFound, Outside
from lro.messages import Offloader
from stores import redis_server, s3_server

ROWS = [{"id": i, "title": f"row {i}", "text": "many words of a text " * 3} for i in range(2000)]
DOCUMENT = {"repositories": [{"name": f"r{i}"} for i in range(900)], "issues": [{"number": i} for i in range(900)], "next": 7}


@pytest.fixture(scope="module")
def redis():
    with redis_server() as (url, _):
        yield url


@pytest.fixture(scope="module")
def s3():
    with s3_server() as url:
        yield url


@pytest.fixture(params=["redis", "disk", "s3", "memory"])
def make(request, tmp_path):
    """A function that opens the same store again, as another process would."""
    if request.param == "redis":
        url = request.getfixturevalue("redis")
        return lambda: RedisStore(url=url)
    if request.param == "disk":
        return lambda: DiskStore(directory=tmp_path / "store")
    if request.param == "s3":
        url = request.getfixturevalue("s3")
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        return lambda: S3Store(bucket_name="results", endpoint_url=url, **keys)
    shared = MemoryStore()
    return lambda: shared


def keys_of(url):
    import redis

    with redis.Redis.from_url(url) as client:
        return sorted(key.decode() for key in client.keys("*"))


def test_what_one_stores_another_reads(make):
    writer, reader = Lro(store=make(), threshold_tokens=800), Lro(store=make)
    answer = writer.offload(ROWS, operation="recall")
    path = answer.response["file_path"]
    assert path == f"lro://{answer.file_name}"
    assert reader.extract(path, query=".id", limit=3).results == [0, 1, 2]
    assert reader.extract(answer.file_name, where=["id>=1998"], select=["id"]).results == [{"id": 1998}, {"id": 1999}]
    assert reader.read(path, lines="2").text == json.dumps(ROWS[1], separators=(",", ":")) + "\n"
    assert [hit.line for hit in reader.search(path, "row 1999\\b")] == [2000]
    assert reader.describe(path)["header"]["count"] == 2000
    assert json.loads(reader.rebuild(path)) == ROWS
    assert list(reader.extract_all(path, query=".id")) == list(range(2000))
    [half] = reader.extract(path, query="select(.id < 1000)", into=True).results
    assert writer.extract(half["file_path"], count=True, query=".").results == [1000]


def test_the_files_of_a_document_travel_together(make):
    answer = Lro(store=make(), threshold_tokens=800).offload(DOCUMENT, operation="recall")
    assert answer.outcome == "offloaded" and len(answer.sections) == 1
    reader = Lro(store=make())
    assert json.loads(reader.rebuild(answer.response["file_path"])) == DOCUMENT
    assert json.loads(reader.rebuild(answer.sections[0].file_name)) == DOCUMENT
    assert reader.extract(answer.sections[0].file_name, query="keys[0]", limit=1).results


def test_a_large_result_is_stored_in_parts(redis):
    import random

    lro = Lro(store=RedisStore(url=redis), store_part_bytes=100_000, threshold_tokens=800)
    chance = random.Random(1)
    rows = [{"id": i, "noise": f"{chance.getrandbits(400):x}"} for i in range(10_000)]
    name = lro.offload(rows, operation="large").file_name
    parts = [key for key in keys_of(redis) if key.startswith(f"lro::{name}.")]
    assert len(parts) > 5, parts
    assert json.loads(lro.rebuild(name)) == rows
    import redis as client

    with client.Redis.from_url(redis) as connection:
        assert all(connection.strlen(part) < 140_000 for part in parts)
        assert all(0 < connection.ttl(part) <= 3600 for part in parts)
        # One part is evicted: nothing of the result is read.
        connection.delete(parts[3])
    with pytest.raises(NotFound, match="there is no such file, or it has expired") as raised:
        lro.extract(name, query=".id")
    assert raised.value.hint == "run the tool again to get a fresh file_path"


def test_the_store_forgets_what_has_expired(make):
    lro = Lro(store=make(), threshold_tokens=800, ttl_seconds=2)
    name = lro.offload(ROWS, operation="recall").file_name
    assert lro.extract(name, query=".id", limit=1).results == [0]
    time.sleep(3)
    with pytest.raises(NotFound):
        lro.extract(name, query=".id")


def test_a_name_in_the_store_that_is_not_a_result(redis):
    lro = Lro(store=RedisStore(url=redis), threshold_tokens=800)
    name = lro.offload(ROWS, operation="recall").file_name
    import redis as client

    with client.Redis.from_url(redis) as connection:
        connection.set(f"lro::{name}", json.dumps({"version": 1, "value": {"files": ["../../x"], "bytes": 1}}))
    with pytest.raises(IoFailure, match="the store has something else under this name"):
        lro.extract(name, query=".id")
    with client.Redis.from_url(redis) as connection:
        connection.flushdb()


@pytest.mark.parametrize("path", ["/etc/passwd", "lro://../x", "lro://a/b/atlatl-x.jsonl", "../../etc/passwd", ""])
def test_no_path_leads_out_of_the_store(path):
    with pytest.raises(LroError) as raised:
        Lro(store=MemoryStore()).extract(path, query=".")
    assert raised.value.case in ("outside", "not-an-offload", "invalid-argument")


def test_conversations_do_not_read_each_other(make):
    lro = Lro(store=make(), threshold_tokens=800)
    name = lro.for_call(session="ann").offload(ROWS, operation="recall", session="ann").file_name
    assert name.startswith("ann/")
    own, other = lro.for_call(session="ann"), lro.for_call(session="bob")
    asked = {"query": ".id", "limit": 1}
    for file in (name, f"lro://{name}", name.removeprefix("ann/")):
        answer = json.loads(own.mcp_call("lro_extract", json.dumps({"file_path": file, **asked})))
        assert answer["structuredContent"]["results"] == [0], file
    for file in (name, f"lro://{name}", name.removeprefix("ann/")):
        answer = json.loads(other.mcp_call("lro_extract", json.dumps({"file_path": file, **asked})))
        assert answer["isError"] is True, file


def test_a_session_ends_with_what_it_stored(make):
    lro = Lro(store=make(), threshold_tokens=800)
    with lro.session("job-7") as session:
        name = session.offload(ROWS, operation="recall").file_name
        other = lro.offload(ROWS, operation="recall").file_name
        assert session.extract(name, query=".id", limit=1).results == [0]
    with pytest.raises(NotFound):
        lro.extract(name, query=".id")
    assert lro.extract(other, query=".id", limit=1).results == [0]


def test_a_cleanup_says_what_the_store_does_itself(make, tmp_path):
    lro = Lro(store=make(), threshold_tokens=800)
    lro.offload(ROWS, operation="recall")
    cleaned = lro.cleanup()
    assert cleaned.deleted == 0 and [event.name for event in cleaned.events] == ["ExpiryLeftToStore"]
    assert "expires 3600 seconds after it was stored" in cleaned.events[0].message
    assert lro.cleanup(all=True, dry_run=True).deleted >= 1
    cleaned = lro.cleanup(all=True)
    assert cleaned.deleted >= 1 and cleaned.freed_bytes > 100_000
    assert lro.cleanup(all=True).deleted == 0


def test_a_purge_finds_what_others_stored_where_the_store_lists_its_keys(redis):
    Lro(store=RedisStore(url=redis), threshold_tokens=800).offload(ROWS, operation="recall", session="s1")
    assert Lro(store=RedisStore(url=redis)).cleanup(all=True).deleted >= 1
    assert keys_of(redis) == []


def test_other_names_of_our_tools(make):
    lro = Lro(store=make(), tool_names="artifact", threshold_tokens=800)
    message = {"content": [{"type": "text", "text": json.dumps(ROWS)}]}
    name = lro.mcp_offload_result("rows", "{}", json.dumps(message)).file_name
    operation, ulid = name.removesuffix(".jsonl").split("-")[1:]
    for file in (name, f"lro://{name}", f"art_{operation}_{ulid}", f"art_{operation}_{ulid.lower()}"):
        asked = {"artifact_id": file, "start_line": 1, "end_line": 1}
        assert "row 0" in lro.mcp_call("artifact_read", json.dumps(asked)), file


def test_a_result_goes_from_tool_to_tool(make):
    lro = Lro(store=make(), resolve_arguments=True, threshold_tokens=800)
    path = lro.offload(ROWS, operation="recall").response["file_path"]
    given = lro.mcp_resolve_arguments("mail", json.dumps({"body": path, "ids": {"$lro": {"file_path": path, "query": ".id"}}}))
    arguments = json.loads(given)
    assert json.loads(arguments["body"]) == ROWS and arguments["ids"] == list(range(2000))


def test_a_store_that_is_away_truncates():
    with redis_server() as (url, process):
        lro = Lro(store=RedisStore(url=url), threshold_tokens=800)
        name = lro.offload(ROWS, operation="recall").file_name
        process.send_signal(signal.SIGKILL)
        process.wait()
        answer = lro.offload(ROWS, operation="recall")
        assert answer.outcome == "truncated" and 0 < answer.response["returned"] < 2000
        assert "cannot store `lro://atlatl-recall-" in answer.response["warning"]
        assert [event.name for event in answer.events][-1] == "OffloadWriteFailed"
        assert "cannot store" in answer.events[-1].message
        with pytest.raises(IoFailure, match=f"cannot read `lro://{name}`") as raised:
            lro.extract(name, query=".id")
        assert "try again" in raised.value.hint
        told = json.loads(lro.mcp_call("lro_extract", json.dumps({"file_path": name, "query": ".id"})))
        assert told["isError"] is True and "cannot read" in told["content"][0]["text"]


@contextmanager
def silent():
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = []
        threading.Thread(target=lambda: [taken.append(listener.accept()) for _ in range(100)], daemon=True).start()
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def test_a_store_that_does_not_answer_is_not_waited_for():
    with silent() as url:
        lro = Lro(store=RedisStore(url=url), store_timeout_seconds=0.5, threshold_tokens=800).ready()
        begun = time.monotonic()
        answer = lro.offload(ROWS, operation="recall")
        assert answer.outcome == "truncated"
        assert "the store did not answer within 0.5" in answer.response["warning"]
        with pytest.raises(IoFailure, match="the store did not answer within 0.5 seconds"):
            lro.extract("atlatl-recall-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl", query=".")
        assert time.monotonic() - begun < 5


def test_a_store_that_blocks_its_thread_is_not_waited_for():
    class Blocking(MemoryStore):
        async def _put_managed_entry(self, **entry):
            time.sleep(1.5)

    lro = Lro(store=Blocking(), store_timeout_seconds=0.2, threshold_tokens=800).ready()
    begun = time.monotonic()
    assert lro.offload(ROWS, operation="recall").outcome == "truncated"
    assert time.monotonic() - begun < 3
    time.sleep(2)


def test_a_full_store_truncates_and_keeps_nothing_of_the_result():
    with redis_server("--maxmemory", "6mb", "--maxmemory-policy", "noeviction") as (url, _):
        import random

        chance = random.Random(1)
        rows = [{"id": i, "noise": f"{chance.getrandbits(4000):x}"} for i in range(5_000)]
        lro = Lro(store=RedisStore(url=url), threshold_tokens=800)
        answer = lro.offload(rows, operation="recall")
        assert answer.outcome == "truncated" and "maxmemory" in answer.response["warning"]
        until = time.monotonic() + 10
        while keys_of(url) and time.monotonic() < until:
            time.sleep(0.1)
        assert keys_of(url) == []
        assert lro.offload(ROWS, operation="recall").outcome == "offloaded"


@pytest.mark.anyio
async def test_a_server_starts_while_its_store_is_away():
    events = []
    offloader = Offloader(store=RedisStore(url="redis://127.0.0.1:1/0"), on_event=events.append, cleanup=False)
    assert not await offloader.leaves_alone(is_proxy=False, over_http=True)
    message = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]})
    replaced = json.loads(await offloader.offload_result("rows", {}, message))
    assert replaced["structuredContent"]["offloaded"] is False
    assert "cannot store" in replaced["structuredContent"]["warning"]
    assert "OffloadWriteFailed" in [event.name for event in events]


@pytest.mark.anyio
async def test_without_our_tools_nothing_is_offloaded_to_a_store():
    offloader = Offloader(store=MemoryStore(), offer_tools=False, cleanup=False)
    assert await offloader.leaves_alone(is_proxy=False, over_http=False)


def test_what_is_not_a_store_is_refused():
    for given in ["redis", 7]:
        with pytest.raises(InvalidArgument):
            Lro(store=given)
    with pytest.raises(InvalidArgument, match="both `output_dir` and `store`"):
        Lro("results", store=MemoryStore())
    with pytest.raises(InvalidArgument, match="store_timeout_seconds"):
        Lro(store=MemoryStore(), store_timeout_seconds=0)
    lro = Lro(store=lambda: "not a store", threshold_tokens=800)
    assert "which is not an AsyncKeyValue" in lro.offload(ROWS).response["warning"]
    with pytest.raises(InvalidArgument, match="no output directory"):
        lro.output_dir
    with pytest.raises(InvalidArgument, match="cannot list the files"):
        lro.list_files()


def test_many_threads_share_a_store(redis):
    # Sixteen at once take their time on a busy machine.
    limits = Limits(offload_seconds=60, extract_seconds=60)
    lro = Lro(store=RedisStore(url=redis), store_timeout_seconds=60, limits=limits, threshold_tokens=800).ready()
    found = []

    def work(number):
        rows = [{"id": i, "of": number, "text": "x" * 50} for i in range(1000)]
        answer = lro.offload(rows, operation="recall")
        stored = answer.file_name and lro.extract(answer.file_name, query=".of", limit=1).results == [number]
        found.append(stored or answer.response)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [True] * 16


def test_nothing_stays_in_the_temporary_directory(redis, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lro = Lro(store=RedisStore(url=redis), threshold_tokens=800)
    name = lro.offload(ROWS, operation="recall").file_name
    lro.extract(name, query=".id")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    with pytest.raises(Outside):
        lro.extract(str(tmp_path / name), query=".")
