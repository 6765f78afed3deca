"""Hostile filters end, and what is stopped leaves no trace."""

import json
import os

import pytest

from lro import InvalidQuery, LimitReached, Limits, Lro
from full_disk import full_disk

RECORDS = [{"id": i, "text": "x" * 40} for i in range(500)]

HOSTILE = [
    ("[range(1e12) | select(. < 0)]", "max_steps"),
    ("until(false; .)", "timeout_ms"),
    ("[range(1e9)] | length", "max_steps"),
    ("def f: 1 + f; f", "max_stack_bytes"),
    ("(" * 2000 + "." + ")" * 2000, "max_filter_nesting"),
    (".a + " * 4000 + "1", "max_filter_bytes"),
]


@pytest.mark.parametrize(("query", "limit"), HOSTILE, ids=[query[:20] for query, _ in HOSTILE])
def test_a_filter_ends(tmp_path, query, limit):
    # What runs into another limit may take its time on a busy machine.
    limits = Limits(extract_seconds=0.05 if limit == "timeout_ms" else 60)
    lro = Lro(tmp_path, limits=limits, max_milliseconds=600_000)
    name = lro.offload(RECORDS).file_name
    with pytest.raises(LimitReached) as raised:
        lro.extract(name, query=query)
    assert raised.value.limit == limit and raised.value.value > 0
    assert lro.extract(name, query=".id", limit=1).results == [0]


def test_an_endless_filter_is_a_page(lro):
    page = lro.extract(lro.offload(RECORDS).file_name, query="repeat(1)", limit=5)
    assert page.results == [1] * 5 and page.truncated


@pytest.mark.parametrize("query", ["env", "$ENV", "input", "halt", "now", 'import "x" as x; .', "input_filename"])
def test_nothing_outside_is_reachable(lro, query):
    with pytest.raises(InvalidQuery):
        lro.extract(lro.offload(RECORDS).file_name, query=query)


# Twelve megabytes: no machine offloads them within the two ticks of the clock, 20 ms, after which a call is stopped at the earliest.
MASSES = RECORDS * 400

STOPPED = [
    (Limits(offload_memory_mib=1), "max_memory_mib"),
    (Limits(offload_memory_mib=3), "max_memory_mib"),
    (Limits(offload_seconds=0.0), "timeout_ms"),
]


@pytest.mark.parametrize(("limits", "limit"), STOPPED)
def test_an_offload_that_is_stopped_is_truncated(tmp_path, limits, limit):
    lro = Lro(tmp_path, limits=limits)
    answer = lro.offload(MASSES)
    assert answer.outcome == "truncated" and answer.response["offloaded"] is False
    assert len(answer.text) < 10_000
    [told] = [event for event in answer.events if event.name == "OffloadFailed"]
    assert "limit" not in told.fields or told.fields["limit"] == limit
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("limits", "limit"), STOPPED)
def test_a_tools_result_whose_offload_is_stopped_is_not_sent_whole(tmp_path, limits, limit):
    lro = Lro(tmp_path, limits=limits)
    result = json.dumps({"content": [{"type": "text", "text": json.dumps(MASSES)}]})
    done = lro.mcp_offload_result("rows", "{}", result)
    assert done.message is not None and len(done.message) < 20_000
    assert json.loads(done.message)["content"]
    assert [event.name for event in done.events] == ["OffloadFailed"]


def test_an_offload_on_a_full_disk_is_truncated(tmp_path):
    lro = Lro(tmp_path).ready()
    with full_disk():
        answer = lro.offload(RECORDS)
    assert answer.outcome == "truncated" and answer.response["total"] == 500
    assert [event.name for event in answer.events] == ["LargeResultDetected", "OffloadWriteFailed"]
    assert not list(tmp_path.iterdir())


def test_an_answer_has_a_limit(tmp_path):
    lro = Lro(tmp_path)
    name = lro.offload([{"text": "x" * (1 << 20)}] * 140).file_name
    with pytest.raises(LimitReached) as raised:
        lro.rebuild(name)
    assert raised.value.limit == "max_answer_mib"
    assert next(lro.extract_all(name, query=".text | length")) == 1 << 20


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_refused_at_once(lro):
    name = lro.offload(RECORDS).file_name
    pipe = name.replace(name[-12:-6], "AAAAAA")
    os.mkfifo(lro.output_dir / pipe)
    with pytest.raises(Exception, match="not a regular file"):
        lro.extract(pipe, query=".")


@pytest.mark.parametrize("path", ["../secret.jsonl", "/etc/passwd", "a\0b", "", "link.jsonl", "way-out/secret.jsonl"])
def test_no_path_leads_out(lro, tmp_path, path):
    text = (lro.output_dir / lro.offload(RECORDS).file_name).read_text()
    (tmp_path / "secret.jsonl").write_text(text)
    (lro.output_dir / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (lro.output_dir / "way-out").symlink_to(tmp_path)
    with pytest.raises(Exception) as raised:
        lro.extract(path if path.startswith("/") or "/" not in path else lro.output_dir / path, query=".")
    assert raised.value.case in ("outside", "not-an-offload", "invalid-argument", "not-found")


def test_a_limit_is_an_answer_that_says_what_a_model_can_do(tmp_path):
    lro = Lro(tmp_path / "results", limits=Limits(extract_seconds=0.2))
    path = lro.offload([{"id": i} for i in range(2000)]).response["file_path"]
    for query in ("last(range(1e12))", "[range(1e9)] | length"):
        answer = json.loads(lro.mcp_call("lro_extract", json.dumps({"file_path": path, "query": query})))
        assert answer["isError"] is True
        assert "look at less at once" in answer["content"][0]["text"] and "raise" not in answer["content"][0]["text"]
