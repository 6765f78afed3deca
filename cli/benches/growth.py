"""How time and memory grow with a file: `growth.py LRO [MEGABYTES …]`, by default 6 60 600 1200 4000.

The files have real memories, each with an id of its own, below the header of an offloaded file. For each call the table has
milliseconds per MB, and the most memory of the process in MiB: the better of two runs, after one that warms the disk's cache.
A call that a limit ends has the limit's own words.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEMORIES = Path(__file__).parents[2] / "tests" / "fixtures" / "mif-memories.json"
MEGABYTE = 1_000_000
NAME = "atlatl-list-01M85XTVW00000000000000000.jsonl"

CALLS = {
    "count": ("extract", "--count"),
    "five ids": ("extract", "--query", ".id", "--limit", "5"),
    "one field, filtered": ("extract", "--where", "namespace=_semantic", "--select", "id,title"),
    "any filter": ("extract", "--query", "[.id, (.tags | length)]"),
    "sorted": ("extract", "--query", "sort_by(.created) | .[0].id", "--slurp"),
    "groups": ("extract", "--aggregate", "count", "--group-by", "namespace"),
    "search": ("search", "no such words anywhere"),
    "describe": ("describe",),
    "rebuild": ("rebuild",),
    "offload": ("offload", "--operation", "list", "--output-dir", "OUTPUT"),
}


def main():
    lro, sizes = sys.argv[1], [int(size) for size in sys.argv[2:]] or [6, 60, 600, 1200, 4000]
    memories = [json.dumps(memory, separators=(",", ":"), ensure_ascii=False) for memory in json.loads(MEMORIES.read_text())]
    print("| call |" + "".join(f" {size:,} MB |" for size in sizes))
    print("|---|" + "---:|" * len(sizes))
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        files = []
        for size in sizes:
            files.append(Path(folder) / str(size) / NAME)
            write(files[-1], memories, size * MEGABYTE)
        for name, (call, *arguments) in CALLS.items():
            output = str(Path(folder) / "output")
            given = [output if argument == "OUTPUT" else argument for argument in arguments]
            cells = [measured([lro, call, str(file), *given], file.stat().st_size, output) for file in files]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def write(file, memories, size):
    """A file of about this size. Its header says how many records it has, so it is written last, in room left for it."""
    file.parent.mkdir()
    count = written = 0
    with file.open("wb") as out:
        out.write(header(0).encode())
        while written < size:
            line = memories[count % len(memories)].replace('"id":"', f'"id":"{count}-', 1).encode() + b"\n"
            out.write(line)
            written += len(line)
            count += 1
        out.seek(0)
        out.write(header(count).encode())


def header(count):
    # It must not have expired.
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    said = {
        "type": "lro_header", "operation": "list", "query": None, "count": count, "schema_version": "1.0.0",
        "timestamp": now, "estimated_tokens": 1, "detail": "full",
    }  # fmt: skip
    return json.dumps(said, separators=(",", ":")).ljust(300) + "\n"


def measured(command, size, output):
    best = None
    for _ in range(3 if size < 100 * MEGABYTE else 2):
        shutil.rmtree(output, ignore_errors=True)
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        told = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        if status or "OffloadFailed" in told:
            return told.strip().splitlines()[-1].removeprefix("lro: ")[-120:]
        if best is None or seconds < best[0]:
            best = (seconds, usage.ru_maxrss // 1024)
    return f"{best[0] * 1000 / (size / MEGABYTE):.2f} ms, {best[1]} MiB"


if __name__ == "__main__":
    main()
