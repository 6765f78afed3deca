"""How long calls take in a warm plug-in: `LRO_PLUGIN=… python bench.py`, with the packages of `tests/python`.

Records are the 362 real memories of the fixtures, repeated up to 500; a payload is given as JSON, not as its text.
"""

import itertools
import json
import os
import tempfile
import time
from pathlib import Path

import extism

PACKAGE = Path(__file__).parent
CORPUS = json.loads((PACKAGE / "../../tests/fixtures/mif-memories.json").read_text("utf-8"))
MANIFEST = json.loads((PACKAGE / "manifest.json").read_text())
ROUNDS = 30


def best(call):
    """The best time of several, in milliseconds."""

    def once():
        before = time.perf_counter()
        call()
        return time.perf_counter() - before

    return min(once() for _ in range(ROUNDS)) * 1e3


def report(what, milliseconds):
    print(f"{what:<44}{milliseconds:8.2f} ms")


def main(wasm):
    with tempfile.TemporaryDirectory() as directory:
        config = {"settings": json.dumps({"output_dir": directory})}
        manifest = {**MANIFEST, "wasm": [{"path": wasm}], "allowed_paths": {directory: directory}, "config": config}
        before = time.perf_counter()
        plugin = extism.Plugin(manifest, wasi=True)
        report("load", (time.perf_counter() - before) * 1e3)

        def measured(what, function, **given):
            text = json.dumps(given, ensure_ascii=False)
            report(what, best(lambda: plugin.call(function, text)))
            return json.loads(plugin.call(function, text))["ok"]

        records = list(itertools.islice(itertools.cycle(CORPUS), 500))
        for level in (None, "light"):
            request = {"operation": "recall", "detail": level}
            done = measured(f"offload 500 memories, {level or 'as given'}", "offload", payload=records, request=request)
            source = {"file": done["file_name"]}
            for recipe in (1, 6):
                measured(f"  recipe {recipe}", "extract", source=source, request={"recipe": recipe})


main(os.environ.get("LRO_PLUGIN") or str(PACKAGE / MANIFEST["wasm"][0]["path"]))
