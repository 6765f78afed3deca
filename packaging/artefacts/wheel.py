"""The wheels of `lro-component`: for any platform, and for this one with the command in it."""

from pathlib import Path

from artefacts.needs import needs
from artefacts.packed import place, tidy
from artefacts.programs import output_of
from artefacts.release import Release
from artefacts.sources import copied, packages

# Programs without a C library of the system run on all of these.
STATIC = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"
# The oldest version that wheels are tagged with.
OLDEST = (2, 17)
# The oldest systems that Rust builds for.
OTHERS = {
    "x86_64-apple-darwin": "macosx_10_12_x86_64",
    "aarch64-apple-darwin": "macosx_11_0_arm64",
    "x86_64-pc-windows-msvc": "win_amd64",
}


def portable(release: Release, command: Path) -> list[Path]:
    """`lro_component-VERSION-py3-none-any.whl`, which has no command."""
    return [wheel(release, command, "wheel", {})]


def native(release: Release, command: Path) -> list[Path]:
    """`lro_component-VERSION-py3-none-PLATFORM.whl`."""
    return [wheel(release, command, "wheel-native", {"LRO_NATIVE": str(command), "LRO_PLATFORM": tag(release, command)})]


def wheel(release: Release, command: Path, name: str, native: dict) -> Path:
    """Builds a wheel with the project's own tool."""
    tree = copied(release, name, "embed/python", "wit", "LICENSE-APACHE", "LICENSE-MIT")
    project = tree / "embed/python"
    output_of(["bash", "build.sh"], cwd=project, env={"LRO": str(command)})
    name_server(release, project)
    tidy(tree, release.epoch)
    build = [python(), "-m", "hatchling", "build", "--target", "wheel", "--directory", release.work / f"{name}-built"]
    output_of(build, cwd=project, env={**native, "SOURCE_DATE_EPOCH": str(release.epoch)})
    [built] = (release.work / f"{name}-built").glob("*.whl")
    return place(built, release.out / built.name)


def python() -> Path:
    """The interpreter that has the tools."""
    folder = packages("python", "packaging/wheel")
    return next(file for file in [folder / "bin/python", folder / "Scripts/python.exe"] if file.exists())


def name_server(release: Release, project: Path) -> None:
    """MCP's registry believes a package that is named by a server if the package names the server."""
    readme = project / "README.md"
    readme.write_text(f"{readme.read_text()}\n<!-- mcp-name: {release.server_name} -->\n")


def tag(release: Release, command: Path) -> str:
    """The platform as wheels name it, truthfully: the oldest C library that the command runs with."""
    if release.system != "linux":
        return OTHERS[release.target]
    needed = needs(command)
    if needed.is_static:
        return STATIC.format(release.machine)
    return "manylinux_{}_{}_{}".format(*max(needed.glibc, OLDEST), release.machine)
