"""The rows of embeddings.py in the real wassette: `wassette.py FOLDER TOOLS`, by the Python of embed/tools/tests.

Its tools answer a page of 8 KB, and read no further than that needs."""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

FOLDER, TOOLS = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
# The tests' own way to start it.
os.environ["LRO_TOOLS"] = str(TOOLS)
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "embed" / "tools" / "tests"))
sys.dont_write_bytecode = True

from wassette import Wassette, policy  # noqa: E402

CASES = json.loads((FOLDER / "cases.json").read_text())
PAYLOADS = {size: (FOLDER / f"{size}.json").read_text("utf-8") for size in CASES["sizes"]}


async def answer(client, tool, **arguments):
    """The text that a tool answers."""
    called = await client.call_tool(tool, arguments)
    ((case, text),) = json.loads(called.content[0].text).items()
    if called.is_error or case == "err":
        sys.exit(f"wassette.py: {tool}: {text}")
    return text


async def median(work, runs):
    """The median of some runs in milliseconds."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        await work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[1:])


class Rows:
    """The calls, and the files that they have made."""

    def __init__(self, wassette):
        self.wassette, self.files = wassette, {}

    async def open(self, _):
        async with self.wassette.client() as client:
            await self.offload(client, "small")

    async def offload(self, client, size):
        text = await answer(client, "lro-offload", payload=PAYLOADS[size], operation="recall")
        # A small one comes back as it is.
        self.files[size] = None if size == "small" else json.loads(text)["file_path"]

    async def extract(self, client, size, recipe):
        file = {"file-path": self.files[size], "next": ""}
        if recipe:
            await answer(client, "lro-recipe", recipe=recipe, params="", **file)
        else:
            await answer(client, "lro-query", filter=CASES["filter"], slurp=False, **file)


async def measure(wassette):
    rows, measured = Rows(wassette), {}
    async with wassette.client() as client:
        for row in CASES["rows"]:
            work = {
                "open": lambda: rows.open(row["size"]),
                "offload": lambda: rows.offload(client, row["size"]),
                "extract": lambda: rows.extract(client, row["size"], row.get("recipe")),
            }[row["call"]]
            measured[row["name"]] = await median(work, row["runs"])
    return measured


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder).resolve() / "results"
        results.mkdir()
        wassette = Wassette(Path(folder).resolve())
        wassette.load()
        wassette.put(policy(results))
        print(json.dumps(asyncio.run(measure(wassette))))


main()
