"""What the command needs of a Linux system: nothing, or a C library of some version."""

import re
from dataclasses import dataclass
from pathlib import Path

from artefacts.programs import output_of


@dataclass(frozen=True)
class Needs:
    """What is written in the program's file."""

    is_static: bool
    # The newest version of the GNU C library that a symbol is from.
    glibc: tuple[int, int]


def needs(program: Path) -> Needs:
    """Reads what a program needs."""
    is_static = "INTERP" not in output_of(["readelf", "--program-headers", "--wide", program])
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output_of(["readelf", "--version-info", "--wide", program]))
    return Needs(is_static, max(((int(major), int(minor)) for major, minor in versions), default=(0, 0)))


def libraries(program: Path) -> list[Path]:
    """The files that a program loads on this system, with its loader."""
    return sorted({Path(found) for found in re.findall(r"(/\S+) \(0x", output_of(["ldd", program]))})
