"""Where files are written before they get their place: a folder in the output directory that only this user can enter.

The component's files are created with the mode that the process's umask leaves, and the umask belongs to all threads. So
a file is nowhere that others can open it until it has mode 0600. All steps go by descriptors, never along a path that
somebody else could exchange for a link.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

HAS_MODES = os.name == "posix"
"""Elsewhere a file has the access list of its folder."""

_PREFIX = ".lro-"
_ABANDONED_SECONDS = 3600.0
"""A folder of this age was left by a process that was killed: no call runs that long."""

_MOST_VANISHED = 8
"""So often a folder may vanish while a file is moved to it."""

_HAS_DESCRIPTOR_PATHS = sys.platform == "linux" and os.path.isdir("/proc/self/fd")

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Staging:
    """A private folder for one call."""

    def __init__(self, output: int, folder: int, path: Path) -> None:
        self._output = output
        self._folder = folder
        self.path = path
        """What is granted to the component."""
        self._lent: set[str] = set()

    def lend(self, file_name: str) -> None:
        """Puts a file of the output directory here as well, for a call that reads one and writes another."""
        parent, name = _parts(file_name)
        if "\0" in file_name or ".." in PurePath(file_name).parts:
            return
        try:
            with _opened(parent, self._output) as source, self._own(parent) as target:
                if not stat.S_ISREG(os.stat(name, dir_fd=source, follow_symlinks=False).st_mode):
                    return
                _link(name, source, target)
        except OSError:
            return  # The component says that there is no such file.
        self._lent.add(file_name)

    def publish(self, main: str | None = None) -> None:
        """Gives every file that was written its mode and then its place, `main` after the others: where it is, its whole
        document is. `OSError` for what cannot be."""
        for name in sorted(self._written(), key=lambda name: name == main):
            self._publish(name)

    def _written(self) -> Iterator[str]:
        for entry in _entries(self._folder):
            if entry.is_dir(follow_symlinks=False):
                with _opened(entry.name, self._folder) as session:
                    yield from (f"{entry.name}/{file.name}" for file in _entries(session))
            else:
                yield entry.name

    def _publish(self, file_name: str) -> None:
        if file_name in self._lent or file_name.endswith(".part"):
            return
        for remaining in reversed(range(_MOST_VANISHED)):
            try:
                return self._move(file_name)
            except FileNotFoundError:
                # A cleanup has found the folder of the session empty and deleted it.
                if remaining == 0:
                    raise

    def _move(self, file_name: str) -> None:
        parent, name = _parts(file_name)
        with _opened(parent, self._folder) as source, self._target(parent) as target:
            _make_private(name, source)
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)

    @contextmanager
    def _target(self, session: str) -> Generator[int, None, None]:
        """The folder of a session in the output directory, or that itself."""
        if session:
            _make_folder(session, self._output)
        with _opened(session, self._output) as folder:
            owner = os.fstat(folder).st_uid
            if session and owner not in (os.geteuid(), os.fstat(self._output).st_uid):
                raise PermissionError(f"the folder of the session `{session}` belongs to another user")
            yield folder

    @contextmanager
    def _own(self, session: str) -> Generator[int, None, None]:
        if session:
            _make_folder(session, self._folder)
        with _opened(session, self._folder) as folder:
            yield folder


@contextmanager
def staging(directory: Path) -> Generator[Staging, None, None]:
    """A staging folder in the output directory, which is gone afterwards with all that was not published."""
    output = os.open(directory, _FOLDER)
    try:
        name = _PREFIX + secrets.token_hex(8)
        os.mkdir(name, 0o700, dir_fd=output)
        try:
            with _opened(name, output) as folder:
                if os.fstat(folder).st_uid != os.geteuid():
                    raise PermissionError(f"`{name}` belongs to another user")
                yield Staging(output, folder, _path(folder, directory / name))
        finally:
            _remove(name, output)
    finally:
        os.close(output)


def remove_abandoned(directory: Path) -> None:
    """Removes what killed processes have left."""
    try:
        output = os.open(directory, _FOLDER)
    except OSError:
        return
    try:
        for entry in _entries(output):
            if entry.name.startswith(_PREFIX) and _is_abandoned(entry):
                _remove(entry.name, output)
    finally:
        os.close(output)


def _remove(name: str, parent: int) -> None:
    """Removes a folder, which is mostly empty."""
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError:
        shutil.rmtree(name, ignore_errors=True, dir_fd=parent)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False  # It has gone meanwhile.
    return status.st_uid == os.geteuid() and time.time() - status.st_mtime > _ABANDONED_SECONDS


def private_folder(path: Path) -> None:
    """Makes a folder that only this user can enter. `OSError` where somebody else has put something there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not HAS_MODES:
        return
    folder = os.open(path, _FOLDER)
    try:
        status = os.fstat(folder)
        if status.st_uid != os.geteuid():
            raise PermissionError("it belongs to another user")
        if stat.S_IMODE(status.st_mode) != 0o700:
            os.fchmod(folder, 0o700)
    finally:
        os.close(folder)


def _path(folder: int, path: Path) -> Path:
    """A path of an open folder that means it even when its name means something else."""
    return Path(f"/proc/self/fd/{folder}") if _HAS_DESCRIPTOR_PATHS else path


def _make_private(name: str, folder: int) -> None:
    file = os.open(name, _FILE, dir_fd=folder)
    try:
        os.fchmod(file, 0o600)
    finally:
        os.close(file)


def _make_folder(name: str, parent: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except FileExistsError:
        pass


def _link(name: str, source: int, target: int) -> None:
    try:
        os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError:  # A file system without links, or a file of somebody else.
        with (
            open(os.open(name, _FILE, dir_fd=source), "rb") as reader,
            open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=target), "wb") as writer,
        ):
            shutil.copyfileobj(reader, writer)


def _entries(folder: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def _parts(file_name: str) -> tuple[str, str]:
    path = PurePath(file_name)
    return ("" if len(path.parts) == 1 else str(path.parent)), path.name


@contextmanager
def _opened(name: str, parent: int) -> Generator[int, None, None]:
    """A folder in another one, or that itself."""
    folder = os.open(name, _FOLDER, dir_fd=parent) if name else parent
    try:
        yield folder
    finally:
        if name:
            os.close(folder)
