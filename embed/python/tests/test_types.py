"""pyright, strict, over the package and the example; `LRO_PYRIGHT` is the folder that it is installed in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif("LRO_PYRIGHT" not in os.environ, reason="LRO_PYRIGHT names pyright's folder")
def test_types_are_strict():
    script = Path(os.environ["LRO_PYRIGHT"]) / "node_modules" / "pyright" / "index.js"
    command = ["node", str(script), "--project", str(Path(__file__).parents[1]), "--pythonpath", sys.executable]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
