"""Tokens counted exactly, by a component that is not in the package. The variable LRO names the command that writes it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lro import InvalidArgument, Lro

RESULT = "Exact tokens, please."


@pytest.mark.skipif("LRO" not in os.environ, reason="LRO names the command")
def test_the_component_with_the_vocabularies_counts_exactly(tmp_path: Path) -> None:
    file = tmp_path / "lro-exact.wasm"
    subprocess.run([os.environ["LRO"], "component", "--exact-tokens", "-o", file], check=True)
    with Lro(tmp_path / "results", component=file.read_bytes(), tokenizer="o200k_base") as lro:
        assert lro.estimate(RESULT, "read_file") == 5


def test_the_component_of_the_package_says_what_is_missing(tmp_path: Path) -> None:
    with Lro(tmp_path / "results", tokenizer="cl100k_base") as lro, pytest.raises(InvalidArgument) as refused:
        lro.estimate(RESULT, "read_file")
    assert "`cl100k_base`" in str(refused.value)
    assert "--exact-tokens" in str(refused.value.hint)
