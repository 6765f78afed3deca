"""The targets that a release has, and what each is called elsewhere."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """A target by its names in npm: `process.platform` and `process.arch`."""

    system: str
    machine: str

    @property
    def name(self) -> str:
        """As embed/js/scripts/platform.js takes it."""
        return f"{self.system}-{self.machine}"


# A release has one of each; .github/workflows/release.yml builds them. A command that was built here may need the GNU C library.
PLATFORMS = {
    "x86_64-unknown-linux-musl": Platform("linux", "x64"),
    "aarch64-unknown-linux-musl": Platform("linux", "arm64"),
    "x86_64-apple-darwin": Platform("darwin", "x64"),
    "aarch64-apple-darwin": Platform("darwin", "arm64"),
    "x86_64-pc-windows-msvc": Platform("win32", "x64"),
}
ALSO_BUILT = {
    "x86_64-unknown-linux-gnu": Platform("linux", "x64"),
    "aarch64-unknown-linux-gnu": Platform("linux", "arm64"),
}


def platform(target: str) -> Platform:
    """The platform of a target."""
    return {**PLATFORMS, **ALSO_BUILT}[target]
