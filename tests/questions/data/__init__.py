"""The data of the questions: packages bring some of it, the rest is made here, and is the same in each run."""

from .place import Place, filled

__all__ = ["Place", "filled"]
