"""Every case of the project's suite on the plug-in: the same files, the same rules."""

import json
from pathlib import Path

import pytest
from engine import engine
from scene import FILES, name_of, play

GAPS = {gap["case"]: gap["reason"] for gap in json.loads(Path(__file__).with_name("known-gaps.json").read_text())}


def test_the_suite_is_found():
    assert len(FILES) > 300
    assert set(GAPS) <= {name_of(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_case(path):
    play(path, engine, GAPS)
