"""Every case of the project's suite on this package: the same files, the same rules."""

import json

import pytest
from scene import CASES, Scene

FILES = sorted(path for path in CASES.rglob("*.json") if path.name != "case.schema.json")
GAPS = {
    gap["case"]: gap["reason"]
    for gap in json.loads((CASES.parent / "known-gaps.json").read_text())
    if gap["case"] and gap["engine"] in (None, "python")
}


def name_of(path):
    return path.relative_to(CASES).with_suffix("").as_posix()


def test_the_suite_is_found():
    assert len(FILES) > 300


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_case(path, tmp_path):
    difference = Scene(json.loads(path.read_text("utf-8")), tmp_path).play()
    if name_of(path) in GAPS:
        assert difference, f"the gap has been closed: {GAPS[name_of(path)]}"
    else:
        assert not difference, difference
