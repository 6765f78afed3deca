"""Files: only the output directory is reached, what is granted for reading is not written, nothing is left half written."""

import json
import os

import pytest
from plugin import Plugin
from full_disk import full_disk

# A name that could be one of ours.
NAME = f"atlatl-rows-{'0' * 26}.jsonl"
ROWS = {"payload": [{"id": i, "text": "x" * 20} for i in range(500)], "request": {"operation": "rows"}}


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def settings(directory):
    return {"output_dir": str(directory)}


def offloaded(directory):
    """The file of an offload in a directory."""
    return directory / Plugin(directory, settings=settings(directory)).ok("offload", **ROWS)["file_name"]


WAYS_OUT = {
    "{outside}": "outside",
    "/etc/passwd": "outside",
    "../{name}": "outside",
    "{directory}/../{name}": "outside",
    "{directory}/session/../../{name}": "outside",
    "way-out/{name}": "outside",
    "{link}": "outside",
    "{directory}/{link}": "outside",
    "a\0b": "invalid-argument",
    "..": "outside",
    "": "outside",
}


@pytest.mark.parametrize("path", WAYS_OUT)
def test_no_path_leads_out(directory, path):
    """Beside the directory lies a file that could be one of ours, and links lead to it and to its folder."""
    inside = offloaded(directory)
    outside = directory.parent / inside.name
    outside.write_bytes(inside.read_bytes())
    (directory / NAME).symlink_to(outside)
    (directory / "way-out").symlink_to(directory.parent)
    plugin = Plugin(directory, settings=settings(directory))
    file = path.format(outside=outside, directory=directory, name=inside.name, link=NAME)
    for function in ("extract", "describe", "rebuild"):
        request = {"request": {"query": "."}} if function == "extract" else {}
        error = plugin.error(function, source={"file": file}, **request)
        assert error["case"] == WAYS_OUT[path], error
    assert plugin.ok("extract", source={"file": inside.name}, request={"query": ".id", "limit": 1})["results"] == "0\n"


@pytest.mark.parametrize("elsewhere", ["/etc", "{parent}", "{directory}/../other", "{directory}/way-out", "relative", ""])
def test_no_setting_leads_out(directory, elsewhere):
    """The settings name a directory that is not granted: nothing is read there, and nothing written."""
    other = directory.parent / "other"
    other.mkdir()
    (directory / "way-out").symlink_to(other)
    name = offloaded(other).name
    before = sorted(directory.parent.rglob("*"))
    elsewhere = elsewhere.format(parent=directory.parent, directory=directory)
    plugin = Plugin(directory, settings={"output_dir": elsewhere})
    assert plugin.ok("offload", **ROWS)["outcome"] == "truncated"
    assert plugin.error("extract", source={"file": name}, request={"query": "."})["case"] in ("not-found", "outside", "io")
    assert plugin.error("cleanup", request={"ttl_seconds": 0})["case"] in ("not-found", "io")
    assert sorted(directory.parent.rglob("*")) == before


def test_another_directory_is_only_reached_as_the_output_directory(directory):
    other = directory.parent / "other"
    other.mkdir()
    there = offloaded(other)
    plugin = Plugin(directory, other, settings=settings(directory))
    assert plugin.error("describe", source={"file": str(there)})["case"] == "outside"
    assert plugin.ok("describe", source={"file": str(there)}, settings=settings(other))["header"]["count"] == 500


def test_a_directory_may_have_another_name_inside(directory):
    given = {"output_dir": "/results", "public_dir": str(directory)}
    plugin = Plugin(settings=given, allowed_paths={str(directory): "/results"})
    path = json.loads(plugin.ok("offload", **ROWS)["text"])["file_path"]
    assert os.path.dirname(path) == str(directory) and os.path.exists(path)
    assert plugin.ok("extract", source={"file": path}, request={"query": ".id", "limit": 1})["results"] == "0\n"


def test_what_is_granted_for_reading_is_read_and_not_written(directory):
    file = offloaded(directory)
    plugin = Plugin(f"ro:{directory}", settings=settings(directory))
    assert plugin.ok("extract", source={"file": file.name}, request={"query": ".id", "limit": 1})["results"] == "0\n"
    done = plugin.ok("offload", **ROWS)
    answer = json.loads(done["text"])
    assert done["outcome"] == "truncated" and answer["offloaded"] is False and answer["total"] == 500
    assert [event["name"] for event in done["events"]] == ["LargeResultDetected", "OffloadWriteFailed"]
    cleaned = plugin.ok("cleanup", request={"ttl_seconds": 0})
    assert (cleaned["deleted"], cleaned["kept"]) == (0, 1)
    into = plugin.ok("extract", source={"file": file.name}, request={"query": "select(.id < 3)", "into": True})
    assert json.loads(into["results"])["offloaded"] is False
    assert list(directory.iterdir()) == [file]


def test_without_a_directory_a_result_is_truncated(tmp_path):
    done = Plugin(settings=settings(tmp_path)).ok("offload", **ROWS)
    assert done["outcome"] == "truncated" and not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="limits on the size of files")
def test_a_full_disk_leaves_nothing(directory):
    plugin = Plugin(directory, settings=settings(directory))
    with full_disk():
        done = plugin.ok("offload", **ROWS)
    assert done["outcome"] == "truncated" and [event["name"] for event in done["events"]] == ["LargeResultDetected", "OffloadWriteFailed"]
    assert not list(directory.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_pipe_is_refused_at_once(directory):
    os.mkfifo(directory / NAME)
    error = Plugin(directory, settings=settings(directory)).error("describe", source={"file": NAME})
    assert error["case"] == "outside" and "not a regular file" in error["message"]
