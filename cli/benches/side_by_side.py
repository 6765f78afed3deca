#!/usr/bin/env python3
"""Whole commands side by side: lro against jq, jaq, gojq, DuckDB and polars, as far as they are installed.

    cargo build --release
    cargo run --release -p lro-tests --bin corpus -- 100000 > corpus.json
    python3 cli/benches/side_by_side.py corpus.json [--lro PATH] [--runs N] [--detail LEVEL] [--operation NAME] [--filters FILE]
    python3 cli/benches/side_by_side.py corpus.json --tool jq-1.8=PATH --peers PYTHON --picture docs/side-by-side.svg
    python3 cli/benches/side_by_side.py access.log --operation read_log --search cli/benches/patterns.txt

Each row is a recipe: the printed shell command with each tool in jq's place, and the same recipe in the sandbox with its
limits on. With --filters, each row is a filter of a file with one a line, run on each record; `filters.txt` beside this
script has filters beyond what the recipes do. With --search, each row is a pattern of a file with one a line (`-i ` before it ignores
case): `lro search`, which prints 50 hits and counts all, against `grep -n` and `rg -n`, which print all. Commands take turns, and
each is run once before it counts; the figures are medians: seconds (their ratio to jq, or to grep), seconds of processor
time, and the peak memory. With --processor-time, ratios and picture are of that.

--tool adds a program that takes jq's arguments. --peers names an interpreter of Python that has DuckDB and polars (peers.py):
what it takes to start one and import the package, some tenths of a second, counts as the start of any command does. --picture
draws the sum of the ten recipes.
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
# Those that peers.py runs.
PEERS = ["duckdb", "polars"]


def once(command):
    """Seconds of a whole command, those of the processors, and its peak memory in MiB. What it prints is thrown away."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as sink:
        process = subprocess.Popen(command, stdout=sink, stderr=sink)
        _, _, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def medians(commands, runs):
    """Medians of what `once` measures for each command; they take turns, so that a drift hits all alike."""
    samples = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            sample = once(command)
            if turn:
                samples[name].append(sample)
    return {name: tuple(map(statistics.median, zip(*rows))) for name, rows in samples.items()}


def compared(figures, tool):
    """The seconds that are compared."""
    return figures[tool][1 if PROCESSOR_TIME in sys.argv else 0]


def cell(figures, tool, reference):
    if tool not in figures:
        return "–"
    seconds, processor, mebibytes = figures[tool]
    ratio = compared(figures, tool) / compared(figures, reference)
    return f"{seconds:.3f} s ({ratio:.2f}), {processor:.2f} s, {mebibytes:.0f} MiB"


def row(title, commands, runs, reference="jq", columns=()):
    """Measures commands, the first of which is ours, and prints them as a row of the table. Returns the figures."""
    figures = medians(commands, runs)
    cells = [cell(figures, tool, reference) for tool in columns or commands]
    print(f"| {title} | {' | '.join(cells)} |", flush=True)
    return figures


def offloaded(lro, corpus, operation, detail, folder):
    """The command that offloads the corpus into the folder, and its response."""
    command = [lro, "offload", corpus, "--operation", operation, "--threshold", "0"]
    command += ["--detail", detail] if detail else []
    command += ["--output-dir", folder]
    return command, json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def recipes(lro, tools, peers, response, folder, runs):
    """Measures the ten recipes. Returns the figures of each by its number."""
    path, rows = response["file_path"], {}
    for number, recipe in enumerate(response["jq_recipes"], 1):
        commands = {"lro": [lro, "extract", path, "--output-dir", folder, "--recipe", str(number)]}
        for tool, program in tools.items():
            commands[tool] = ["sh", "-c", recipe["command"].replace("| jq ", f"| {program} ", 1)]
        for peer in PEERS if peers else []:
            commands[peer] = [peers, os.path.join(os.path.dirname(__file__), "peers.py"), peer, str(number), path]
        rows[number] = row(f"{number} {recipe['description'].split(' (')[0]}", commands, runs)
    return rows


