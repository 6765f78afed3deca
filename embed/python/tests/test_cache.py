"""The compiled component between processes: written whole, ignored when it does not fit, trusted when it is private."""

import os

import pytest
import wasmtime

from lro.compiled import Compiled, cache_folder

COMPONENT = wasmtime.wat2wasm("(component)")


def cached(folder):
    """The one file of a cache folder."""
    [file] = folder.iterdir()
    return file


def test_the_compiled_form_is_kept_and_loaded(tmp_path):
    folder = tmp_path / "cache"
    Compiled(COMPONENT, folder)
    before = cached(folder).stat()
    Compiled(COMPONENT, folder)
    assert cached(folder).stat().st_mtime_ns == before.st_mtime_ns
    assert folder.stat().st_mode & 0o777 == 0o700 and before.st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_what_is_damaged_is_compiled_anew(tmp_path, damage):
    folder = tmp_path / "cache"
    Compiled(COMPONENT, folder)
    file = cached(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] + b"\0" * 9 if damage is None else damage)
    Compiled(COMPONENT, folder)
    assert len(cached(folder).read_bytes()) == len(whole)


def test_another_component_has_another_file(tmp_path):
    Compiled(COMPONENT, tmp_path / "cache")
    Compiled(wasmtime.wat2wasm("(component (core module))"), tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_a_folder_of_others_is_not_trusted(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    Compiled(COMPONENT, folder)
    assert not list(folder.iterdir())


def test_what_killed_writers_have_left_is_removed(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    old, fresh = folder / "python-part-old", folder / "python-part-fresh"
    for part in (old, fresh):
        part.write_text("half")
    os.utime(old, (0, 0))
    Compiled(COMPONENT, folder)
    assert not old.exists() and fresh.exists() and len(list(folder.iterdir())) == 2


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert Compiled(COMPONENT, tmp_path / "file" / "cache").component


def test_a_variable_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LRO_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.setenv("LRO_CACHE_DIR", "")
    assert cache_folder() is None
