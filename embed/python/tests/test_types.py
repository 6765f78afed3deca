"""pyright, strict, over the package, the example and the README's programs; `LRO_PYRIGHT` is the folder that it is installed
in."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]

# What the README's programs have from their surroundings.
AROUND = """
from typing import Any
records: list[dict[str, Any]] = []
objects: list[dict[str, Any]] = []
def send_to_model(result: object) -> None: ...
"""

OUTCOMES = """
from typing import Any, assert_never, assert_type
from lro import Inline, Lro, Offloaded, Offloading, Truncated, Unchanged

def looked_at(answer: Offloading) -> None:
    match answer.outcome:
        case "unchanged":
            assert_type(answer, Unchanged)
            assert_type(answer.response, None)
        case "inline":
            assert_type(answer, Inline)
            assert_type(answer.result, str)
        case "offloaded":
            assert_type(answer, Offloaded)
            assert_type(answer.file_name, str)
            assert_type(answer.response, dict[str, Any])
        case "truncated":
            assert_type(answer, Truncated)
            assert_type(answer.file_name, None)
        case _:
            assert_never(answer)

def found(large: Lro) -> str | None:
    answer = large.offload([1])
    with large.session("job-7") as session:
        looked_at(session.offload([1]))
    assert isinstance(answer, Offloading)
    return answer.response["file_path"] if answer.response else answer.file_name

async def later(large: Lro) -> str:
    answer = await large.aoffload([1])
    return answer.text if isinstance(answer, Unchanged) else answer.outcome
"""

pytestmark = pytest.mark.skipif("LRO_PYRIGHT" not in os.environ, reason="LRO_PYRIGHT names pyright's folder")


def checked(project):
    """Nothing where all types fit, otherwise what pyright says."""
    script = Path(os.environ["LRO_PYRIGHT"]) / "node_modules" / "pyright" / "index.js"
    command = ["node", str(script), "--project", str(project), "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def test_types_are_strict():
    assert checked(PACKAGE) == ""


def test_programs_need_no_casts(tmp_path):
    examples = re.findall(r"^```python\n(.*?)^```", (PACKAGE / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    programs = [AROUND + example for example in examples if "Lro(" in example]
    assert len(programs) == 3
    for number, program in enumerate([OUTCOMES, *programs]):
        (tmp_path / f"program{number}.py").write_text(program)
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(PACKAGE / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    assert checked(tmp_path) == ""
