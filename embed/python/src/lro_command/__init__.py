"""`lro-component`: hands its command line to the native command `lro`, which wheels for a platform have.

`uvx lro-component mcp` and MCP's registry start a package by its own name. It is a package of its own, since importing `lro` loads
the runtime of the component.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

PROGRAM = "lro.exe" if sys.platform == "win32" else "lro"


def main() -> None:
    """Ends as the native command ends."""
    command = Path(sysconfig.get_path("scripts")) / PROGRAM
    if not command.is_file():
        sys.exit(missing(sysconfig.get_platform()))
    words = [str(command), *sys.argv[1:]]
    if sys.platform == "win32":
        # There a process cannot become another one.
        sys.exit(subprocess.run(words).returncode)
    os.execv(command, words)


def missing(platform: str) -> str:
    """What somebody reads whose platform has no wheel of its own."""
    return (
        f"lro-component: cannot start `lro`: this wheel has no native command, because there is none for {platform} "
        "(`npx lro-component` runs the command in JavaScript; `cargo install` builds it)"
    )
