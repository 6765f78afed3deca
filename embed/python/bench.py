"""Speed against what a Python program would otherwise do: `json` with jq from PyPI, and a child process jq.

    PYTHONPATH=src python bench.py [RECORDS]

Prints the rows of the table in README.md, each the best of several runs. `tests/fixtures/mif-memories.json` is repeated
to the number of records that is asked for.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jq

from lro import Lro

CORPUS = Path(__file__).parents[2] / "tests" / "fixtures" / "mif-memories.json"
GROUPS = "group_by(.namespace) | map({namespace: .[0].namespace, count: length})"
SELECT = 'select(.memory_type == "episodic") | .title'


def best(work, runs):
    """Milliseconds of the fastest run."""

    def run():
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1000

    return min(run() for _ in range(runs))


def with_pypi(file, query, *, slurp):
    """What a program does with `json` and the library jq."""
    records = [json.loads(line) for line in file.open()][1:]
    program = jq.compile(query)
    if slurp:
        return program.input_value(records).all()
    return [found for record in records for found in program.input_value(record).all()]


def with_a_child(file, query, *, slurp):
    """What the response's shell command does."""
    flags = "-cs" if slurp else "-c"
    return subprocess.run(
        ["sh", "-c", 'tail -n +2 "$1" | jq "$2" "$3"', "sh", file, flags, query], capture_output=True, check=True
    ).stdout


def write_alone(text, file):
    """The least that a program would do: parse, and write one record a line."""
    with file.open("w") as stream:
        for record in json.loads(text):
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def main():
    memories = json.loads(CORPUS.read_text("utf-8"))
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else len(memories)
    text = json.dumps((memories * (wanted // len(memories) + 1))[:wanted], ensure_ascii=False)
    runs = 20 if wanted < 5000 else 3
    print(f"{wanted} memories, {len(text.encode()) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        Lro(folder, compiled_cache=False).ready()
        compiled = (time.perf_counter() - start) * 1000
        Lro(folder).ready()
        opened = best(lambda: subprocess.run([sys.executable, "-c", OPEN, folder], check=True), 5)
        bare = best(lambda: subprocess.run([sys.executable, "-c", "import wasmtime"], check=True), 5)
        print(f"compiling, once on a machine: {compiled:.0f} ms")
        print(f"a new process that opens and estimates: {opened:.0f} ms, of which starting Python and wasmtime {bare:.0f}")

        lro = Lro(folder)
        file = lro.output_dir / lro.offload(text, "recall").file_name
        row("offload", best(lambda: lro.offload(text, "recall"), runs), best(lambda: write_alone(text, file.parent / "x"), runs))
        for name, query, slurp in (("select and project", SELECT, False), ("group and count", GROUPS, True)):
            ours = best(lambda: lro.extract(file, query=query, slurp=slurp), runs)
            theirs = [best(lambda: way(file, query, slurp=slurp), runs) for way in (with_pypi, with_a_child)]
            row(name, ours, *theirs)
        row("estimate", best(lambda: lro.estimate(text, "recall"), runs), best(lambda: len(text) / 4, runs))


OPEN = "import sys; from lro import Lro; Lro(sys.argv[1]).estimate([1])"


def row(name, *milliseconds):
    print(f"| {name} | " + " | ".join(f"{one:.1f} ms" for one in milliseconds) + " |")


if __name__ == "__main__":
    main()
