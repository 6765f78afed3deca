"""The container image: the command, what it loads, and nothing else. Built by buildah, without a daemon and without root."""

import json
import os
from pathlib import Path

from artefacts.needs import libraries, needs
from artefacts.packed import place, tar, tidy
from artefacts.programs import output_of
from artefacts.release import ROOT, Release, workspace


def build(release: Release, command: Path) -> list[Path]:
    """`lro-VERSION-TARGET.image.tar`, an OCI archive that podman, docker and skopeo load."""
    context = release.folder("image")
    place(ROOT / "packaging/Containerfile", context / "Containerfile")
    root_file_system(context / "root", command)
    tidy(context, release.epoch)
    # Every user may have results there; the sticky bit keeps them apart.
    (context / "root/tmp").chmod(0o1777)
    (context / "root/data").chmod(0o1777)
    layout = release.work / "image-layout"
    layers(release, context, layout)
    out = release.named(".image.tar")
    out.write_bytes(tar(layout, release.epoch))
    return [out]


def root_file_system(root: Path, command: Path) -> None:
    """All files of the image."""
    place(command, root / "usr/bin/lro")
    if not needs(command).is_static:
        for library in libraries(command):
            place(library, root / library.relative_to("/"))
    for folder in ["tmp", "data"]:
        (root / folder).mkdir()


def layers(release: Release, context: Path, layout: Path) -> None:
    """Has buildah write the image into a folder: its own archives have the time of the day."""
    store = release.folder("image-store")
    name = f"localhost/lro:{release.version}"
    build = ["--isolation", "chroot", "--timestamp", release.epoch, "--arch", release.architecture, "--os", "linux"]
    for label, value in labels(release).items():
        build += ["--label", f"{label}={value}"]
    buildah(store, "build", *build, "--file", context / "Containerfile", "--tag", name, context)
    buildah(store, "push", "--format", "oci", name, f"oci:{layout}:{release.version}")
    # Which images are in the folder: one, without the time of the day.
    index = json.loads((layout / "index.json").read_text())
    (layout / "index.json").write_text(json.dumps(index, sort_keys=True, separators=(",", ":")))


def labels(release: Release) -> dict:
    """What the image says of itself; MCP's registry reads the last one."""
    return {
        "org.opencontainers.image.title": "lro",
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.revision": release.commit,
        "org.opencontainers.image.source": release.repository,
        "org.opencontainers.image.licenses": workspace()["license"],
        "io.modelcontextprotocol.server.name": release.server_name,
    }


def buildah(store: Path, verb: str, *arguments) -> None:
    """Runs buildah on a store of its own, as root of a name space where this user is not root."""
    policy = store / "policy.json"
    policy.write_text('{"default":[{"type":"insecureAcceptAnything"}]}')
    command = ["buildah", "--storage-driver", "vfs", "--root", store / "images", "--runroot", store / "run"]
    command += [verb, "--signature-policy", policy, *arguments]
    if os.getuid() != 0:
        command = ["unshare", "--user", "--map-root-user", "--mount", *command]
    output_of(command, env={"_CONTAINERS_USERNS_CONFIGURED": "1", "XDG_RUNTIME_DIR": str(store), "HOME": str(store)})
