"""The reference of the command, as it explains itself: `python help.py LRO` prints a page."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

# `lro help settings` says what the page of the settings says.
TOPICS = ("exit-codes", "recipes")


def printed(lro: str, *arguments: str) -> str:
    """What the command prints for a terminal without colours, and without a home of somebody."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/home/me"}
    run = subprocess.run([lro, *arguments], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.rstrip()


def commands(overview: str) -> Iterator[str]:
    """The subcommands of an overview: words that stand alone at the left of their explanation."""
    for line in overview.splitlines():
        found = re.match(r"  ([a-z][a-z-]*)  +\S", line)
        if found:
            yield found[1]


def page(lro: str) -> str:
    overview = printed(lro, "--help")
    parts = ["# The command", "What `lro --help` prints, for each subcommand.", block(overview)]
    names = [name for name in dict.fromkeys(commands(overview)) if name != "help"]
    if len(names) < 15:
        raise SystemExit(f"`lro --help` lists only {len(names)} commands: {names}")
    parts += [f"## `lro {name}`\n\n{block(printed(lro, name, '--help'))}" for name in names]
    parts += [f"## `lro help {topic}`\n\n{block(printed(lro, 'help', topic))}" for topic in TOPICS]
    return "\n\n".join(parts) + "\n"


def block(text: str) -> str:
    return f"````text\n{text}\n````"


if __name__ == "__main__":
    print(page(sys.argv[1]), end="")
