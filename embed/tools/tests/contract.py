"""What `wit/tools.wit` says."""

import re
from pathlib import Path

SOURCE = (Path(__file__).parent.parent / "wit" / "tools.wit").read_text()


def documentation():
    """The names of the tools with the text above each."""
    found = {}
    for block, name in re.findall(r"((?:^ *///.*\n)+) *export ([a-z-]+): func", SOURCE, re.MULTILINE):
        found[name] = "\n".join(line.strip().removeprefix("///").removeprefix(" ") for line in block.splitlines())
    return found
