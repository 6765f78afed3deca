"""The component: the file, and the artefact that a registry takes and gives back."""

import hashlib
import json
import tarfile
import unittest
from pathlib import Path

from built import COMMAND, artefact, dist, run, version
from empty import Empty


class Component(unittest.TestCase):
    def setUp(self):
        self.wasm = artefact(f"lro-{version()}.wasm")
        self.layout = artefact(f"lro-{version()}.wasm.oci.tar")

    def test_it_is_the_one_of_the_command(self):
        empty = Empty()
        empty.run(COMMAND, "component", "--output", "lro.wasm")
        self.assertEqual((empty.folder / "lro.wasm").read_bytes(), self.wasm.read_bytes())
        self.assertIn("OK", run("sha256sum", "--check", f"{self.wasm.name}.sha256", cwd=dist()))

    def test_the_command_has_it_once(self):
        self.assertEqual(Path(COMMAND).read_bytes().count(self.wasm.read_bytes()), 1)

    def test_the_artefact_is_whole(self):
        """Every blob is what its name says, and the layer is the file."""
        with tarfile.open(self.layout) as archive:
            files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}
        for name, content in files.items():
            if name.startswith("blobs/"):
                self.assertEqual(name, f"blobs/sha256/{hashlib.sha256(content).hexdigest()}")
        blob = lambda described: files[f"blobs/{described['digest'].replace(':', '/')}"]
        manifest = json.loads(blob(json.loads(files["index.json"])["manifests"][0]))
        self.assertEqual(blob(manifest["layers"][0]), self.wasm.read_bytes())
        self.assertEqual(json.loads(blob(manifest["config"]))["layerDigests"], [manifest["layers"][0]["digest"]])
