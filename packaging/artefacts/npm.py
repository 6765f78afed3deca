"""The npm packages: `lro-component`, which runs everywhere, and the native command for this platform."""

import json
from pathlib import Path

from artefacts.packed import place, tidy
from artefacts.platforms import PLATFORMS, platform
from artefacts.programs import output_of
from artefacts.release import ROOT, Release, workspace
from artefacts.sources import copied, packages


def portable(release: Release, command: Path) -> list[Path]:
    """`lro-component-VERSION.tgz`."""
    folder = copied(release, "npm", "embed/js") / "embed/js"
    (folder / "node_modules").symlink_to(packages("npm", "embed/js") / "node_modules")
    output_of(["node", "scripts/build.js"], cwd=folder, env={"LRO": str(command)})
    (folder / "node_modules").unlink()
    manifest = folder / "package.json"
    write(manifest, {**json.loads(manifest.read_text()), **published(release)})
    return [packed(release, folder)]


def published(release: Release) -> dict:
    """What a package says once it is published, and not in the clone: there its lock file would ask for the platforms."""
    platforms = {platform.package: release.version for platform in PLATFORMS.values()}
    return {"mcpName": release.server_name, "repository": repository(release), "optionalDependencies": platforms}


def native(release: Release, command: Path) -> list[Path]:
    """`lro-component-SYSTEM-MACHINE-VERSION.tgz`, which npm installs on this platform only."""
    here = platform(release.target)
    folder = release.folder("npm-native")
    place(command, folder / "bin" / release.program)
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        place(ROOT / name, folder / name)
    about = f"The native command of lro-component for {here.system} on {here.machine}"
    (folder / "README.md").write_text(f"# {here.package}\n\n{about}, which `npx lro-component` hands over to.\n")
    manifest = {"name": here.package, "version": release.version, "description": about, "license": workspace()["license"]}
    manifest |= {"repository": repository(release), "os": [here.system], "cpu": [here.machine], "files": ["bin", "LICENSE-*"]}
    write(folder / "package.json", {**manifest, "preferUnplugged": True})
    return [packed(release, folder)]


def repository(release: Release) -> dict:
    """The repository in npm's form."""
    return {"type": "git", "url": f"git+{release.repository}.git"}


def write(manifest: Path, content: dict) -> None:
    """Writes a package.json."""
    manifest.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def packed(release: Release, folder: Path) -> Path:
    """Packs a folder as `npm publish` does, without running anything of it."""
    tidy(folder, release.epoch)
    [packed] = json.loads(output_of(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", release.out], cwd=folder))
    return release.out / packed["filename"]
