"""Asks all questions of `servers` to real servers behind the proxy: see README.md."""

import argparse
import asyncio
import functools
import http.server
import json
import os
import sys
import tempfile
import threading
import traceback
from pathlib import Path

from asking import judge, report, talk
from data import Place, filled
from servers import every

HERE = Path(__file__).resolve().parent

#: Servers that run side by side: each is a process that starts, answers, and waits for its proxy.
SIDE_BY_SIDE = 3


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="lro-questions-") as folder:
        place = Place(Path(folder).resolve(), options.npm, options.python, options.python1)
        filled(place)
        with served(place.folder / "web") as place.web:
            wanted = [server for server in every(place) if options.only in (None, server.name)]
            verdicts, broken = asyncio.run(asked(options, place, wanted))
    return finish(options, verdicts, broken)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--show", metavar="ROW", help="print the whole conversation of one row, as `filesystem/airports-in-texas`"
    )
    parser.add_argument("--only", metavar="SERVER", help="ask one server")
    for name, variable in (
        ("lro", "LRO"),
        ("npm", "LRO_QUESTIONS_NPM"),
        ("python", "LRO_QUESTIONS_PYTHON"),
        ("python1", "LRO_QUESTIONS_PYTHON1"),
    ):
        parser.add_argument(
            f"--{name}", type=Path, default=os.environ.get(variable), required=variable not in os.environ
        )
    options = parser.parse_args()
    if options.show:
        options.only = options.show.split("/")[0]
    return options


class served:
    """The pages of a folder on a port of this machine, as long as the context lasts; its value is their address."""

    def __init__(self, folder):
        handler = functools.partial(Silent, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


async def asked(options, place, servers):
    """All verdicts, and what kept servers from being asked."""
    turn = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(server):
        async with turn:
            try:
                return await conversation(options, place, server), None
            except Exception:
                log = place.folder / f"{server.name}.log"
                said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                return [], f"{server.name} cannot be asked:\n{traceback.format_exc()}\n{said}"

    pairs = await asyncio.gather(*map(one, servers))
    return [verdict for verdicts, _ in pairs for verdict in verdicts], [error for _, error in pairs if error]


async def conversation(options, place, server):
    """Asks one server everything, in order."""
    verdicts = []
    async with talk.opened(options.lro, server, place.folder) as said:
        for result in server.results:
            opening = await said.call(result.tool, result.arguments)
            for row in result.rows:
                verdicts.append(await judge.judged(said, server.name, opening, row))
    return verdicts


def finish(options, verdicts, broken):
    """Prints what was found; the status of the process."""
    if options.show:
        for verdict in verdicts:
            if verdict.name == options.show:
                print(report.told(verdict, 1_000_000))
                return 0
        print(f"no row is called `{options.show}`; there are:", *(verdict.name for verdict in verdicts), sep="\n  ")
        return 2
    gaps = json.loads((HERE / "gaps.json").read_text(encoding="utf-8"))
    if options.only:
        gaps = {name: reason for name, reason in gaps.items() if name.startswith(f"{options.only}/")}
    for verdict in verdicts:
        if verdict.reason and verdict.name not in gaps:
            print(report.told(verdict, 1200), end="\n\n")
    print(*broken, sep="\n", end="\n" if broken else "")
    table = report.table(verdicts)
    closing, passes = report.closing(verdicts, gaps)
    print(table)
    if os.environ.get("BLESS") and not options.only:
        (HERE / "RESULTS.md").write_text(f"{report.MEANING}\n{table}", encoding="utf-8")
    print(closing)
    return 0 if passes and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
