"""`server.json`: the entry of `lro mcp` in MCP's registry, which names the packages that have it.

The server reads results that are offloaded already. The proxy before another server cannot be an entry: its command line is that of
the other server.
"""

import json
from pathlib import Path

from artefacts.failure import Failure
from artefacts.packed import sha256
from artefacts.release import Release

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
STDIO = {"type": "stdio"}
MCP = {"type": "positional", "value": "mcp"}


def build(release: Release, command: Path) -> list[Path]:
    """`server.json`. The bundle has been built before, and is named by its digest."""
    entry = {
        "$schema": SCHEMA,
        "name": release.server_name,
        "title": "Large Result Offloading",
        "description": "Reads and queries large tool results that were offloaded to files",
        "version": release.version,
        "repository": {"url": release.repository, "source": "github"},
        "packages": [npm(release), pypi(release), bundle(release), *image(release)],
    }
    out = release.out / "server.json"
    out.write_text(json.dumps(entry, indent=2) + "\n")
    return [out]


def npm(release: Release) -> dict:
    """Run by npx, natively where the platform has a package."""
    return {
        "registryType": "npm", "identifier": "lro-component", "version": release.version, "runtimeHint": "npx",
        "transport": STDIO, "packageArguments": [MCP, output_dir()],
    }


def pypi(release: Release) -> dict:
    """Run by uvx, natively: a wheel without the command says so."""
    return {
        "registryType": "pypi", "identifier": "lro-component", "version": release.version, "runtimeHint": "uvx",
        "transport": STDIO, "packageArguments": [MCP, output_dir()],
    }


def bundle(release: Release) -> dict:
    """Installed by a desktop client."""
    file = release.out / f"lro-{release.version}.mcpb"
    if not file.is_file():
        raise Failure(f"cannot register `{file.name}`: it is not in {release.out}; build the artefact `bundle` first")
    return {"registryType": "mcpb", "identifier": release.url(file.name), "fileSha256": sha256(file), "transport": STDIO}


def image(release: Release) -> list[dict]:
    """Run by docker or podman, with the folder of the results in `/data`. Only where it is known what the image is called."""
    if release.image is None:
        return []
    mount = {"type": "named", "name": "--mount", "value": "type=bind,src={output_dir},dst=/data", "variables": {"output_dir": FOLDER}}
    return [{
        "registryType": "oci", "identifier": f"{release.image}:{release.version}", "runtimeHint": "docker",
        "transport": STDIO, "runtimeArguments": [mount],
        "packageArguments": [MCP, {"type": "named", "name": "--output-dir", "value": "/data"}],
    }]


FOLDER = {"description": "The folder of the offloaded results", "format": "filepath", "isRequired": True}


def output_dir() -> dict:
    """The only folder that the server reads."""
    return {"type": "named", "name": "--output-dir", **FOLDER}
