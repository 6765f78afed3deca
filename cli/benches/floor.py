#!/usr/bin/env python3
"""An estimate and an offload beside the floor, which is one look at every byte of the same records.

    cargo run --release -p lro-tests --bin corpus -- 100000 > memories.json
    cargo run --release -p lro-tests --bin corpus -- 450000 rows > rows.json
    python3 cli/benches/floor.py memories.json::full rows.json:list_rows csv=rows.json:list_rows [--lro PATH] [--runs N]

Each corpus is FILE[:OPERATION[:DETAIL]]; a detail says that the records are memories. `csv=` before it writes the records of
the file as CSV first. The look is the filter `empty` on the offloaded file, in the same sandbox: it reads and checks every
byte, and prints nothing. Commands take turns, and each is run once before it counts; the figures are medians of user and
system time of all threads, since that says something on a busy machine too. Ratios are to the look.
"""

import argparse
import csv
import json
import os
import sys
import tempfile

from side_by_side import PROCESSOR_TIME, cell, medians, offloaded


def as_csv(file, folder):
    """The records of a file as CSV, in another file."""
    with open(file, encoding="utf-8") as text:
        records = json.load(text)
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(records[0])
        writer.writerows(["" if value is None else value for value in record.values()] for record in records)
    return path


def commands(lro, corpus, operation, detail, folder):
    """What is measured of a corpus, the look first."""
    offload, response = offloaded(lro, corpus, operation, detail, folder)
    flags = ["--operation", operation] + (["--detail", detail] if detail else [])
    look = [lro, "extract", response["file_path"], "--output-dir", folder, "--query", "empty"]
    return {"look": look, "estimate": [lro, "estimate", corpus, *flags], "offload": offload}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="[csv=]FILE[:OPERATION[:DETAIL]]")
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    sys.argv.append(PROCESSOR_TIME)
    print("| corpus | look | estimate | offload |\n|---|---|---|---|")
    for corpus in arguments.corpora:
        file, operation, detail = (corpus.removeprefix("csv=") + "::").split(":")[:3]
        with tempfile.TemporaryDirectory() as folder:
            if corpus.startswith("csv="):
                file = as_csv(file, folder)
            measured = commands(os.path.abspath(arguments.lro), file, operation or "recall", detail, folder)
            figures = medians(measured, arguments.runs)
            title = f"{os.path.basename(file)}, {os.path.getsize(file) / 1e6:.0f} MB"
        print(f"| {title} | " + " | ".join(cell(figures, name, "look") for name in measured) + " |", flush=True)


if __name__ == "__main__":
    main()
