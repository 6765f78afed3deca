"""What several tests are given."""

from pathlib import Path

import pytest

from lro import Lro

CORPUS = Path(__file__).parents[3] / "tests" / "fixtures" / "mif-memories.json"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def corpus():
    """362 real memories as the text of a JSON array."""
    return CORPUS.read_text("utf-8")


@pytest.fixture
def lro(tmp_path):
    """The component with an output directory of its own."""
    return Lro(tmp_path / "results")
