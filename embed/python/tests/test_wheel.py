"""The wheel as a user gets it: built, installed into an empty environment, used there without MCP packages."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

PROGRAM = """
import json, sys
from lro import Lro
with Lro(sys.argv[1]) as lro:
    answer = lro.offload([{"id": i} for i in range(3000)], operation="rows")
    print(json.dumps(lro.extract(answer.response["file_path"], query="select(.id == 2999)").results))
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_works_in_an_empty_environment(tmp_path):
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, PACKAGE)
    [wheel] = tmp_path.glob("lro_component-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"lro/lro.wasm", "lro/settings.schema.json", "lro/py.typed", "lro/fastmcp.py"} <= set(names)
    assert not [name for name in names if "test" in name]

    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
    # The one dependency comes from the lock file's environment: tests fetch nothing.
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    for name in ("wasmtime", f"wasmtime-{metadata.version('wasmtime')}.dist-info"):
        shutil.copytree(Path(sysconfig.get_path("purelib")) / name, packages / name)
    run(python, "-m", "pip", "check")
    assert run(python, "-c", PROGRAM, tmp_path / "results") == '[{"id": 2999}]\n'
