"""What stands for the output directory where results are in a key-value store: each call gets a private folder with the
files that it reads, and what it writes there goes to the store."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .directory import OutputDirectory
from .errors import InvalidArgument, IoFailure
from .results import Cleaning, Event
from .staging import private_folder, remove_abandoned
from .store import SCHEME, ResultStore
from .sweeping import is_due

_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}(\.jsonl|\.txt)?", re.ASCII)
_ENDS = (".jsonl", ".txt")

_MOST_REMEMBERED = 10_000
"""Names of results that are remembered for the end of their sessions; the store forgets the others when they expire."""


class StoredStaging:
    """A private folder for one call that writes."""

    def __init__(self, directory: StoredDirectory, path: Path) -> None:
        self.path = path
        self._directory = directory
        self._lent: set[Path] = set()

    def lend(self, file_name: str) -> None:
        """Puts a result here as well, for a call that reads one and writes another."""
        self._directory.fetch(file_name, self.path)
        self._lent.update(_files_below(self.path))

    def publish(self, main: str | None = None) -> None:
        """Stores what was written, `main` last. `IoFailure` if the store fails."""
        written = [file for file in _files_below(self.path) if file not in self._lent and file.suffix in _ENDS]
        names = {file.relative_to(self.path).as_posix(): file for file in written}
        if names:
            ordered = sorted(names, key=lambda name: (name == main, name))
            self._directory.keep({name: names[name].read_bytes() for name in ordered})


class StoredDirectory:
    """The results of a store, by the names that they would have as files."""

    canonical = None
    is_shared = False

    def __init__(self, store: ResultStore, prefix: str, ttl_seconds: float) -> None:
        self._store = store
        self._prefix = prefix
        self._ttl_seconds = ttl_seconds
        self._scratch = OutputDirectory(None).given
        self._remembered: dict[str, None] = {}
        self._lock = threading.Lock()

    def restore(self) -> None:
        """Does nothing: a store has no directory that somebody could delete."""
        return

    @property
    def public(self) -> Path:
        """There is none: `InvalidArgument`."""
        raise InvalidArgument("there is no output directory: the results are in a key-value store")

    @property
    def public_name(self) -> str:
        """What paths begin with for people and models."""
        return SCHEME

    def create(self) -> None:
        """Nothing needs to be created before a call: a store that is away must not keep a server from starting."""

    def remove_abandoned(self) -> None:
        """Removes the folders of killed processes."""
        remove_abandoned(self._scratch)

    @contextmanager
    def staging(self) -> Generator[StoredStaging, None, None]:
        """A private folder that a call writes to, whose files have to be published."""
        with self._folder() as folder:
            yield StoredStaging(self, folder)

    @contextmanager
    def reading(self, *files: str) -> Generator[tuple[Path | None, int], None, None]:
        """A folder with these files, as far as the store has them, and their bytes together. What follows from a file that
        is missing is for the component to say."""
        with self._folder() as folder:
            yield folder, sum(self.fetch(file, folder) for file in files)

    def present(self, file: str) -> str:
        """A file's path as the component should see it."""
        return file

    def name_of(self, file: str) -> str | None:
        """The name of a presented file, where it is one."""
        return next(iter(self._names(file)), None)

    def fetch(self, file: str, folder: Path) -> int:
        """Writes the document of a file to a folder. Returns the file's own bytes, 0 if the store does not have it."""
        for name in self._names(file):
            found = self._store.get(name)
            for other, content in found.items():
                # A record is data of the store: its names lead nowhere else.
                if other in self._names(other):
                    path = folder.joinpath(*other.split("/"))
                    path.parent.mkdir(mode=0o700, exist_ok=True)
                    path.write_bytes(content)
            if found:
                return len(found[name])
        return 0

    def keep(self, files: dict[str, bytes]) -> None:
        """Stores the files of a document."""
        self._store.put(files, self._ttl_seconds)
        with self._lock:
            self._remembered.update(dict.fromkeys(files))
            while len(self._remembered) > _MOST_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]

    def clean(self, session: str | None, *, everything: bool, is_dry: bool) -> Cleaning:
        """Deletes all results, or those that this process has stored for a session. Whatever else expires is deleted by the
        store, which an event says."""
        if not everything:
            return Cleaning(0, 0, 0, () if self._store.cull() else (_left_to_store(self._ttl_seconds),))
        listed = self._store.names() if session is None else None
        with self._lock:
            own = [name for name in self._remembered if session is None or name.startswith(f"{session}/")]
        names = own if listed is None else [name for name in listed if name in self._names(name)]
        events = (_left_to_store(self._ttl_seconds),) if listed is None else ()
        if is_dry:
            return Cleaning(len(names), 0, 0, events)
        deleted, freed = self._store.delete(names)
        with self._lock:
            for name in names:
                self._remembered.pop(name, None)
        return Cleaning(deleted, freed, 0, events)

    def _names(self, file: str) -> list[str]:
        """The names of results that a path or an id may mean."""
        parts = file.removeprefix(SCHEME).split("/")
        folder = "/".join(parts[:-1])
        if len(parts) > 2 or (folder and not _SESSION.fullmatch(folder)) or not _NAME.fullmatch(parts[-1]):
            return []
        name = parts[-1]
        if name.startswith("art_"):
            operation, _, ulid = name.removeprefix("art_").rpartition("_")
            name = f"{self._prefix}-{operation}-{ulid.upper()}"
        names = [name] if name.endswith(_ENDS) else [name + end for end in _ENDS]
        return [f"{folder}/{name}" if folder else name for name in names if name.startswith(self._prefix)]

    @contextmanager
    def _folder(self) -> Generator[Path, None, None]:
        try:
            private_folder(self._scratch)
            if is_due(str(self._scratch)):
                self.remove_abandoned()
            folder = Path(tempfile.mkdtemp(prefix=".lro-", dir=self._scratch))
        except OSError as error:
            hint = "give the process a temporary directory that it can write to (TMPDIR)"
            raise IoFailure(f"cannot make a folder in `{self._scratch}`: {error.strerror or error}", hint) from error
        try:
            yield folder
        except OSError as error:
            raise IoFailure(f"cannot use the folder `{folder}`: {error.strerror or error}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


def _left_to_store(ttl_seconds: float) -> Event:
    message = (
        "the store deletes what has expired, and only what this process has stored can be deleted before: "
        f"the store cannot list the rest, which expires {ttl_seconds:.0f} seconds after it was stored"
    )
    return Event("ExpiryLeftToStore", message, {"ttl_seconds": ttl_seconds})
