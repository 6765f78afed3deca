"""The bundle for desktop clients (`.mcpb`): the server `lro mcp` in JavaScript, which node runs on every system."""

import json
import tarfile
from pathlib import Path

from artefacts.packed import zip_file
from artefacts.release import ROOT, Release, workspace

# The package's command, by the name that npm installs it under.
BIN = "lro"


def build(release: Release, command: Path) -> list[Path]:
    """`lro-VERSION.mcpb`. The npm package has been built before."""
    folder = release.folder("bundle")
    unpacked(release.out / f"lro-component-{release.version}.tgz", folder)
    entry = Path("server") / json.loads((folder / "server/package.json").read_text())["bin"][BIN]
    (folder / "manifest.json").write_text(json.dumps(manifest(release, entry.as_posix()), indent=2) + "\n")
    return [zip_file(release.out / f"lro-{release.version}.mcpb", folder, release.epoch)]


def unpacked(package: Path, folder: Path) -> None:
    """The npm package as the folder `server`: it needs no other package."""
    with tarfile.open(package) as archive:
        archive.extractall(folder, filter="data")
    (folder / "package").rename(folder / "server")


def manifest(release: Release, entry: str) -> dict:
    """What a client needs to start the server."""
    engine = json.loads((ROOT / "embed/js/package.json").read_text())["engines"]["node"]
    return {
        "manifest_version": "0.3",
        "name": "lro",
        "display_name": "Large Result Offloading",
        "version": release.version,
        "description": "Reads and queries large tool results that were offloaded to files",
        "long_description": "Describes, extracts, reads and searches the files to which LRO offloads large results of tools. "
        "To offload the results of other servers, put `lro proxy` before them.",
        "author": {"name": "The authors of LRO", "url": release.repository},
        "repository": {"type": "git", "url": f"{release.repository}.git"},
        "license": workspace()["license"],
        "keywords": workspace()["keywords"],
        "server": {
            "type": "node",
            "entry_point": entry,
            "mcp_config": {
                "command": "node",
                "args": [f"${{__dirname}}/{entry}", "mcp", "--output-dir", "${user_config.output_dir}"],
                "env": {},
            },
        },
        "tools_generated": True,
        "user_config": {
            "output_dir": {
                "type": "directory",
                "title": "Folder of the results",
                "description": "The only folder that the server reads",
                "required": True,
            }
        },
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"node": engine}},
    }
