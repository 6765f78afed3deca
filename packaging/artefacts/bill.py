"""The bills of materials, in CycloneDX 1.6: what is in the command, in the npm package, and what the wheel needs.

Each is read from a lock file, so that versions and digests are those of the build.
"""

import json
import re
import tomllib
import uuid
from pathlib import Path

from artefacts.component import created
from artefacts.npm import GUEST_TARGET
from artefacts.programs import output_of
from artefacts.release import ROOT, Release, workspace



def build(release: Release, command: Path) -> list[Path]:
    """`lro-VERSION-TARGET.cdx.json`, `lro-component-VERSION.npm.cdx.json` and `lro-component-VERSION.pypi.cdx.json`."""
    guest = crates("lro-guest", GUEST_TARGET)
    command = {each["bom-ref"]: each for each in crates("lro-cli", release.target) + guest}
    rust = written(release, release.named(".cdx.json"), subject(release, "lro", "cargo"), list(command.values()))
    # No package of npm is in the npm package: they are tools of its build, or the user's own.
    clients = {each["bom-ref"]: each for each in guest + crates("lro-clients", GUEST_TARGET)}
    name = f"lro-component-{release.version}"
    npm = written(release, release.out / f"{name}.npm.cdx.json", subject(release, "lro-component", "npm"), list(clients.values()))
    pypi = written(release, release.out / f"{name}.pypi.cdx.json", subject(release, "lro-component", "pypi"), guest + wheels())
    return [rust, npm, pypi]


def written(release: Release, out: Path, about: dict, components: list[dict]) -> Path:
    """Writes a bill, with a number that follows from what is in it."""
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([release.repository, release.commit, out.name, components]))
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {"timestamp": created(release), "component": about},
        "components": components,
        "dependencies": [{"ref": about["bom-ref"], "dependsOn": sorted(part["bom-ref"] for part in components)}],
    }
    out.write_text(json.dumps(bill, indent=1) + "\n")
    return out


def subject(release: Release, name: str, kind: str) -> dict:
    """What a bill is of."""
    about = part(kind, name, release.version, workspace()["license"], None)
    return about | {"type": "application" if kind == "cargo" else "library", "bom-ref": f"{kind}:{name}"}


def part(kind: str, name: str, version: str, license: str | None, digest: str | None) -> dict:
    """A package that is in the artefact."""
    address = f"pkg:{kind}/{name}@{version}"
    found = {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address}
    if digest:
        found["hashes"] = [{"alg": "SHA-256", "content": digest}]
    if license:
        # The old way of Cargo to write `OR`.
        found["licenses"] = [{"expression": license.replace("/", " OR ")}]
    return found


def crates(root: str, target: str) -> list[dict]:
    """The packages of Rust that are linked into a package of ours: neither tools of the build nor of the tests."""
    query = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    # As component/build.rs builds the guest.
    metadata = json.loads(output_of([*query, "--features", "lro-guest/exact-tokens"], cwd=ROOT))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    digests = locked()
    found = sorted((packages[key] for key in linked(root, packages, nodes)), key=lambda each: (each["name"], each["version"]))
    return [part("cargo", each["name"], each["version"], each["license"], digests.get((each["name"], each["version"]))) for each in found]


def linked(root: str, packages: dict, nodes: dict) -> set[str]:
    """All that a package links, and itself."""
    waiting = [key for key, package in packages.items() if package["name"] == root and not package["source"]]
    known = set(waiting)
    while waiting:
        new = [key for key in linked_by(nodes[waiting.pop()]) if key not in known]
        known.update(new)
        waiting += new
    return known


def linked_by(node: dict) -> list[str]:
    """The packages that a package links."""
    return [dependency["pkg"] for dependency in node["deps"] if any(kind["kind"] is None for kind in dependency["dep_kinds"])]


def locked() -> dict[tuple[str, str], str]:
    """The digests of Cargo.lock."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(each["name"], each["version"]): each["checksum"] for each in lock["package"] if "checksum" in each}


def wheels() -> list[dict]:
    """What the wheel needs beside itself, in the version that the tests have."""
    needed = tomllib.loads((ROOT / "embed/python/pyproject.toml").read_text())["project"]["dependencies"]
    names = [re.match(r"[\w.-]+", each)[0] for each in needed]
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "embed/python/requirements.txt").read_text(), re.MULTILINE))
    return [part("pypi", name, pinned[name], None, None) for name in names]
