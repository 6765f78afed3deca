"""The archive: the command, its manual pages and completions, in a folder that can be unpacked anywhere."""

from pathlib import Path

from artefacts.packed import place, sha256, tar_gz, zip_file
from artefacts.programs import output_of
from artefacts.release import ROOT, Release

SHELLS = {"bash": "lro.bash", "zsh": "_lro", "fish": "lro.fish", "powershell": "_lro.ps1"}
LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]


def build(release: Release, command: Path) -> list[Path]:
    """`lro-VERSION-TARGET.tar.gz`, for Windows a zip, and its digest in a file beside it."""
    folder = release.folder("archive")
    top = folder / f"lro-{release.version}-{release.target}"
    place(command, top / release.program)
    for file in ["README.md", "CHANGELOG.md", *LICENSES]:
        place(ROOT / file, top / file)
    completions(command, top / "completions")
    output_of([command, "man", "--output-dir", top / "man"])
    return [archive := packed(release, folder), digest(archive)]


def packed(release: Release, folder: Path) -> Path:
    """The file in the form that the system unpacks by itself."""
    if release.system == "windows":
        return zip_file(release.named(".zip"), folder, release.epoch)
    return tar_gz(release.named(".tar.gz"), folder, release.epoch)


def completions(command: Path, folder: Path) -> None:
    """What each shell needs to complete our command line."""
    folder.mkdir(parents=True)
    for shell, name in SHELLS.items():
        (folder / name).write_text(output_of([command, "completions", shell]), newline="\n")


def digest(file: Path) -> Path:
    """A line for `sha256sum --check`."""
    beside = file.with_name(f"{file.name}.sha256")
    beside.write_text(f"{sha256(file)}  {file.name}\n", newline="\n")
    return beside
