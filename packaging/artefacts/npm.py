"""The npm packages: `lro-component`, which runs everywhere, and the native command for this platform.

embed/js/scripts knows how each is made. Here is what they are made of, in a folder of their own.
"""

import json
import os
from pathlib import Path

from artefacts.command import renamed
from artefacts.failure import Failure
from artefacts.packed import tidy
from artefacts.platforms import PLATFORMS, platform
from artefacts.programs import output_of
from artefacts.release import ROOT, Release
from artefacts.sources import copied, packages

GUEST_TARGET = "wasm32-unknown-unknown"


def portable(release: Release, command: Path) -> list[Path]:
    """`lro-component-VERSION.tgz`. It asks for the packages of all platforms, of which npm installs the one that fits."""
    folder = project(release, "npm")
    (folder / "node_modules").symlink_to(packages("npm", "embed/js") / "node_modules")
    clients = os.environ.get("LRO_CLIENTS") or str(library())
    output_of(["node", "scripts/build.js"], cwd=folder, env={"LRO": str(command), "LRO_CLIENTS": clients})
    (folder / "node_modules").unlink()
    tidy(folder, release.epoch)
    return [packed(["scripts/pack.js", release.out, *(each.name for each in PLATFORMS.values())], folder)]


def native(release: Release, command: Path) -> list[Path]:
    """`lro-component-SYSTEM-MACHINE-VERSION.tgz`, which npm installs on this platform only."""
    folder = project(release, "npm-native")
    return [packed(["scripts/platform.js", command, platform(release.target).name, release.out], folder)]


def project(release: Release, name: str) -> Path:
    """The package's files, with what it says once it is published."""
    folder = copied(release, name, "embed/js") / "embed/js"
    manifest = folder / "package.json"
    published = {"mcpName": release.server_name, "repository": {"type": "git", "url": f"git+{release.repository}.git"}}
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **published}, indent=2, ensure_ascii=False) + "\n")
    return folder


def packed(words: list, folder: Path) -> Path:
    """The file that a script of the package says it has made."""
    return Path(output_of(["node", *words], cwd=folder).splitlines()[-1])


def library() -> Path:
    """The library of what is known of clients, the same bytes in any folder."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve() / "tmp/lro-clients"
    build = ["cargo", "rustc", "--quiet", "--locked", "--package", "lro-clients", "--lib", "--crate-type", "cdylib"]
    build += ["--target", GUEST_TARGET, "--profile", "guest", "--target-dir", target]
    output_of(build, cwd=ROOT, env={"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(renamed(target))})
    built = target / GUEST_TARGET / "guest/lro_clients.wasm"
    if not built.is_file():
        raise Failure(f"cannot find `{built}`, which cargo was to build")
    return built
