"""The artefacts that the suites judge: built once, from the command that the variable LRO names."""

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(os.environ["LRO"]).resolve()
# What it was built for, if that is not this system's own target.
TARGET = os.environ.get("LRO_TARGET")
# The packages of `packaging/tests/npm`.
NODE = Path(os.environ["LRO_NODE_PACKAGES"])
IMAGE = "registry.example/lro"
# Somebody may commit while the suites run.
COMMIT = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def new_folder() -> Path:
    """An empty folder that goes with this process."""
    folder = Path(tempfile.mkdtemp(prefix="lro-dist-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run(*words, cwd=None, env=None, status=0, given=None) -> str:
    """What a program prints. It has to end with a status."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, input=given, capture_output=True, text=True)
    assert done.returncode == status, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build(out: Path, environment: dict) -> None:
    """Builds everything that this system can build."""
    script = [sys.executable, ROOT / "packaging/build", "--command", COMMAND, "--out", out, "--image", IMAGE]
    script += ["--target", TARGET] if TARGET else []
    umask = ["sh", "-c", 'umask "${LRO_TEST_UMASK:-022}" && exec "$@"', "sh"]
    run(*umask, *script, cwd=new_folder(), env={**os.environ, **environment})


@functools.cache
def both() -> tuple[Path, Path]:
    """Two folders with all artefacts: the second one built elsewhere, in another time zone, by somebody whose files nobody reads."""
    folders = new_folder() / "dist", new_folder() / "elsewhere"
    environments = {}, {"TMPDIR": str(new_folder()), "TZ": "Asia/Kathmandu", "LC_ALL": "C", "LRO_TEST_UMASK": "077"}
    with ThreadPoolExecutor() as side_by_side:
        for done in [side_by_side.submit(build, *each) for each in zip(folders, environments)]:
            done.result()
    return folders


def dist() -> Path:
    """The folder with all artefacts."""
    return both()[0]


def artefact(pattern: str) -> Path:
    """The one artefact of a name."""
    [found] = dist().glob(pattern)
    return found


def manifest() -> dict:
    """What the release says of itself."""
    return json.loads(artefact("MANIFEST.json").read_text())


def version() -> str:
    """The version of the release."""
    return manifest()["version"]
