#!/usr/bin/env python3
"""Whole commands side by side: lro against jq, jaq and gojq, as far as they are installed.

    cargo build --release
    cargo run --release -p lro-tests --bin corpus -- 100000 > corpus.json
    python3 host/benches/side_by_side.py corpus.json [--lro PATH] [--runs N] [--detail full]

Each row is a recipe: the printed shell command with each tool in jq's place, and the same recipe in the sandbox with its
limits on. Commands take turns, and each is run once before it counts; the figures are medians. Ratios are to jq.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def once(command):
    """Seconds of a whole command, and its peak memory in MiB. What it prints is read and thrown away."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def medians(commands, runs):
    """Medians of (seconds, MiB) for each command; they take turns, so that a drift hits all alike."""
    samples = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            sample = once(command)
            if turn:
                samples[name].append(sample)
    return {name: tuple(map(statistics.median, zip(*rows))) for name, rows in samples.items()}


def cell(figures, tool, reference):
    if tool not in figures:
        return "–"
    seconds, mebibytes = figures[tool]
    ratio = seconds / figures[reference][0]
    return f"{seconds:.3f} s ({ratio:.2f}), {mebibytes:.0f} MiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--detail", default="full")
    arguments = parser.parse_args()
    tools = [tool for tool in ("jq", "jaq", "gojq") if shutil.which(tool)]
    if "jq" not in tools:
        sys.exit("side_by_side: jq is not installed; ratios are to jq (apt-get install jq)")
    with tempfile.TemporaryDirectory() as folder:
        lro = os.path.abspath(arguments.lro)
        offload = [lro, "offload", arguments.corpus, "--operation", "recall", "--threshold", "0"]
        offload += ["--detail", arguments.detail, "--output-dir", folder]
        response = json.loads(subprocess.run(offload, check=True, capture_output=True).stdout)
        file = response["file_path"]
        print(f"| command | lro | {' | '.join(tools)} |")
        print("|---" * (len(tools) + 2) + "|")
        with tempfile.TemporaryDirectory() as scratch:
            commands = {"lro": offload[:-1] + [scratch]}
            commands |= {tool: ["sh", "-c", f"{tool} -c '.[]' {arguments.corpus} > {scratch}/copy"] for tool in tools}
            figures = medians(commands, arguments.runs)
        row = " | ".join(cell(figures, tool, "jq") for tool in ["lro", *tools])
        print(f"| offload, against `-c '.[]'` | {row} |", flush=True)
        for number, recipe in enumerate(response["jq_recipes"], 1):
            commands = {"lro": [lro, "extract", file, "--output-dir", folder, "--recipe", str(number)]}
            for tool in tools:
                commands[tool] = ["sh", "-c", recipe["command"].replace("| jq ", f"| {tool} ", 1)]
            figures = medians(commands, arguments.runs)
            row = " | ".join(cell(figures, tool, "jq") for tool in ["lro", *tools])
            description = recipe["description"].split(" (")[0]
            print(f"| {number} {description} | {row} |", flush=True)


if __name__ == "__main__":
    main()
