"""Calls per second at one and at two hosts, and how long calls take by the size of the result."""

import json
import os
import statistics
import time
from pathlib import Path

from cluster import Client

NOTES = []
ROWS = []

# A round is long enough to see hundreds of calls.
ROUND_SECONDS = 5

SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000]


def note(text):
    NOTES.append(text)


def measure(cluster, one, two, load, test):
    cluster.nats.purge("lro-acme")
    for name, hosts in (("one host", [one]), ("two hosts", [one, two])):
        running = load(test, hosts)
        processes = [host.process.process.pid for host in hosts] + [cluster.nats.server.process.pid]
        before, began = [seconds(pid) for pid in processes], time.monotonic()
        with running:
            time.sleep(ROUND_SECONDS)
        took = time.monotonic() - began
        used = [seconds(pid) - then for pid, then in zip(processes, before)]
        test.assertEqual(running.wrong, [])
        test.assertEqual(running.refused, 0)
        each = 1000 / running.calls
        note(
            f"{name}, 16 clients, 20 KB: {running.calls / took:.0f} calls a second; processor time of a call: "
            f"{sum(used[:-1]) * each:.1f} ms in the hosts, {used[-1] * each:.1f} ms in the store"
        )
    for size in SIZES:
        sized(cluster, one, two, size, test)
    for name, host in (("one", one), ("two", two)):
        note(f"most memory of host {name}: {status(host.process.process.pid, 'VmHWM')} MiB")
    note(f"most memory of the store: {status(cluster.nats.server.process.pid, 'VmHWM')} MiB")


def sized(cluster, one, two, size, test):
    """The median of several calls: offload on one host, extract a page and fetch all on the other."""
    record = {"id": 0, "state": "open", "body": "x" * 60}
    count = size // len(json.dumps(record)) + 1
    payload = json.dumps([{**record, "id": number} for number in range(count)])
    times = {"offload": [], "extract": [], "fetch": []}
    first, second = Client(one), Client(two)
    # All sizes are stored, also those below the threshold.
    settings = json.dumps({"threshold_tokens": 1, "min_saving": None})
    for _ in range(3 if size > 1_000_000 else 9):
        began = time.perf_counter()
        answer = first.offload(payload, lro_settings=settings)
        times["offload"].append(time.perf_counter() - began)
        test.assertEqual(answer.status, 201, answer.text()[:300])
        path = answer.json()["file_path"]
        began = time.perf_counter()
        answer = second.post(path, {"where": ["id<3"], "select": ["id"]})
        times["extract"].append(time.perf_counter() - began)
        test.assertEqual([record["id"] for record in answer.json()["results"]], list(range(min(3, count))))
        began = time.perf_counter()
        answer = second.get(path)
        times["fetch"].append(time.perf_counter() - began)
        test.assertGreaterEqual(len(answer.body), size // 2)
        test.assertEqual(second.ask("DELETE", path).status, 204)
    ROWS.append((len(payload), *(statistics.median(times[name]) * 1000 for name in ("offload", "extract", "fetch"))))
    cluster.nats.purge("lro-acme")


def seconds(pid):
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status(pid, name):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) // 1024
    return 0


def table():
    """Prints what was seen."""
    print("\n| result, bytes | offload, ms | extract, ms | fetch, ms |")
    print("|---|---|---|---|")
    for row in ROWS:
        print("| {:,} | {:.1f} | {:.1f} | {:.1f} |".format(*row))
    for text in NOTES:
        print(f"- {text}")
