"""The plug-in as an adapter of `lro conformance --engine`: a call a line, a reply a line (docs/CONFORMANCE.md). One
instance serves all calls of a case; it is granted the directory of the case and no other."""

import json
import sys
from contextlib import nullcontext
from functools import lru_cache

from full_disk import full_disk
from plugin import Plugin


# The name that the contract has is taken in a core module.
NAMES = {"read": "read_passage"}


@lru_cache(maxsize=1)
def opened(directory, access):
    granted = {"missing": [], "read-only": [f"ro:{directory}"]}.get(access, [directory])
    # What `resolve` returns is compared with what a host without a manifest's settings gets.
    return Plugin(*granted, settings={"output_dir": directory}) if directory else Plugin()


def reply(call, directory="", access="missing", **given):
    if call == "hello":
        return {"answer": {"name": "extism-python"}}
    plugin = opened(directory, access)
    with full_disk() if access == "full" else nullcontext():
        found = plugin.call(NAMES.get(call, call.removeprefix("mcp-").replace("-", "_")), **given)
    return {"answer": found["ok"]} if "ok" in found else {"error": found["error"]}


for line in sys.stdin:
    asked = json.loads(line)
    number = asked.pop("id")
    try:
        found = reply(**asked)
    except Exception as error:
        found = {"trap": repr(error)}
    print(json.dumps({"id": number, **found}), flush=True)
