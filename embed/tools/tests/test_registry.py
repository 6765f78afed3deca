"""The file as an OCI artefact: pushed and pulled with wasmCloud's shell, loaded by wassette, and what both read in it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from contract import documentation
from registry import registry
from wassette import TOOLS, Wassette

NAME, VERSION = "lro/lro-tools", "0.1.0"


def wash(*arguments):
    """What wasmCloud's shell prints."""
    program = Path(sys.executable).with_name("wash")
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: {done.stderr}")
    return done.stdout


class Artefact(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def test_it_says_what_it_is(self):
        world = wash("inspect", str(TOOLS))
        for name, text in documentation().items():
            comment = "\n".join(f"  /// {line}".rstrip() for line in text.splitlines())
            self.assertIn(f"{comment}\n  export {name}: func(", world)
        self.assertEqual(world.count("\n  export "), len(documentation()))

    def test_a_registry_gives_back_what_was_pushed(self):
        with registry(self.folder) as served:
            reference, pulled = f"{served.address}/{NAME}:{VERSION}", self.folder / "pulled.wasm"
            wash("oci", "push", "--ca-path", served.certificate, reference, str(TOOLS))
            wash("oci", "pull", "--ca-path", served.certificate, reference, str(pulled))
            self.assertEqual(pulled.read_bytes(), TOOLS.read_bytes())

            annotations = served.manifest(NAME, VERSION)["annotations"]
            said = {name.removeprefix("org.opencontainers.image."): text for name, text in annotations.items()}
            self.assertEqual((said["title"], said["version"]), ("lro-tools", VERSION))
            self.assertEqual(said["licenses"], "MIT OR Apache-2.0")
            self.assertIn("Large Result Offloading", said["description"])

            wassette = Wassette(self.folder)
            loaded = wassette.run("component", "load", f"oci://{reference}", SSL_CERT_FILE=served.certificate)
            self.assertEqual(loaded["tools"], list(documentation()))


if __name__ == "__main__":
    unittest.main()