def picture(rows, title):
    """A bar for the sum of each tool, as an SVG that can be read on a light and on a dark page."""
    sums = {tool: sum(compared(figures, tool) for figures in rows.values()) for tool in rows[1]}
    ranked = sorted(sums.items(), key=lambda pair: pair[1])
    height, longest = 46 + 26 * len(ranked), max(sums.values())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" aria-label="{title}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#7a7f87">',
        f'<text x="10" y="22" font-size="14">{title}</text>',
    ]
    for place, (tool, seconds) in enumerate(ranked):
        top, width = 36 + 26 * place, max(2, 480 * seconds / longest)
        colour = "#2f81f7" if tool == "lro" else "#9aa1ab"
        lines.append(f'<text x="92" y="{top + 15}" text-anchor="end">{tool}</text>')
        lines.append(f'<rect x="100" y="{top}" width="{width:.1f}" height="20" rx="3" fill="{colour}"/>')
        lines.append(f'<text x="{108 + width:.1f}" y="{top + 15}">{seconds:.1f} s</text>')
    return "\n".join([*lines, "</svg>\n"])


def filters(lro, tools, response, folder, file, runs):
    """Measures the filters of a file. Returns the ratio to jq of each."""
    lines = open(file, encoding="utf-8").read().splitlines()
    path, ratios = response["file_path"], []
    for query in (line for line in lines if line and not line.startswith("#")):
        commands = {"lro": [lro, "extract", path, "--output-dir", folder, "--timeout", "60", "--query", query]}
        for tool, program in tools.items():
            commands[tool] = ["sh", "-c", f'tail -n +2 "$0" | {program} -c "$1"', path, query]
        title = query.replace("|", "\\|")
        figures = row(f"`{title}`", commands, runs)
        ratios.append(compared(figures, "lro") / compared(figures, "jq"))
    print(f"\n{len(ratios)} filters, ratio to jq: {statistics.median(ratios):.2f} at the median, {max(ratios):.2f} at worst")
    return ratios


def searches(lro, tools, response, folder, file, runs):
    """Measures the patterns of a file. Returns the figures of each."""
    rows = {}
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
        rows[line] = row(f"`{title}`", piped, runs, "grep")
    return rows


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
    parser.add_argument("--tool", action="append", default=[], metavar="NAME=PATH", help="one more that takes jq's arguments")
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter with duckdb and polars, for memories")
    parser.add_argument("--picture", metavar="FILE", help="the sum of the recipes as SVG")
    arguments = parser.parse_args()
    tools = {tool: tool for tool in ("jq", "jaq", "gojq") if shutil.which(tool)} | dict(tool.split("=", 1) for tool in arguments.tool)
    if arguments.search:
        tools = {tool: tool for tool in ("grep", "rg") if shutil.which(tool)}
    elif "jq" not in tools:
        sys.exit("side_by_side: jq is not installed; ratios are to jq (apt-get install jq)")
    with tempfile.TemporaryDirectory() as folder:
        lro, corpus = os.path.abspath(arguments.lro), arguments.corpus
        offload, response = offloaded(lro, corpus, arguments.operation, arguments.detail, folder)
        has_peers = arguments.peers and not arguments.search and not arguments.filters
        columns = ["lro", *tools, *(PEERS if has_peers else [])]
        print(f"| command | {' | '.join(columns)} |")
        print("|---" * (len(columns) + 1) + "|")
        if arguments.search:
            return searches(lro, tools, response, folder, arguments.search, arguments.runs)
        if arguments.filters:
            return filters(lro, tools, response, folder, arguments.filters, arguments.runs)
        # A text is copied as it is: jq has nothing like it.
        if response["line_schema"].get("type") != "string":
            with tempfile.TemporaryDirectory() as scratch:
                commands = {"lro": offload[:-1] + [scratch]}
                copy = {tool: ["sh", "-c", f"{program} -c '.[]' {corpus} > {scratch}/copy"] for tool, program in tools.items()}
                row("offload, against `-c '.[]'`", commands | copy, arguments.runs, columns=columns)
        rows = recipes(lro, tools, arguments.peers, response, folder, arguments.runs)
        if arguments.picture:
            megabytes = os.path.getsize(response["file_path"]) / 1e6
            measure = "Processor time" if PROCESSOR_TIME in sys.argv else "Time"
            with open(arguments.picture, "w", encoding="utf-8") as file:
                file.write(picture(rows, f"{measure} of all ten recipes on {megabytes:.0f} MB of memories"))


if __name__ == "__main__":
    main()
