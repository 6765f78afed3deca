"""Programs of others, run to their end."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from artefacts.failure import Failure


def output_of(command: list, cwd: Path | None = None, env: dict | None = None) -> str:
    """What a program prints. `env` is added to the environment."""
    words = [str(word) for word in command]
    # On Windows some programs are scripts, which only their whole name starts.
    words[0] = shutil.which(words[0]) or words[0]
    try:
        done = subprocess.run(words, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure(f"cannot start `{words[0]}`: it is not installed, or not on the PATH") from None
    if done.returncode != 0:
        raise Failure(f"`{shlex.join(words)}` failed with {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout
