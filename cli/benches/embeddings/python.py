"""The rows of embeddings.py in Python: `python.py FOLDER package|json|polars|extism [PLUGIN]`."""

import io
import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

FOLDER = Path(sys.argv[1])
CASES = json.loads((FOLDER / "cases.json").read_text())
PAYLOADS = {size: (FOLDER / f"{size}.json").read_text("utf-8") for size in CASES["sizes"]}
# A page holds all results.
WHOLE = {"limit": 1_000_000, "max_bytes": 256 << 20}


def median(work, runs):
    """The median of some runs in milliseconds."""

    def once():
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1000

    once()
    return statistics.median(once() for _ in range(runs))


class Package:
    """The package `lro-component`, on wasmtime."""

    def __init__(self):
        self.lro = self.opened()
        self.files = {}

    def opened(self):
        from lro import Lro

        return Lro(FOLDER / "results")

    def open(self, _):
        self.opened().offload(PAYLOADS["small"], "recall")

    def offload(self, size):
        answer = self.lro.offload(PAYLOADS[size], "recall", detail="full")
        self.files[size] = getattr(answer, "file_name", None)

    def extract(self, size, **what):
        self.lro.extract(self.lro.output_dir / self.files[size], **WHOLE, **what)


class Plugin:
    """The plug-in in Extism's SDK for Python."""

    def __init__(self):
        import extism

        self.extism = extism
        self.plugin = self.opened()
        self.files = {}

    def opened(self):
        results = str(FOLDER / "results")
        Path(results).mkdir(exist_ok=True)
        return self.extism.Plugin(
            {
                "wasm": [{"path": sys.argv[3]}],
                "allowed_paths": {results: results},
                "config": {"settings": json.dumps({"output_dir": results})},
                "memory": {"max_pages": 16384},
                "timeout_ms": 60_000,
            },
            wasi=True,
        )

    def call(self, plugin, function, **given):
        answer = json.loads(plugin.call(function, json.dumps(given, ensure_ascii=False)))
        return answer["ok"]

    def open(self, _):
        self.call(self.opened(), "offload", payload=PAYLOADS["small"], request={"operation": "recall"})

    def offload(self, size):
        request = {"operation": "recall", "detail": "full"}
        self.files[size] = self.call(self.plugin, "offload", payload=PAYLOADS[size], request=request).get("file_name")

    def extract(self, size, **what):
        self.call(self.plugin, "extract", source={"file": self.files[size]}, request={**WHOLE, **what})


class Json:
    """What a program does with the module `json`."""

    def offload(self, size):
        "\n".join(json.dumps(record, ensure_ascii=False) for record in json.loads(PAYLOADS[size]))

    def extract(self, size, recipe=None, **_):
        records = json.loads(PAYLOADS[size])
        match recipe:
            case 1:
                [f"{record.get('title')}\t{record.get('namespace')}" for record in records]
            case 6:
                Counter(record.get("namespace") for record in records)
            case 8:
                ranked = sorted(records, key=lambda one: one.get("created", ""), reverse=True)
                [json.dumps(record, ensure_ascii=False) for record in ranked]
            case None:
                [one["id"] for one in records if confident(one) and "cache" in one.get("tags", ())]


def confident(record):
    return record.get("provenance", {}).get("confidence", 0) > 0.8


class Polars:
    """The same with polars."""

    def extract(self, size, recipe=None, **_):
        import polars as pl

        frame = pl.read_json(io.StringIO(PAYLOADS[size]))
        match recipe:
            case 1:
                frame.select("title", "namespace").write_csv(separator="\t", include_header=False)
            case 6:
                frame.group_by("namespace").len().write_ndjson()
            case 8:
                frame.sort("created", descending=True).write_ndjson()
            case None:
                wanted = (pl.col("provenance").struct.field("confidence") > 0.8) & pl.col("tags").list.contains("cache")
                frame.filter(wanted).select("id").write_ndjson()


def main():
    way = {"package": Package, "extism": Plugin, "json": Json, "polars": Polars}[sys.argv[2]]()
    measured = {}
    for row in CASES["rows"]:
        call = getattr(way, row["call"], None)
        if call is None:
            continue
        what = {"recipe": row["recipe"]} if row.get("recipe") else {"query": CASES["filter"]} if row["call"] == "extract" else {}
        measured[row["name"]] = median(lambda: call(row["size"], **what), row["runs"])
    print(json.dumps(measured))


main()
