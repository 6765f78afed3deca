"""Every case of the project's suite on this package: the same files, the same rules."""

import json

import pytest
from engine import engine
from scene import FILES, TESTS, name_of, play

GAPS = {
    gap["case"]: gap["reason"]
    for gap in json.loads((TESTS / "known-gaps.json").read_text())
    if gap["case"] and gap["engine"] in (None, "python")
}


def test_the_suite_is_found():
    assert len(FILES) > 300


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_case(path):
    play(path, engine, GAPS)
