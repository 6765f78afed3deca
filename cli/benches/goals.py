#!/usr/bin/env python3
"""The goals of speed, each beside what this machine does, as one table.

    cargo build --release
    cargo build --release -p lro-tests --bin corpus
    python3 cli/benches/goals.py --lro target/release/lro --corpus target/release/corpus [SECTION ...]

The sections are deciding, recipes, filters, small, embeddings, proxy and text; without a name, all are measured. What
`embeddings` measures depends on its flags, which are those of embeddings.py; `text` wants rg, `recipes` and `filters` jq.
The other scripts of this folder measure each section with more rows. Without `filters` it takes four minutes.
"""

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

import embeddings
import floor
import proxy_overhead
import side_by_side
from side_by_side import medians, offloaded, once

HERE = Path(__file__).parent
# What `corpus` is asked for, with the operation and the detail of the offload.
CORPORA = {
    "memories": (["100000"], "recall", "full"),
    "issues": (["100000", "issues"], "list_issues", ""),
    "rows": (["450000", "rows"], "list_rows", ""),
    "log": (["680000", "log"], "read_log", ""),
    "half": (["50000"], "recall", "full"),
    "small": (["200"], "recall", "full"),
}
# Those that are decided and written.
LARGE = ["memories", "issues", "rows", "log", "CSV"]
# Recipes that sort.
SORTS = {8, 9}


class Table:
    """Goals, as rows of Markdown: printed when they are known."""

    def __init__(self):
        print("| what | goal, at most | here | reached |\n|---|---:|---:|---|")

    def row(self, what, most, figure, unit=""):
        digits = 0 if most >= 30 else 1 if most >= 20 else 2
        reached = "yes" if figure <= most else "no"
        print(f"| {what} | {most:.3g}{unit} | {figure:.{digits}f}{unit} | {reached} |", flush=True)


