"""The formula of Homebrew: which archive each system takes."""

from pathlib import Path

from artefacts.packed import sha256
from artefacts.release import Release, workspace

# By Homebrew's names of systems and machines.
TARGETS = {
    ("macos", "arm"): "aarch64-apple-darwin",
    ("macos", "intel"): "x86_64-apple-darwin",
    ("linux", "arm"): "aarch64-unknown-linux-musl",
    ("linux", "intel"): "x86_64-unknown-linux-musl",
}


def build(release: Release, command: Path) -> list[Path]:
    """`lro.rb`, for the archives that are there: a release has all of them."""
    choices = [choice(release, *system, target) for system, target in TARGETS.items()]
    out = release.out / "lro.rb"
    out.write_text(formula(release, "\n".join(filter(None, choices))))
    return [out]


def choice(release: Release, system: str, machine: str, target: str) -> str:
    """The archive of one system, if it is there."""
    archive = release.out / f"lro-{release.version}-{target}.tar.gz"
    if not archive.is_file():
        return ""
    return f'''  on_{system} do
    on_{machine} do
      url "{release.url(archive.name)}"
      sha256 "{sha256(archive)}"
    end
  end
'''


def formula(release: Release, choices: str) -> str:
    """The class that Homebrew loads."""
    return f'''# Large Result Offloading. Rendered by packaging/build.
class Lro < Formula
  desc "Keeps large tool results in files and gives models a short response"
  homepage "{release.repository}"
  version "{release.version}"
  license any_of: {workspace()["license"].split(" OR ")!r}

{choices}
  def install
    bin.install "lro"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/lro.bash" => "lro"
    zsh_completion.install "completions/_lro"
    fish_completion.install "completions/lro.fish"
  end

  test do
    system bin/"lro", "--version"
    (testpath/"rows.json").write((1..3000).map {{ |id| {{ id: id }} }}.to_json)
    response = JSON.parse(shell_output("#{{bin}}/lro offload rows.json --operation rows --output-dir ."))
    assert_equal "{{\\"id\\":7}}\\n", shell_output("#{{bin}}/lro extract #{{response["file_path"]}} --query 'select(.id == 7)'")
  end
end
'''.replace("['", '["').replace("']", '"]').replace("', '", '", "')
