"""A client of a server behind the proxy, and a conversation with it that is written down."""

import json
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from mcp import Client, StdioServerParameters

#: Runs a command whose standard error goes to a file, for the case that it does not start.
QUIET = 'log="$1"; shift; exec "$@" 2>"$log"'

#: Seconds for a call; the tests may share the machine.
PATIENCE = 120


@dataclass
class Reply:
    """What came back from a call."""

    text: str
    structured: dict
    failed: bool

    @property
    def remarks(self):
        """What is said about an answer beside it."""
        failures = [
            failure.get("message", "") + " " + failure.get("hint", "")
            for failure in self.structured.get("failures", [])
        ]
        return [*self.structured.get("remarks", []), *failures]


@dataclass
class Turn:
    """A call and its reply."""

    tool: str
    arguments: dict
    reply: Reply


@dataclass
class Talk:
    """A conversation with one server."""

    client: Client
    #: What the names of our tools begin with.
    prefix: str = "lro_"
    turns: list = field(default_factory=list)

    async def call(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments, read_timeout_seconds=PATIENCE)
        text = "".join(getattr(block, "text", "") for block in result.content)
        structured = result.structured_content if isinstance(result.structured_content, dict) else {}
        turn = Turn(tool, arguments, Reply(text, structured, bool(result.is_error)))
        self.turns.append(turn)
        return turn


@asynccontextmanager
async def opened(lro, server, folder):
    """A conversation with a server behind the proxy, whose files go below the folder."""
    results, log = folder / f"results-{server.name}", folder / f"{server.name}.log"
    results.mkdir()
    proxied = [str(lro), "proxy", "--output-dir", str(results), "--", *map(str, server.command)]
    parameters = StdioServerParameters(
        command="sh", args=["-c", QUIET, "sh", str(log), *proxied], env={**os.environ, **server.env}
    )
    async with Client(parameters, mode="legacy") as client:
        await client.list_tools()
        yield Talk(client)


def shown(value, most=400):
    """A value as one line, shortened in the middle."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n")
    return text if len(text) <= most else f"{text[: most * 3 // 4]} … {text[-most // 4 :]}"
