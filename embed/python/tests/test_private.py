"""Who else can see what is written: nobody, while it is written and afterwards."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from lro import IoFailure, Lro

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else")

RECORDS = [{"id": i, "text": "secret"} for i in range(2000)]
BOTH = {"first": RECORDS, "second": RECORDS, "page": 1}
NOBODY = 65534


@pytest.fixture(autouse=True)
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture(params=[0o700, 0o755, 0o1777], ids=oct)
def directory(request, tmp_path):
    """An output directory that exists, with a mode."""
    path = tmp_path / "results"
    path.mkdir()
    path.chmod(request.param)
    yield path
    assert mode(path) == request.param
    assert not [name for name in os.listdir(path) if name.startswith(".")]


def test_what_is_made_is_private(tmp_path):
    lro = Lro(tmp_path / "results")
    name = lro.offload(RECORDS, session="one").file_name
    folders = [lro.output_dir, lro.output_dir / "one"]
    assert [mode(folder) for folder in folders] == [0o700, 0o700]
    assert mode(lro.output_dir / name) == 0o600


def test_the_files_of_all_lists_are_private(directory):
    lro = Lro(directory)
    answer = lro.offload(BOTH, operation="report", session="s")
    names = [answer.file_name, *(section.file_name for section in answer.sections)]
    assert len(names) == 2 and {mode(directory / name) for name in names} == {0o600}
    assert json.loads(lro.rebuild(answer.file_name)) == BOTH


def test_the_files_of_a_tools_result_are_private(directory):
    result = {"content": [{"type": "text", "text": json.dumps(BOTH)}]}
    done = Lro(directory).mcp_offload_result("report", "{}", json.dumps(result))
    names = [done.file_name, *done.section_file_names]
    assert len(names) == 2 and {mode(directory / name) for name in names} == {0o600}


@pytest.mark.parametrize("session", [None, "s"])
def test_the_file_of_an_extraction_is_private(directory, session):
    lro = Lro(directory)
    source = lro.offload(RECORDS, session=session).file_name
    into = lro.extract(source, query="select(.id < 1500)", into=True).results[0]["file_path"]
    assert mode(into) == 0o600 and Path(into).is_relative_to(directory)
    assert lro.extract(into, query="length", slurp=True).results == [1500]
    assert lro.extract(source, query="length", slurp=True).results == [2000]


WATCH = """
import os, sys, time
directory = sys.argv[1]
end = time.monotonic() + 60
os.setgid(65534); os.setuid(65534)
seen = opened = 0
print("watching", flush=True)
while not os.path.exists(directory + "/done") and time.monotonic() < end:
    for folder, folders, files in os.walk(directory):
        seen += len(folders)
        for name in files:
            try:
                os.close(os.open(os.path.join(folder, name), os.O_RDONLY)); opened += 1
            except OSError:
                seen += 1
print(seen > 0, opened)
"""


@as_root
def test_nobody_else_can_open_a_file_while_it_is_written():
    # Somebody else has to reach it, whatever temporary directory this user has.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        directory = Path(folder) / "shared"
        directory.mkdir()
        directory.chmod(0o1777)
        command = [sys.executable, "-c", WATCH, str(directory)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watcher:
            assert watcher.stdout.readline() == "watching\n"
            lro = Lro(directory)
            for _ in range(5):
                assert lro.offload(RECORDS * 40).outcome == "offloaded"
            os.close(os.open(directory / "done", os.O_CREAT, 0o000))
            assert watcher.stdout.read() == "True 0\n"


@as_root
def test_nothing_is_written_into_a_folder_that_another_user_has_made(tmp_path):
    session = tmp_path / "s"
    session.mkdir(0o777)
    os.chown(session, NOBODY, NOBODY)
    answer = Lro(tmp_path).offload(RECORDS, session="s")
    assert answer.outcome == "truncated" and not list(session.iterdir())
    assert "another user" in answer.events[-1].message


def test_a_mode_is_not_changed_through_a_link(tmp_path):
    outside, directory = tmp_path / "outside", tmp_path / "results"
    outside.mkdir(0o755)
    directory.mkdir()
    (directory / "s").symlink_to(outside)
    assert Lro(directory).offload(RECORDS, session="s").outcome == "truncated"
    assert mode(outside) == 0o755 and not list(outside.iterdir())


def test_the_default_directory_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = tmp_path / f"lro-{os.geteuid()}"
    answer = Lro().offload(RECORDS)
    assert Path(answer.response["file_path"]).parent == own and mode(own) == 0o700
    own.chmod(0o777)
    assert Lro().ready().output_dir == own and mode(own) == 0o700
    own.rename(tmp_path / "real")
    own.symlink_to(tmp_path / "real")
    with pytest.raises(IoFailure, match="cannot use"):
        Lro().ready()
    own.unlink()
    if os.geteuid() == 0:
        own.mkdir()
        os.chown(own, NOBODY, NOBODY)
        with pytest.raises(IoFailure, match="another user"):
            Lro().ready()


def test_a_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(IoFailure, match="cannot use .*file/results.* is not a directory"):
        Lro(tmp_path / "file" / "results")
    lro = Lro(tmp_path / "results")
    # It has gone by the time of the first call.
    (tmp_path / "results").rmdir()
    (tmp_path / "results").write_text("")
    for call in (lro.ready, lambda: lro.offload(RECORDS)):
        with pytest.raises(IoFailure, match="cannot use .*results"):
            call()


def test_what_killed_processes_have_left_is_removed(tmp_path):
    old, fresh = tmp_path / ".lro-0123456789abcdef", tmp_path / ".lro-fedcba9876543210"
    for folder in (old, fresh):
        folder.mkdir()
        (folder / "half.jsonl.part").write_text("")
    os.utime(old, (time.time() - 9000,) * 2)
    Lro(tmp_path).cleanup()
    assert sorted(path.name for path in tmp_path.iterdir()) == [fresh.name]
