"""The component: as a file, and as the OCI artefact that registries, wasmCloud and wassette take."""

import hashlib
import json
from datetime import datetime, timezone
from pathlib import Path

from artefacts.archive import digest
from artefacts.packed import tar
from artefacts.programs import output_of
from artefacts.release import Release, workspace

# Of the CNCF's form of WebAssembly artefacts.
CONFIG = "application/vnd.wasm.config.v0+json"
LAYER = "application/wasm"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def build(release: Release, command: Path) -> list[Path]:
    """`lro-VERSION.wasm` with its digest, and `lro-VERSION.wasm.oci.tar`."""
    wasm = release.out / f"lro-{release.version}.wasm"
    output_of([command, "component", "--output", wasm])
    # The command writes files for their owner alone.
    wasm.chmod(0o644)
    layout = release.folder("component")
    write_layout(release, wasm.read_bytes(), layout)
    packed = release.out / f"{wasm.name}.oci.tar"
    packed.write_bytes(tar(layout, release.epoch))
    return [wasm, digest(wasm), packed]


def write_layout(release: Release, wasm: bytes, layout: Path) -> None:
    """An image layout with one artefact."""
    layer = blob(layout, LAYER, wasm) | {"annotations": {"org.opencontainers.image.title": "lro.wasm"}}
    # The interfaces are in the file itself; `component` would repeat them.
    config = blob(layout, CONFIG, as_json({
        "created": created(release), "architecture": "wasm", "os": "wasip2", "layerDigests": [layer["digest"]],
    }))
    manifest = blob(layout, MANIFEST, as_json({
        "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer], "annotations": annotations(release),
    }))
    manifest["annotations"] = {"org.opencontainers.image.ref.name": release.version}
    (layout / "index.json").write_bytes(as_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest]}))
    (layout / "oci-layout").write_bytes(as_json({"imageLayoutVersion": "1.0.0"}))


def blob(layout: Path, media_type: str, content: bytes) -> dict:
    """Writes a blob by its digest, and returns what refers to it."""
    name = hashlib.sha256(content).hexdigest()
    file = layout / "blobs/sha256" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return {"mediaType": media_type, "digest": f"sha256:{name}", "size": len(content)}


def annotations(release: Release) -> dict:
    """What registries show."""
    return {
        "org.opencontainers.image.created": created(release),
        "org.opencontainers.image.title": "lro",
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.revision": release.commit,
        "org.opencontainers.image.source": release.repository,
        "org.opencontainers.image.licenses": workspace()["license"],
    }


def created(release: Release) -> str:
    """The time of the commit."""
    return datetime.fromtimestamp(release.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def as_json(value: dict) -> bytes:
    """JSON without spaces, as its digest is taken."""
    return json.dumps(value, separators=(",", ":")).encode()
