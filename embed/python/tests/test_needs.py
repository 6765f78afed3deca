"""Adapters name the package that they need, and the version."""

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"

PROGRAM = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import lro
try:
    getattr(lro, sys.argv[3])
except ImportError as error:
    print(error)
"""

OTHERS = [
    ("mcp", "mcp", "1.19.0", "`lro.mcp` needs mcp 1.20 or later, and 1.19.0 is installed: pip install -U 'mcp>=1.20'"),
    ("mcp", "mcp", "2.2.9", "`lro.mcp` needs mcp 2.3 or later, and 2.2.9 is installed: pip install -U 'mcp>=2.3'"),
    ("fastmcp", "fastmcp", "2.13.9", "`lro.fastmcp` needs fastmcp 2.14 or later, and 2.13.9 is installed: pip install"),
    ("fastmcp", "fastmcp", "4.0.1", "`lro.fastmcp` needs fastmcp 4.1 or later, and 4.0.1 is installed: pip install"),
    ("fastmcp", "fastmcp", "10.0", "`lro.fastmcp` needs fastmcp 4.1 or later, and 10.0 is installed: pip install"),
    ("langchain", "langchain", "1.3.18", "`lro.langchain` needs langchain 1.4 or later, and 1.3.18 is installed: pip"),
    ("pydantic_ai", "pydantic-ai-slim", "2.9", "`lro.pydantic_ai` needs pydantic-ai-slim 2.68 or later, and 2.9 is"),
]


@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize(("adapter", "package", "version", "message"), OTHERS)
def test_another_version_is_named(tmp_path, adapter, package, version, message, is_empty):
    """An older package may have all modules, another one lacks some."""
    if not is_empty and version == "10.0":
        pytest.skip("a later version that has everything is used")
    for name in (package, "mcp_types") if is_empty else ():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    info = tmp_path / f"{package}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(SOURCES), adapter]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.stdout.startswith(message), found.stdout + found.stderr


def test_adapters_are_reachable_from_the_package():
    program = "import lro; print(lro.mcp.offload, lro.fastmcp.LargeResultOffloading)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with pytest.raises(AttributeError, match="no attribute `other`"):
        import lro

        lro.other
