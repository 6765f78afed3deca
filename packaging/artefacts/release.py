"""What is released: the facts that all artefacts share, each read from where it is written once."""

import json
import os
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from artefacts.failure import Failure
from artefacts.programs import output_of

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Release:
    """A version of the project for one target."""

    version: str
    target: str
    # Seconds since 1970: the time of everything in an artefact.
    epoch: int
    commit: str
    # Who made the commit: a name and an address.
    author: str
    # True if the clone has no changes beside the commit.
    is_clean: bool
    repository: str
    # What the image is called in a registry, if it is published there.
    image: str | None
    out: Path
    work: Path

    def named(self, end: str) -> Path:
        """An artefact for the target."""
        return self.out / f"lro-{self.version}-{self.target}{end}"

    def url(self, name: str) -> str:
        """Where an artefact is once the release is published."""
        return f"{self.repository}/releases/download/v{self.version}/{name}"

    def folder(self, name: str) -> Path:
        """An empty folder for what goes into an artefact."""
        folder = self.work / name
        folder.mkdir(parents=True)
        return folder

    @property
    def system(self) -> str:
        """`linux`, `darwin` or `windows`."""
        return next(system for system in ("linux", "darwin", "windows") if system in self.target)

    @property
    def machine(self) -> str:
        """`x86_64` or `aarch64`."""
        return self.target.split("-")[0]

    @property
    def architecture(self) -> str:
        """The machine as Debian and container images name it."""
        return {"x86_64": "amd64", "aarch64": "arm64"}[self.machine]

    @property
    def program(self) -> str:
        """The name of the command's file."""
        return "lro.exe" if self.system == "windows" else "lro"

    @cached_property
    def server_name(self) -> str:
        """The name in MCP's registry: who can publish at the repository's address owns it."""
        place = urlsplit(self.repository)
        if place.hostname == "github.com":
            return f"io.github.{place.path.split('/')[1]}/lro"
        return f"{'.'.join(reversed((place.hostname or '').split('.')))}/lro"


def workspace() -> dict:
    """What all packages of the workspace share."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]


def version() -> str:
    """The version of the project, which its packages have too."""
    ours = workspace()["version"]
    others = {
        "embed/js/package.json": json.loads((ROOT / "embed/js/package.json").read_text())["version"],
        "embed/python/pyproject.toml": tomllib.loads((ROOT / "embed/python/pyproject.toml").read_text())["project"]["version"],
    }
    for file, other in others.items():
        if other != ours:
            raise Failure(f"cannot release version {ours} of Cargo.toml: {file} has version {other}; give both the same")
    return ours


def host() -> str:
    """The target that cargo builds for unless told otherwise."""
    lines = output_of(["rustc", "-vV"], cwd=ROOT).splitlines()
    return next(line.removeprefix("host: ") for line in lines if line.startswith("host: "))


def commit() -> tuple[str, int, str, bool]:
    """The commit, its time, its author, and whether the files are those of the commit."""
    sha, time, author = output_of(["git", "log", "-1", "--format=%H %ct %an <%ae>"], cwd=ROOT).strip().split(maxsplit=2)
    is_clean = not output_of(["git", "status", "--porcelain"], cwd=ROOT).strip()
    return sha, int(os.environ.get("SOURCE_DATE_EPOCH") or time), author, is_clean


def release(target: str | None, repository: str | None, image: str | None, out: Path, work: Path) -> Release:
    """The release of this clone."""
    sha, epoch, author, is_clean = commit()
    address = (repository or workspace()["repository"]).rstrip("/")
    return Release(version(), target or host(), epoch, sha, author, is_clean, address, image, out, work)
