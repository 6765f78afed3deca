"""Puts the native command into a wheel, where the variable LRO_NATIVE names it: packaging/build does.

The wheel has then what maturin's bindings `bin` would give it: the command among its scripts, and the tag of the platform that
LRO_PLATFORM names. maturin would build the command once more, with other bytes than the other artefacts have.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeCommand(BuildHookInterface):
    """Without the variable the wheel is for all platforms, and has no command."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """What hatchling asks before it packs."""
        native = os.environ.get("LRO_NATIVE")
        if native:
            build_data["shared_scripts"][native] = os.path.basename(native)
            build_data["tag"] = f"py3-none-{os.environ['LRO_PLATFORM']}"
            build_data["pure_python"] = False
