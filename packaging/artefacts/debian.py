"""The package for Debian and what is made of it."""

import gzip
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

from artefacts.archive import completions
from artefacts.needs import needs
from artefacts.packed import below, place, tidy
from artefacts.programs import output_of
from artefacts.release import ROOT, Release, workspace

# Where Debian wants them, by the names of the archive.
COMPLETIONS = {
    "lro.bash": "usr/share/bash-completion/completions/lro",
    "_lro": "usr/share/zsh/vendor-completions/_lro",
    "lro.fish": "usr/share/fish/vendor_completions.d/lro.fish",
}
# Of the package: the first one of each version.
REVISION = 1
DESCRIPTION = """Large Result Offloading: large results of tools go to files
 The command keeps a tool result that is too large for a language model in a
 file, and gives the model a short response instead: what is in the file, and
 how to get at it. It works in a shell, as a hook of agents, as an MCP server,
 and as a proxy before one."""


def build(release: Release, command: Path) -> list[Path]:
    """`lro_VERSION-1_ARCHITECTURE.deb`."""
    tree = release.folder("debian") / "tree"
    place(command, tree / "usr/bin/lro")
    documents(release, tree / "usr/share/doc/lro")
    manual(command, tree / "usr/share/man/man1")
    completions(command, release.work / "debian/completions")
    for name, to in COMPLETIONS.items():
        place(release.work / "debian/completions" / name, tree / to)
    control(release, command, tree)
    tidy(tree, release.epoch)
    out = release.out / f"lro_{release.version}-{REVISION}_{release.architecture}.deb"
    options = ["--root-owner-group", "-Zgzip", "-z6"]
    output_of(["dpkg-deb", *options, "--build", tree, out], env={"SOURCE_DATE_EPOCH": str(release.epoch)})
    return [out]


def documents(release: Release, folder: Path) -> None:
    """Licences and changes."""
    licenses = {name: (ROOT / f"LICENSE-{name}").read_text().strip() for name in ["MIT", "APACHE"]}
    folder.mkdir(parents=True)
    (folder / "copyright").write_text(f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lro
Source: {release.repository}

Files: *
Copyright: the authors of LRO
License: {workspace()["license"].replace("OR", "or")}

License: MIT
{indented(licenses["MIT"])}

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
""")
    compressed(folder / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    compressed(folder / "changelog.Debian.gz", changes(release).encode())


def changes(release: Release) -> str:
    """The changes of the package itself, in Debian's form."""
    date = format_datetime(datetime.fromtimestamp(release.epoch, timezone.utc))
    return f"""lro ({release.version}-{REVISION}) unstable; urgency=medium

  * Release {release.version}: changelog.gz says what is new.

 -- {release.author}  {date}
"""


def indented(text: str) -> str:
    """A text as the value of a field: an empty line is a dot."""
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.splitlines())


def manual(command: Path, folder: Path) -> None:
    """The manual pages, compressed as Debian has them."""
    output_of([command, "man", "--output-dir", folder])
    for page in sorted(folder.iterdir()):
        compressed(page.with_name(f"{page.name}.gz"), page.read_bytes())
        page.unlink()


def compressed(file: Path, content: bytes) -> None:
    """A file of gzip, without a name or a time of its own."""
    file.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def control(release: Release, command: Path, tree: Path) -> None:
    """What the package says of itself, and the digests of its files."""
    files = [path for path in below(tree) if path.is_file()]
    needed = needs(command)
    depends = "" if needed.is_static else f"Depends: libc6 (>= {needed.glibc[0]}.{needed.glibc[1]}), libgcc-s1\n"
    size = sum(-(-file.stat().st_size // 1024) for file in files)
    digests = [f"{output_of(['md5sum', file]).split()[0]}  {file.relative_to(tree)}\n" for file in files]
    folder = tree / "DEBIAN"
    folder.mkdir()
    (folder / "md5sums").write_text("".join(digests))
    (folder / "control").write_text(f"""Package: lro
Version: {release.version}-{REVISION}
Architecture: {release.architecture}
Maintainer: {release.author}
Installed-Size: {size}
{depends}Section: utils
Priority: optional
Homepage: {release.repository}
Description: {DESCRIPTION}
""")
