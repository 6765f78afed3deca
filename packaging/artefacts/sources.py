"""Files of this clone in a folder of their own, so that building an artefact changes nothing here."""

import os
from pathlib import Path

from artefacts.packed import place
from artefacts.programs import output_of
from artefacts.release import ROOT, Release


def copied(release: Release, name: str, *folders: str) -> Path:
    """A folder with what git knows, or would add, in some folders of the clone."""
    listed = output_of(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders], cwd=ROOT)
    folder = release.folder(name)
    for path in filter(None, listed.split("\0")):
        # What is deleted and not committed is still listed.
        if (ROOT / path).is_file():
            place(ROOT / path, folder / path)
    return folder


def packages(kind: str, sources: str) -> Path:
    """The folder with what a lock file names, installed once: `npm` or `python`."""
    cache = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "tmp"
    return Path(output_of(["bash", "tests/packages.sh", kind, sources, cache], cwd=ROOT).strip())
