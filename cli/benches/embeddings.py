#!/usr/bin/env python3
"""What the calls cost in each embedding: a column for each, in milliseconds, medians.

    python3 cli/benches/embeddings.py memories.json --wasmtime PROGRAM --native PROGRAM --node FOLDER --python PYTHON \\
        --extism PYTHON --plugin WASM --browser PACKAGE --wassette PYTHON --tools WASM

memories.json has the records of `corpus 100000`; results of 1 MB and 20 MB are cut from it. Each flag adds a column;
those that are called alone are what the languages do without us, from the text of the result on: parse, and filter. An extraction
of ours reads the file of the offload before it, and its one page has all results.

    PROGRAM   `cargo build --release --example rows -p lro`, and the same of lro-guest
    FOLDER    where `npm install lro-component-*.tgz` was run (packaging/build makes it)
    PYTHON    one that has `lro_component-*.whl` and polars; for Extism, `extism`; for wassette, what
              embed/tools/tests/requirements.txt names
    WASM      the plug-in of embed/extism; for wassette, lro-tools.wasm of embed/tools
    PACKAGE   embed/browser after `npm ci`; the variable LRO names the command that serves its page
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DRIVERS = Path(__file__).parent / "embeddings"
FILTER = 'select(.provenance.confidence > 0.8 and any(.tags[]?; . == "cache")) | .id'
ROWS = [
    {"name": "start, and a small result", "call": "open", "size": "small", "runs": 5},
    {"name": "a small result", "call": "offload", "size": "small", "runs": 200},
    {"name": "offload 100 KB", "call": "offload", "size": "100 KB", "runs": 50},
    {"name": "offload 1 MB", "call": "offload", "size": "1 MB", "runs": 15},
    {"name": "offload 20 MB", "call": "offload", "size": "20 MB", "runs": 5},
    {"name": "recipe 1, 20 MB", "call": "extract", "size": "20 MB", "recipe": 1, "runs": 7},
    {"name": "recipe 6, 20 MB", "call": "extract", "size": "20 MB", "recipe": 6, "runs": 7},
    {"name": "recipe 8, 20 MB", "call": "extract", "size": "20 MB", "recipe": 8, "runs": 5},
    {"name": "a filter, 1 MB", "call": "extract", "size": "1 MB", "runs": 15},
    {"name": "a filter, 20 MB", "call": "extract", "size": "20 MB", "runs": 7},
]
BYTES = {"small": 2_000, "100 KB": 100_000, "1 MB": 1_000_000, "20 MB": 20_000_000}


def cut(records, size):
    """The first of the records that have so many bytes, as the text of a result."""
    texts, left = [], BYTES[size]
    for record in records:
        texts.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        left -= len(texts[-1].encode()) + 1
        if left <= 0:
            return f"[{','.join(texts)}]"
    sys.exit(f"embeddings.py: the records have fewer than {BYTES[size]} bytes; make more: `corpus 100000`")


def measured(given, records):
    """Milliseconds of each row in each column that is given, of results cut from records."""
    python, node = str(DRIVERS / "python.py"), str(DRIVERS / "node.mjs")
    with tempfile.TemporaryDirectory() as folder:
        for size in BYTES:
            Path(folder, f"{size}.json").write_text(cut(records, size), "utf-8")
        Path(folder, "cases.json").write_text(json.dumps({"rows": ROWS, "sizes": list(BYTES), "filter": FILTER}))
        columns = {
            "native": given.native and [given.native, folder],
            "wasmtime": given.wasmtime and [given.wasmtime, folder],
            "node": given.node and ["node", node, folder, given.node],
            "JavaScript alone": ["node", node, folder],
            "browser": given.browser and ["node", str(DRIVERS / "browser.mjs"), folder, given.browser],
            "Python": given.python and [given.python, python, folder, "package"],
            "Extism": given.extism and [given.extism, python, folder, "extism", given.plugin],
            "wassette": given.wassette and [given.wassette, str(DRIVERS / "wassette.py"), folder, given.tools],
            "json alone": [given.python or sys.executable, python, folder, "json"],
            "polars alone": given.python and [given.python, python, folder, "polars"],
        }
        run = lambda command: json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        return {name: run(command) for name, command in columns.items() if command}


def add_columns(parser):
    """The flag of each column."""
    for column in ("native", "wasmtime", "node", "browser", "python", "extism", "plugin", "wassette", "tools"):
        parser.add_argument(f"--{column}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records")
    add_columns(parser)
    given = parser.parse_args()
    figures = measured(given, json.loads(Path(given.records).read_text("utf-8")))
    print(f"| | {' | '.join(figures)} |\n|---|{'---:|' * len(figures)}")
    for row in ROWS:
        cells = [column.get(row["name"]) for column in figures.values()]
        print(f"| {row['name']} | {' | '.join('–' if cell is None else f'{cell:.{2 if cell < 10 else 0}f}' for cell in cells)} |")


if __name__ == "__main__":
    main()
