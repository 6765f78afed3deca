#!/usr/bin/env python3
"""What the proxy adds to a call: the same requests to a server direct and behind `lro proxy`, taking turns.

    cargo build --release
    python3 cli/benches/proxy_overhead.py [--lro PATH] [--calls N] [--fastmcp PYTHON] [-- COMMAND ARGS...]

Without a command the server is this script, which answers at once, so that the difference is all there is. --fastmcp names
an interpreter that has FastMCP, whose proxy is measured beside ours. At the end, small calls are sent without waiting for
answers: what a proxy carries on one core is their number divided by its own processor time.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SIZES = {"small": 100, "5 KB": 5_000, "100 KB, inline": 100_000, "1 MB, offloaded": 1_000_000}
# The server that answers at once.
ANSWERS = [sys.executable, __file__, "--serve"]


def answers():
    """A server that answers a call with as many characters as it is asked for."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] != "tools/call":
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": described(message)}), flush=True)
            continue
        size = message.get("params", {}).get("arguments", {}).get("size", 0)
        text = json.dumps([{"id": n, "text": "x" * 80} for n in range(size // 100)])
        result = {"content": [{"type": "text", "text": text}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}), flush=True)


def described(message):
    """What a client asks before it calls a tool."""
    if message["method"] == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("call", "inline")]}
    if message["method"] != "initialize":
        return {}
    version = message["params"]["protocolVersion"]
    return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "sizes", "version": "1"}}


def fastmcp(command):
    """The proxy of FastMCP before a server; run by its interpreter."""
    from fastmcp.server import create_proxy

    create_proxy({"mcpServers": {"sizes": {"command": command[0], "args": command[1:]}}}).run(show_banner=False)


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.calls = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.send({"id": 0, "method": "initialize", "params": client})
        json.loads(self.process.stdout.readline())
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def carried(self, calls):
        """Small calls a second of wall time, and of the process's own processor time."""
        first = self.calls + 1
        self.calls += calls
        message = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "call", "arguments": {"size": 100}}}
        lines = b"".join((json.dumps({**message, "id": first + n}) + "\n").encode() for n in range(calls))

        def write():
            self.process.stdin.write(lines)
            self.process.stdin.flush()

        before, start = self.processor_time(), time.perf_counter()
        threading.Thread(target=write).start()
        for _ in range(calls):
            assert self.process.stdout.readline()
        wall, processor = time.perf_counter() - start, self.processor_time() - before
        return calls / wall, calls / processor

    def processor_time(self):
        """Seconds of user and system."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def call(self, tool, arguments):
        """Seconds from the request to the last byte of its answer."""
        self.calls += 1
        params = {"name": tool, "arguments": arguments}
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


def measured(lro, calls, python=None, command=ANSWERS):
    """Milliseconds of each size of a call, direct, behind our proxy and behind FastMCP's; and what each carries."""
    with tempfile.TemporaryDirectory() as results:
        flags = ["--output-dir", results, "--tool", "inline=4000000000"]
        ways = {"direct": command, "lro proxy": [lro, "proxy", *flags, "--", *command]}
        if python:
            ways["FastMCP's proxy"] = [python, __file__, "--as-fastmcp", "--", *command]
        servers, rows = {name: Server(command) for name, command in ways.items()}, {}
        for name, size in SIZES.items():
            tool = "inline" if "inline" in name else "call"
            samples = [[server.call(tool, {"size": size}) for server in servers.values()] for _ in range(calls)][10:]
            rows[name] = [statistics.median(column) * 1e3 for column in zip(*samples)]
        carried = {}
        for name, server in servers.items():
            carried[name] = server.carried(20_000 if name != "FastMCP's proxy" else 1_000)
            server.end()
        return rows, carried


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lro", default="target/release/lro")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--fastmcp", metavar="PYTHON")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--as-fastmcp", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    command = arguments.command or ANSWERS
    if arguments.serve:
        return answers()
    if arguments.as_fastmcp:
        return fastmcp(command)
    rows, carried = measured(arguments.lro, arguments.calls, arguments.fastmcp, command)
    print(f"| a call | {' | '.join(carried)} | lro adds |\n|---{'|---:' * (len(carried) + 1)}|")
    for name, times in rows.items():
        print(f"| {name} | {' | '.join(f'{one:.3f} ms' for one in times)} | {times[1] - times[0]:.3f} ms |")
    for name, (wall, processor) in carried.items():
        print(f"\n{name}: {wall:,.0f} small calls a second, {processor:,.0f} for a second of its processor time")


if __name__ == "__main__":
    main()