class Corpora:
    """The corpora, made when they are asked for."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __getitem__(self, name):
        file = self.folder / f"{name}.json"
        if not file.exists():
            with file.open("wb") as out:
                subprocess.run([self.program, *CORPORA[name][0]], check=True, stdout=out)
        return str(file)


def deciding(table, lro, corpora, folder):
    """Processor time beside a look at every byte, and memory beside the payload."""
    for name in LARGE:
        file = as_csv(corpora["rows"], folder) if name == "CSV" else corpora[name]
        _, operation, detail = CORPORA["rows" if name == "CSV" else name]
        with tempfile.TemporaryDirectory(dir=folder) as results:
            figures = medians(floor.commands(lro, file, operation, detail, results), 5)
        look = figures["look"][1]
        table.row(f"estimate, {name}: processor time of a look", 2.5, figures["estimate"][1] / look)
        table.row(f"offload, {name}: the same", 4, figures["offload"][1] / look)
        payload = os.path.getsize(file) / (1 << 20)
        table.row(f"offload, {name}: memory", 1.2 * payload + 32, figures["offload"][2], " MiB")


def as_csv(file, folder):
    """The same file as CSV, written by another process: what this one takes counts as the memory of those that it starts."""
    write = "import floor, sys; print(floor.as_csv(*sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", write, file, folder], check=True, stdout=subprocess.PIPE, text=True, cwd=HERE).stdout.strip()


def recipes(table, lro, corpora, folder):
    """Whole commands beside jq."""
    _, response = offloaded(lro, corpora["memories"], "recall", "full", folder)
    with redirect_stdout(io.StringIO()):
        rows = side_by_side.recipes(lro, {"jq": "jq"}, None, response, folder, 3)
    for number, figures in rows.items():
        goal = 0.06 if number in SORTS else 0.05
        table.row(f"recipe {number}: time of jq", goal, figures["lro"][0] / figures["jq"][0])


def filters(table, lro, corpora, folder):
    """Filters beyond what the recipes do, beside jq, on half as many memories."""
    _, response = offloaded(lro, corpora["half"], "recall", "full", folder)
    with redirect_stdout(io.StringIO()):
        ratios = side_by_side.filters(lro, {"jq": "jq"}, response, folder, HERE / "filters.txt", 1)
    table.row(f"{len(ratios)} filters: time of jq at the median", 0.15, statistics.median(ratios))
    table.row("the slowest of them", 0.30, max(ratios))


def small(table, lro, corpora, folder):
    """What a user waits for where there is little to do."""
    _, response = offloaded(lro, corpora["small"], "recall", "full", folder)
    path = response["file_path"]
    ours = [lro, "extract", path, "--output-dir", folder, "--recipe", "1"]
    seconds, _, mebibytes = medians({"lro": ours}, 40)["lro"]
    table.row("recipe 1 on 200 records, the whole command", 4, seconds * 1e3, " ms")
    table.row("its memory", 25, mebibytes, " MiB")
    server = proxy_overhead.Server([lro, "mcp", "--output-dir", folder])
    for number in (1, 6, 8):
        times = [server.call("lro_extract", {"file_path": path, "recipe": number}) for _ in range(110)][10:]
        table.row(f"recipe {number} on 200 records, in a warm `lro mcp`", 0.3, statistics.median(times) * 1e3, " ms")
    server.end()
    with tempfile.TemporaryDirectory() as cache:
        first, _, _ = once(["env", f"XDG_CACHE_HOME={cache}", *ours])
    table.row("the first call, with nothing in the cache", 300, first * 1e3, " ms")


def in_hosts(table, given, corpora):
    """Calls in warm processes of each host that is given."""
    figures = embeddings.measured(given, json.loads(Path(corpora["memories"]).read_text("utf-8")))
    if "wasmtime" in figures:
        table.row("a small result that stays inline, wasmtime", 0.06, figures["wasmtime"]["a small result"], " ms")
        table.row("offload 100 KB, wasmtime", 2, figures["wasmtime"]["offload 100 KB"], " ms")
    alone = {"node": "JavaScript alone", "browser": "JavaScript alone", "Python": "json alone", "Extism": "json alone"}
    for host, language in alone.items():
        for row, milliseconds in figures.get(host, {}).items():
            theirs = figures[language].get(row)
            if theirs and (row.endswith(" 1 MB") or row.endswith(" 20 MB")):
                table.row(f"{row}, {host}: time of {language}", 1, milliseconds / theirs)
    for host in ("node", "Python"):
        for row, milliseconds in figures.get(host, {}).items():
            if row.endswith(" 20 MB") and "wasmtime" in figures:
                table.row(f"{row}, {host}: time of wasmtime", 1.5, milliseconds / figures["wasmtime"][row])


def proxy(table, lro):
    """What the proxy adds to a server that answers at once."""
    rows, carried = proxy_overhead.measured(lro, 300)
    direct, ours = rows["small"]
    table.row("the proxy adds to a small call", 0.05, ours - direct, " ms")
    direct, ours = rows["1 MB, offloaded"]
    table.row("the proxy adds to 1 MB that is offloaded: time of the direct call", 0.3, ours / direct - 1)
    table.row("the proxy: processor time of a small call", 50, 1e6 / carried["lro proxy"][1], " µs")


def text(table, lro, corpora, folder):
    """Searches beside rg."""
    _, response = offloaded(lro, corpora["log"], "read_log", "", folder)
    with redirect_stdout(io.StringIO()):
        rows = side_by_side.searches(lro, {"grep": "grep", "rg": "rg"}, response, folder, HERE / "patterns.txt", 5)
    for pattern, figures in rows.items():
        is_literal = all(letter.isalnum() or letter in "- " for letter in pattern)
        title = pattern.replace("|", "\\|")
        table.row(f"search `{title}`: time of rg", 1 if is_literal else 2, figures["lro"][0] / figures["rg"][0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--corpus", default="target/release/corpus", help="the program that makes the corpora")
    embeddings.add_columns(parser)
    given = parser.parse_args()
    lro = os.path.abspath(given.lro)
    missing = [tool for tool in ("jq", "rg", "grep") if not shutil.which(tool)]
    if missing:
        sys.exit(f"goals.py: {', '.join(missing)} not installed; ratios are to them (apt-get install jq ripgrep)")
    with tempfile.TemporaryDirectory() as folder:
        corpora, table = Corpora(os.path.abspath(given.corpus), Path(folder)), Table()
        sections = {
            "deciding": lambda results: deciding(table, lro, corpora, results),
            "recipes": lambda results: recipes(table, lro, corpora, results),
            "filters": lambda results: filters(table, lro, corpora, results),
            "small": lambda results: small(table, lro, corpora, results),
            "embeddings": lambda _: in_hosts(table, given, corpora),
            "proxy": lambda _: proxy(table, lro),
            "text": lambda results: text(table, lro, corpora, results),
        }
        for name in given.sections or sections:
            with tempfile.TemporaryDirectory(dir=folder) as results:
                sections[name](results)


if __name__ == "__main__":
    main()
