"""The plug-in in Extism's runtime for Python; every input that is understood and every output is held against the schema.

`LRO_PLUGIN` names the built plug-in, else it is the one that `cargo build --release` leaves in this folder.
"""

import json
import os
from pathlib import Path

import extism
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

PACKAGE = Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parents[1]
MANIFEST = json.loads((PACKAGE / "manifest.json").read_text())
SCHEMA = PACKAGE / "plugin.schema.json"
WASM = os.environ.get("LRO_PLUGIN") or str(PACKAGE / MANIFEST["wasm"][0]["path"])


def _retrieve(uri):
    return Resource.from_contents(json.loads(Path(uri.removeprefix("file://")).read_text()))


_REGISTRY = Registry(retrieve=_retrieve)


def validator(function, what):
    """Of the input or the output of a function."""
    pointer = f"{SCHEMA.as_uri()}#/properties/{function}/properties/{what}"
    return Draft202012Validator({"$ref": pointer}, registry=_REGISTRY)


class Plugin:
    """The plug-in with the shipped manifest, but for the directories that it is granted and limits of a test.

    A directory has the same name inside, so paths mean the same; `ro:` in front of one grants it for reading alone.
    """

    def __init__(self, *granted, settings=None, **manifest):
        paths = {str(path): str(path).removeprefix("ro:") for path in granted}
        config = {"settings": json.dumps(settings or {})}
        given = {**MANIFEST, "wasm": [{"path": WASM}], "allowed_paths": paths, "config": config, **manifest}
        self._plugin = extism.Plugin(given, wasi=True)

    def call(self, function, **given):
        """The answer of a function: `{"ok": …}` or `{"error": …}`."""
        answer = json.loads(self._plugin.call(function, json.dumps(given)))
        validator(function, "output").validate(answer)
        if answer.get("error", {}).get("case") != "invalid-argument":
            validator(function, "input").validate(given)
        return answer

    def ok(self, function, **given):
        """The answer of a function that has one."""
        answer = self.call(function, **given)
        assert "ok" in answer, answer
        return answer["ok"]

    def error(self, function, **given):
        """The error of a function that has none."""
        answer = self.call(function, **given)
        assert "error" in answer, answer
        return answer["error"]
