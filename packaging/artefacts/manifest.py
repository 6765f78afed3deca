"""What a release consists of: every artefact with its digest and size, and the commit that it was built from."""

import json
from pathlib import Path

from artefacts.packed import sha256
from artefacts.release import Release

NAMES = ["MANIFEST.json", "SHA256SUMS"]


def build(release: Release, command: Path) -> list[Path]:
    """`MANIFEST.json`, and `SHA256SUMS` for `sha256sum --check`."""
    files = sorted(file for file in release.out.iterdir() if file.is_file() and file.name not in NAMES)
    entries = [{"name": file.name, "sha256": sha256(file), "size": file.stat().st_size} for file in files]
    about = {"version": release.version, "commit": release.commit, "clean": release.is_clean, "time": release.epoch}
    manifest, sums = (release.out / name for name in NAMES)
    manifest.write_text(json.dumps({**about, "artefacts": entries}, indent=2) + "\n")
    sums.write_text("".join(f"{entry['sha256']}  {entry['name']}\n" for entry in entries))
    return [manifest, sums]
