"""Offloads a tool's result, and reads from it: python example.py RESULT.json DIRECTORY, in this folder."""

import json
import os
import sys
from pathlib import Path

import extism


def opened(directory):
    """The plug-in with the shipped manifest, for one directory, which has the same name inside."""
    manifest = json.loads(Path("manifest.json").read_text())
    manifest["allowed_paths"] = {directory: directory}
    manifest["config"]["settings"] = json.dumps({"output_dir": directory})
    return extism.Plugin(manifest, wasi=True)


def offloaded(plugin, result, operation):
    """What to return to the model in a result's place: an accident of offloading is none of the tool's."""
    try:
        answer = json.loads(plugin.call("offload", json.dumps({"payload": result, "request": {"operation": operation, "memories": True}})))
    except extism.Error as error:
        print(f"the result is passed on unchanged: {error}", file=sys.stderr)
        return result
    return answer["ok"].get("text", result)


def main(result, directory):
    os.umask(0o077)
    os.makedirs(directory, exist_ok=True)
    plugin = opened(os.path.realpath(directory))
    text = offloaded(plugin, Path(result).read_text("utf-8"), "recall")
    response = json.loads(text)
    print(f"the model reads {len(text)} characters, the result has {os.path.getsize(result)} bytes")
    print(response["file_path"])

    asked = {"source": {"file": response["file_path"]}, "request": {"recipe": 6, "limit": 3}}
    print(json.loads(plugin.call("extract", json.dumps(asked)))["ok"]["results"], end="")


main(*sys.argv[1:])
