#!/usr/bin/env python3
"""What the proxy adds to a call: the same requests to a server direct and behind `lro proxy`, taking turns.

    cargo build --release
    python3 cli/benches/proxy_overhead.py [--lro PATH] [--calls N] [-- COMMAND ARGS...]

Without a command the server is this script, which answers at once, so that the difference is all there is.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = {"small": 100, "5 KB": 5_000, "100 KB, inline": 100_000, "1 MB, offloaded": 1_000_000}


def answers():
    """A server that answers a call with as many characters as it is asked for."""
    for line in sys.stdin:
        message = json.loads(line)
        size = message.get("params", {}).get("arguments", {}).get("size", 0)
        text = json.dumps([{"id": n, "text": "x" * 80} for n in range(size // 100)])
        result = {"content": [{"type": "text", "text": text}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}), flush=True)


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.calls = 0

    def call(self, tool, size):
        """Seconds from the request to the last byte of its answer."""
        self.calls += 1
        params = {"name": tool, "arguments": {"size": size}}
        message = {"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params}
        line = (json.dumps(message) + "\n").encode()
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        seconds = time.perf_counter() - start
        assert json.loads(answer)["id"] == self.calls
        return seconds

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    if arguments.serve:
        return answers()
    command = arguments.command or [sys.executable, __file__, "--serve"]
    with tempfile.TemporaryDirectory() as results:
        flags = ["--output-dir", results, "--tool", "inline=4000000000"]
        direct, proxied = Server(command), Server([arguments.lro, "proxy", *flags, "--", *command])
        print("| a call | direct | proxied | added |\n|---|---|---|---|")
        for name, size in SIZES.items():
            tool = "inline" if "inline" in name else "call"
            samples = [(direct.call(tool, size), proxied.call(tool, size)) for _ in range(arguments.calls)][10:]
            plain, through = (statistics.median(column) * 1e3 for column in zip(*samples))
            print(f"| {name} | {plain:.3f} ms | {through:.3f} ms | {through - plain:.3f} ms |")
        direct.end()
        proxied.end()


if __name__ == "__main__":
    main()
