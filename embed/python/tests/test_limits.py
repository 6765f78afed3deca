"""Hostile filters end, and what is stopped leaves no trace."""

import os

import pytest

from lro import InvalidQuery, LimitReached, Limits, Lro
from scene import full_disk

RECORDS = [{"id": i, "text": "x" * 40} for i in range(500)]

HOSTILE = [
    ("[range(1e12) | select(. < 0)]", "timeout_ms"),
    ("until(false; .)", "timeout_ms"),
    ("[range(1e9)] | length", "max_memory_mib"),
    ("def f: 1 + f; f", "max_stack_bytes"),
    ("(" * 2000 + "." + ")" * 2000, "max_filter_nesting"),
    (".a + " * 4000 + "1", "max_filter_bytes"),
]


@pytest.mark.parametrize(("query", "limit"), HOSTILE, ids=[query[:20] for query, _ in HOSTILE])
def test_a_filter_ends(tmp_path, query, limit):
    # What runs into another limit may take its time on a busy machine.
    lro = Lro(tmp_path, limits=Limits(extract_seconds=0.5 if limit == "timeout_ms" else 60))
    name = lro.offload(RECORDS).file_name
    with pytest.raises(LimitReached) as raised:
        lro.extract(name, query=query)
    assert raised.value.limit == limit and raised.value.value > 0
    assert lro.extract(name, query=".id", limit=1).rows == [0]


def test_an_endless_filter_is_a_page(lro):
    page = lro.extract(lro.offload(RECORDS).file_name, query="repeat(1)", limit=5)
    assert page.rows == [1] * 5 and page.truncated


@pytest.mark.parametrize("query", ["env", "$ENV", "input", "halt", "now", 'import "x" as x; .', "input_filename"])
def test_nothing_outside_is_reachable(lro, query):
    with pytest.raises(InvalidQuery):
        lro.extract(lro.offload(RECORDS).file_name, query=query)


@pytest.mark.parametrize("mebibytes", [1, 2, 3])
def test_an_offload_without_memory_answers_the_result(tmp_path, mebibytes):
    lro = Lro(tmp_path, limits=Limits(offload_memory_mib=mebibytes))
    records = RECORDS * 40
    answer = lro.offload(records)
    assert answer.kind == "unchanged" and answer.result is records
    assert answer.events[0].fields["limit"] == "max_memory_mib"
    assert not list(tmp_path.iterdir())


def test_an_offload_on_a_full_disk_is_truncated(tmp_path):
    lro = Lro(tmp_path).ready()
    with full_disk():
        answer = lro.offload(RECORDS)
    assert answer.kind == "truncated" and answer.response["total"] == 500
    assert [event.name for event in answer.events] == ["OffloadWriteFailed"]
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
