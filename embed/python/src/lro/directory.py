"""The output directory: where it is on this machine, and how a path of a caller is presented to the component."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

from .errors import IoFailure
from .staging import HAS_MODES, Staging, private_folder, remove_abandoned, staging


class OutputDirectory:
    """The output directory. It may appear after the component was opened, and is made canonical once."""

    def __init__(self, given: Path | None) -> None:
        """The default is `lro-UID` below the temporary directory, which nobody else can enter."""
        self._is_default = given is None
        self.given = _default() if given is None else given.absolute()
        self._canonical: Path | None = None

    @property
    def canonical(self) -> Path | None:
        """Its canonical path, or `None` while the directory does not exist."""
        if self._canonical is None and self.given.is_dir():
            self._canonical = self.given.resolve()
        return self._canonical

    @property
    def public(self) -> Path:
        """Its path for people and models: canonical if it exists, otherwise absolute as given."""
        return self.canonical or self.given

    @property
    def is_shared(self) -> bool:
        """True if it is the system's temporary directory, which other programs use too."""
        return self.canonical == Path(tempfile.gettempdir()).resolve()

    def create(self) -> None:
        """Creates it with mode 0700 if it is missing (USER-08)."""
        try:
            _make(self.given)
            if self._is_default:
                private_folder(self.given)
            if not os.access(self.given, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError("it cannot be written to")
        except OSError as error:
            reason = error.strerror or error
            hint = "pass an `output_dir` that this process can write to"
            raise IoFailure(f"cannot use `{self.given}` as the output directory: {reason}", hint) from error

    def restore(self) -> None:
        """Makes it again if somebody has deleted it meanwhile. A write tells what cannot be made."""
        if self._canonical is not None and not self._canonical.is_dir():
            with suppress(OSError):
                _make(self._canonical)

    @contextmanager
    def staging(self) -> Generator[Staging | None, None, None]:
        """A private folder that a call writes to, whose files have to be published; `None` where there are no modes, or no
        directory: the call gets the directory itself."""
        if not HAS_MODES or self.canonical is None:
            yield None
            return
        try:
            # Where it lies others can write, and may have put something in its place since.
            if self._is_default and self.canonical.is_dir():
                private_folder(self.canonical)
            with staging(self.canonical) as folder:
                yield folder
        except OSError as error:
            raise IoFailure(f"cannot write to `{self.canonical}`: {error.strerror or error}") from error

    def remove_abandoned(self) -> None:
        """Removes what killed processes have left."""
        if HAS_MODES and self.canonical is not None:
            remove_abandoned(self.canonical)

    @property
    def public_name(self) -> str:
        """What paths begin with for people and models."""
        return str(self.public)

    @contextmanager
    def reading(self, *files: str) -> Generator[tuple[Path | None, int], None, None]:
        """The folder of these presented files, and their bytes together."""
        yield self.canonical, sum(map(self.size_of, files))

    def present(self, file: str) -> str:
        """A file's path as the component should see it: a bare name unchanged, anything else absolute.

        Symbolic links in the folder's path are followed if and only if that leads into this directory; the component
        judges the result.
        """
        parts = PurePath(file).parts
        is_plain = bool(parts) and not PurePath(file).is_absolute() and not {"..", "."} & set(parts)
        if "\0" in file or (is_plain and len(parts) < 2):
            return file
        # The name of a session's file as an offload answers it, unless it means something from here.
        if is_plain and not os.path.exists(file) and self.size_of(file) > 0:
            return file
        path = Path(os.path.abspath(file))
        followed = path.parent.resolve() / path.name
        inside = self.canonical is not None and followed.is_relative_to(self.canonical)
        return str(followed if inside else path)

    def name_of(self, file: str) -> str | None:
        """The name of a presented file below this directory, where it is one."""
        path = PurePath(file)
        if not path.is_absolute():
            return file
        return str(path.relative_to(self.public)) if path.is_relative_to(self.public) else None

    def size_of(self, file: str) -> int:
        """The size in bytes of the file that a presented path means, which limits depend on; 0 if there is none."""
        if self.canonical is None:
            return 0
        try:
            return (self.canonical / file).lstat().st_size
        except (OSError, ValueError):
            return _size_meant(self.canonical, file)


def _size_meant(directory: Path, file: str) -> int:
    """The size of the largest file that an id or a name without its folder may mean. Which one, the component decides."""
    if not file or any(character in file for character in "/\\\0"):
        return 0
    stem = file.rpartition(".")[0] or file
    # The id of an artifact ends with a ULID, and names of files with all of it or with its random part.
    random = file.rpartition("_")[2].upper()[-16:] if file.startswith("art_") else None
    folders = [directory, *(Path(entry) for entry in _entries(directory) if entry.is_dir(follow_symlinks=False))]
    sizes = (
        entry.stat(follow_symlinks=False).st_size
        for folder in folders
        for entry in _entries(folder)
        if entry.is_file(follow_symlinks=False)
        and (entry.name.startswith(stem) or (random is not None and random in entry.name))
    )
    try:
        return max(sizes, default=0)
    except OSError:
        return 0


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _make(folder: Path) -> None:
    """Creates a folder and those above it, each with mode 0700."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise OSError(f"`{folder}` is not a directory") from error


def _default() -> Path:
    name = f"lro-{os.geteuid()}" if hasattr(os, "geteuid") else "lro"
    return Path(tempfile.gettempdir()).resolve() / name
