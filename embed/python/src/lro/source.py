"""What an extraction looks at."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Content:
    """The text of an offloaded file, header line included, for those who keep it elsewhere."""

    text: str


Source = str | os.PathLike[str] | Content
"""What to look at: the `file_path` of a response, a bare file name, or the text of a file."""
