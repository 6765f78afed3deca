"""The command that all artefacts carry: built for a release, or given, and stripped."""

import os
import shutil
import subprocess
from pathlib import Path

from artefacts.failure import Failure
from artefacts.programs import output_of
from artefacts.release import ROOT, Release


def stripped(release: Release, given: Path | None) -> Path:
    """A copy of the command without symbols. The file that was given stays as it is."""
    source = given or built(release)
    if not source.is_file():
        raise Failure(f"cannot pack `{source}`: there is no such file; `--command` names the built command `lro`")
    copy = release.folder("command") / release.program
    shutil.copyfile(source, copy)
    copy.chmod(0o755)
    if release.system == "linux":
        # The linker's digest is also of the symbols, which have other names in each folder.
        output_of(["strip", "--strip-all", "--remove-section=.note.gnu.build-id", copy])
    elif release.system == "darwin":
        output_of(["strip", copy])
    return copy


def built(release: Release) -> Path:
    """The release command of this clone, the same bytes in any folder. It is built twice: the first one compiles its component,
    and the second one has that code, so that a user's first call compiles nothing (decision 302)."""
    # The folder of the sources has to be there before it gets its name in the flags, or all is compiled twice.
    output_of(["cargo", "fetch", "--locked", "--target", release.target], cwd=ROOT)
    code = release.folder("compiled") / "lro.cwasm"
    output_of([by_cargo(release), "component", "--compiled", "--output", code])
    return by_cargo(release, LRO_COMPILED=str(code))


def by_cargo(release: Release, **variables: str) -> Path:
    """What cargo builds with these variables."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
    build = ["cargo", "build", "--release", "--locked", "--package", "lro-cli", "--bin", "lro"]
    build += ["--target", release.target, "--target-dir", str(folder)]
    flags = "\x1f".join(renamed(folder) + relocated(release.target))
    settings = {"CARGO_ENCODED_RUSTFLAGS": flags, "SOURCE_DATE_EPOCH": str(release.epoch)}
    # Its progress is for who waits.
    if subprocess.run(build, cwd=ROOT, env={**os.environ, **settings, **variables}).returncode != 0:
        raise Failure("cannot build the command: cargo's reason stands above")
    return folder / release.target / "release" / release.program


def renamed(target_folder: Path) -> list[str]:
    """Flags that write the same names of folders into the command on every machine."""
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    # The last one that fits is taken.
    names = {ROOT: "lro", target_folder: "target"} | {folder: "registry" for folder in (cargo / "registry/src").glob("*")}
    return [f"--remap-path-prefix={folder}={name}" for folder, name in names.items()]


def relocated(target: str) -> list[str]:
    """Flags for a static command: the 68,000 addresses that it mends when it starts are a table of bits, and not of 24 bytes each,
    which takes a fifth of a small call less. musl reads such a table since 1.2.4, and Rust's is newer; a linker that does not
    know it (GNU before 2.38) warns, and leaves it out."""
    return ["-Clink-arg=-Wl,-z,pack-relative-relocs"] if target.endswith("-linux-musl") else []
