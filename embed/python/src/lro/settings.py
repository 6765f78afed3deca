"""Settings from their sources: this package fetches texts and variables, the component decides what they mean."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from .checked import json_text, mapping, text
from .compiled import Compiled
from .directory import OutputDirectory
from .errors import IoFailure, Unusable
from .limits import Limits
from .sandbox import GUEST_DIRECTORY, Sandbox
from .store import ResultStore
from .stored_directory import StoredDirectory


@dataclass(frozen=True, slots=True)
class Sources:
    """Where settings come from; the later one wins, key by key."""

    file: Path | None = None
    """A TOML file whose table `[prompt.offload]` is read."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    explicit: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Settings:
    """Resolved settings and the output directory that they name."""

    def __init__(self, resolved: dict[str, Any], store: ResultStore | None = None) -> None:
        self.resolved = resolved
        given = resolved.get("output_dir")
        self.directory: OutputDirectory | StoredDirectory
        if store is None:
            self.directory = OutputDirectory(Path(given) if given else None)
        else:
            self.directory = StoredDirectory(store, str(resolved["prefix"]), float(resolved["ttl_seconds"]))

    def for_call(self, known: Mapping[str, Any]) -> Settings:
        """The same settings for one call over MCP: what is known of it is the setting `call`, but for `context_tokens`, which
        is a setting of its own."""
        settings = copy.copy(self)
        call = dict(known)
        window = {"context_tokens": call.pop("context_tokens")} if "context_tokens" in call else {}
        settings.resolved = {**self.resolved, **window, "call": call}
        return settings

    def text(self, **more: Any) -> str:
        """The settings' text for a call, with `more` of them: the directory has its name inside the sandbox, and its own
        for people."""
        own = self.resolved.get("public_dir")
        is_own = own and own != self.resolved.get("output_dir") and isinstance(self.directory, OutputDirectory)
        public = own if is_own else self.directory.public_name
        return json.dumps({**self.resolved, "public_dir": public, "output_dir": GUEST_DIRECTORY, **more})


def variables(prefix: str) -> dict[str, str]:
    """The variables of this process that may hold settings (SECTION-07)."""
    return {name: value for name, value in os.environ.items() if name.startswith(prefix)}


def resolve(compiled: Compiled, sources: Sources) -> dict[str, Any]:
    """Lets the component resolve settings; the answer is complete."""
    file_text = ""
    if sources.file is not None:
        try:
            file_text = sources.file.read_text("utf-8")
        except (OSError, UnicodeError) as error:
            raise IoFailure(f"cannot read `{sources.file}`: {error}") from error
    return resolve_text(compiled, file_text, sources.environment, sources.explicit)


def resolve_text(
    compiled: Compiled, file_text: str, environment: Mapping[str, str], explicit: Mapping[str, Any]
) -> dict[str, Any]:
    """As `resolve`, with the file's text."""
    sandbox = Sandbox("resolving the settings", Limits.resolving())
    variables = {text(name, "environment"): text(value, name) for name, value in mapping(environment, "environment").items()}
    given = json_text(mapping(explicit, "settings"), "the settings")
    arguments = (text(file_text, "file_text"), list(variables.items()), given)
    settings: Any = json.loads(sandbox.call(compiled, "configuration", "resolve", *arguments))
    if not isinstance(settings, dict):
        raise Unusable("the component resolved settings that are no object")
    return cast("dict[str, Any]", settings)
