"""Which files there are, how long they live, and that writing deletes what has expired."""

import hashlib
import json

import pytest

from lro import Lro, NotFound

RECORDS = [{"id": i, "title": f"Title {i}"} for i in range(2000)]
NAME = "atlatl-recall-00000000000000000000000001.jsonl"


@pytest.fixture
def place(tmp_path):
    """An output directory with a file that expired long ago, in the folder of a session."""
    (tmp_path / "s-1").mkdir()
    _write(tmp_path)
    return tmp_path


def _write(directory, **deviations):
    header = {
        "type": "lro_header",
        "operation": "recall",
        "query": None,
        "count": 1,
        "schema_version": "1.0.0",
        "timestamp": "2020-01-01T00:00:00.000Z",
        "estimated_tokens": 3,
        "detail": "light",
        "lro": deviations,
    }
    (directory / "s-1" / NAME).write_text(json.dumps(header) + '\n{"id":"m1"}\n')


def test_an_offload_sweeps_what_has_expired(place):
    lro = Lro(place)
    with pytest.raises(NotFound, match="it expired at 2020-01-01T01:00:00Z"):
        lro.extract(f"s-1/{NAME}", query=".id")
    answer = lro.offload(RECORDS)
    assert [event.name for event in answer.events] == ["OffloadFileExpired"]
    assert [path.name for path in place.iterdir()] == [answer.file_name]


def test_the_result_of_a_tool_sweeps_what_has_expired(place):
    result = {"content": [{"type": "text", "text": json.dumps(RECORDS)}]}
    events = Lro(place).mcp_offload_result("recall", "{}", json.dumps(result)).events
    assert "OffloadFileExpired" in [event.name for event in events]
    assert not (place / "s-1").exists()


def test_a_kept_file_is_read_and_not_swept(place):
    _write(place, kept=True)
    lro = Lro(place)
    lro.offload(RECORDS)
    assert lro.extract(f"s-1/{NAME}", query=".id").results == ["m1"]


def test_files_are_listed_with_their_checksums_copied_and_purged(place):
    lro = Lro(place)
    listing = lro.list_files()
    (file,) = listing["files"]
    path = place / "s-1" / NAME
    assert (listing["total"], listing["next"], file["expired"]) == (1, None, True)
    assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    copies = lro.copies(f"s-1/{NAME}")
    (copy,) = copies["files"]
    assert copies["missing"] == []
    path.write_bytes(copy["header"].encode() + b"\n" + path.read_bytes()[copy["header_bytes"] :])
    assert lro.extract(f"s-1/{NAME}", query=".id").results == ["m1"]
    assert lro.cleanup(all=True).deleted == 1
    assert list(place.iterdir()) == []
