"""What an extraction looks at."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """The text of an offloaded file, including the header line, for programs that keep it elsewhere."""

    text: str


Source = str | os.PathLike[str] | Content
"""What to read: the `file_path` of a response, a bare file name, or the text of a file."""
