#!/usr/bin/env python3
"""Whole commands side by side: lro against jq, jaq and gojq, as far as they are installed.

    cargo build --release
    cargo run --release -p lro-tests --bin corpus -- 100000 > corpus.json
    python3 cli/benches/side_by_side.py corpus.json [--lro PATH] [--runs N] [--detail LEVEL] [--operation NAME] [--filters FILE]
    python3 cli/benches/side_by_side.py access.log --operation read_log --search cli/benches/patterns.txt

Each row is a recipe: the printed shell command with each tool in jq's place, and the same recipe in the sandbox with its
limits on. With --filters, each row is a filter of a file with one a line, run on each record; `filters.txt` beside this
script has filters that no plan takes. With --search, each row is a pattern of a file with one a line (`-i ` before it ignores
case): `lro search`, which prints 50 hits and counts all, against `grep -n` and `rg -n`, which print all. Commands take turns, and
each is run once before it counts; the figures are medians. Ratios are to jq, or to grep.
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


PROCESSOR_TIME = "--processor-time"


def once(command):
    """Seconds of a whole command, and its peak memory in MiB. What it prints is read and thrown away."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        _, _, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if PROCESSOR_TIME in sys.argv:
        seconds = usage.ru_utime + usage.ru_stime
    return seconds, usage.ru_maxrss / 1024


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


def row(title, commands, runs, reference="jq"):
    """Measures commands, the first of which is ours, and prints them as a row of the table."""
    figures = medians(commands, runs)
    print(f"| {title} | " + " | ".join(cell(figures, tool, reference) for tool in commands) + " |", flush=True)


def offloaded(lro, corpus, operation, detail, folder):
    """The command that offloads the corpus into the folder, and its response."""
    command = [lro, "offload", corpus, "--operation", operation, "--threshold", "0"]
    command += ["--detail", detail] if detail else []
    command += ["--output-dir", folder]
    return command, json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def recipes(lro, tools, response, folder, runs):
    for number, recipe in enumerate(response["jq_recipes"], 1):
        commands = {"lro": [lro, "extract", response["file_path"], "--output-dir", folder, "--recipe", str(number)]}
        for tool in tools:
            commands[tool] = ["sh", "-c", recipe["command"].replace("| jq ", f"| {tool} ", 1)]
        row(f"{number} {recipe['description'].split(' (')[0]}", commands, runs)


def filters(lro, tools, response, folder, file, runs):
    lines = open(file, encoding="utf-8").read().splitlines()
    path = response["file_path"]
    for query in (line for line in lines if line and not line.startswith("#")):
        commands = {"lro": [lro, "extract", path, "--output-dir", folder, "--timeout", "60", "--query", query]}
        for tool in tools:
            commands[tool] = ["sh", "-c", f'tail -n +2 "$0" | {tool} -c "$1"', path, query]
        title = query.replace("|", "\\|")
        row(f"`{title}`", commands, runs)


def searches(lro, tools, response, folder, file, runs):
    path = response["file_path"]
    for line in open(file, encoding="utf-8").read().splitlines():
        if not line or line.startswith("#"):
            continue
        flags, pattern = (["-i"], line[3:]) if line.startswith("-i ") else ([], line)
        commands = {"lro": [lro, "search", path, pattern, "--output-dir", folder, *flags]}
        options = {"grep": ["-n", "-E"], "rg": ["-n"]}
        commands |= {tool: [tool, *options[tool], *flags, "-e", pattern, path] for tool in tools}
        # A grep that writes to the null device stops at the first match: all of them write to a pipe.
        piped = {name: ["sh", "-c", '"$@" 2>&1 | cat', "sh", *command] for name, command in commands.items()}
        title = line.replace("|", "\\|")
        row(f"`{title}`", piped, runs, "grep")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--operation", default="recall", help="recall gives memories, list_issues other records, read_log lines of text")
    parser.add_argument("--detail", choices=["light", "medium", "full"], help="of memories")
    parser.add_argument("--filters", metavar="FILE")
    parser.add_argument(PROCESSOR_TIME, action="store_true", help="user and system time of all processes, for a busy machine")
    parser.add_argument("--search", metavar="FILE", help="patterns, for a text")
    arguments = parser.parse_args()
    tools = [tool for tool in ("jq", "jaq", "gojq") if shutil.which(tool)]
    if arguments.search:
        tools = [tool for tool in ("grep", "rg") if shutil.which(tool)]
    elif "jq" not in tools:
        sys.exit("side_by_side: jq is not installed; ratios are to jq (apt-get install jq)")
    with tempfile.TemporaryDirectory() as folder:
        lro, corpus = os.path.abspath(arguments.lro), arguments.corpus
        offload, response = offloaded(lro, corpus, arguments.operation, arguments.detail, folder)
        print(f"| command | lro | {' | '.join(tools)} |")
        print("|---" * (len(tools) + 2) + "|")
        if arguments.search:
            return searches(lro, tools, response, folder, arguments.search, arguments.runs)
        if arguments.filters:
            return filters(lro, tools, response, folder, arguments.filters, arguments.runs)
        # A text is copied as it is: jq has nothing like it.
        if response["line_schema"].get("type") != "string":
            with tempfile.TemporaryDirectory() as scratch:
                commands = {"lro": offload[:-1] + [scratch]}
                commands |= {tool: ["sh", "-c", f"{tool} -c '.[]' {corpus} > {scratch}/copy"] for tool in tools}
                row("offload, against `-c '.[]'`", commands, arguments.runs)
        recipes(lro, tools, response, folder, arguments.runs)


if __name__ == "__main__":
    main()
