"""The output directory: where it is on this machine, and how a path of a caller is presented to the component."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePath


class OutputDirectory:
    """The output directory. It may appear after the component was opened, and is made canonical once."""

    def __init__(self, given: Path) -> None:
        self.given = given.absolute()
        self._canonical: Path | None = None

    @property
    def canonical(self) -> Path | None:
        """Its canonical path, or `None` while there is no such directory."""
        if self._canonical is None and self.given.is_dir():
            self._canonical = self.given.resolve()
        return self._canonical

    @property
    def public(self) -> Path:
        """Its path for people and models: canonical where it exists, else absolute as given."""
        return self.canonical or self.given

    @property
    def is_shared(self) -> bool:
        """True when it is the system's temporary directory, which other programs use too."""
        return self.canonical == Path(tempfile.gettempdir()).resolve()

    def create(self) -> None:
        """Makes it with mode 0700 where it is missing (USER-08). What cannot be made is told by the first offload."""
        try:
            self.given.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return

    def present(self, file: str) -> str:
        """A file's path as the component should see it: a bare name as it is, anything else absolute.

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

    def size_of(self, file: str) -> int:
        """The size in bytes of the file that a presented path means, which limits depend on; 0 when there is none."""
        try:
            return 0 if self.canonical is None else (self.canonical / file).lstat().st_size
        except (OSError, ValueError):
            return 0

    def make_private(self, file_name: str) -> None:
        """0600 for a file that was written and 0700 for its session's folder (USER-08). A component cannot set modes."""
        if os.name != "posix" or self.canonical is None:
            return
        session = PurePath(file_name).parent
        if session != PurePath("."):
            os.chmod(self.canonical / session, 0o700)
        os.chmod(self.canonical / file_name, 0o600)
