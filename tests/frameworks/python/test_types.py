"""pyright, strict, over the adapters whose packages are installed here; `LRO_PYRIGHT` is the folder that it is in."""

import os
import subprocess
import sys
import unittest
from pathlib import Path


class Types(unittest.TestCase):
    @unittest.skipUnless("LRO_PYRIGHT" in os.environ, "LRO_PYRIGHT names pyright's folder")
    def test_types_are_strict(self):
        script = Path(os.environ["LRO_PYRIGHT"]) / "node_modules" / "pyright" / "index.js"
        command = ["node", str(script), "--project", str(Path(__file__).parent), "--pythonpath", sys.executable]
        checked = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
