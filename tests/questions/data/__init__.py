"""The data of the questions: packages bring some of it, the rest is made here, and is the same in each run."""

from .place import Place, filled

__all__ = ["Place", "filled", "most"]


def most(counts):
    """The key with the highest count, and the count. A question that has two answers is a mistake of the test."""
    (key, count), (_, next_count) = counts.most_common(2)
    assert count > next_count, f"{key} is not the only one with {count}"
    return key, count
