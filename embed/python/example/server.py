"""A memory server whose large results are offloaded: `python server.py MEMORIES.json OUTPUT_DIR [fastmcp|mcp]`.

Both variants have the same three tools, each with an output schema; offloading is the one marked line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Memory = dict[str, Any]


class Memories:
    """Memories at full detail, from a file with one JSON array."""

    def __init__(self, file: str) -> None:
        self._all: list[Memory] = json.loads(Path(file).read_text("utf-8"))

    def recall_memories(self, query: str = "") -> list[Memory]:
        """Memories whose title or content holds a text."""
        wanted = query.lower()
        return [one for one in self._all if wanted in f"{one.get('title')}\n{one.get('content')}".lower()]

    def list_memories(self, namespace: str = "") -> list[Memory]:
        """Memories of a namespace, or all."""
        return [one for one in self._all if (one.get("namespace") or "").startswith(namespace)]

    def count_memories(self) -> int:
        """How many memories there are."""
        return len(self._all)


MEMORIES = {name: {"memories": True} for name in ("recall_memories", "list_memories")}
"""What these tools give are memories: their recipes are those of memories, and scores stay out of files."""


def fastmcp_server(memories: Memories, output_dir: str) -> Any:
    """The server on FastMCP."""
    from fastmcp import FastMCP

    from lro.fastmcp import LargeResultOffloading

    server = FastMCP("memories")
    server.add_middleware(LargeResultOffloading(output_dir, tools=MEMORIES))  # <- offloading
    for tool in (memories.recall_memories, memories.list_memories, memories.count_memories):
        server.tool(tool)
    return server


def mcp_server(memories: Memories, output_dir: str) -> Any:
    """The server on the official SDK."""
    from mcp.server import MCPServer

    import lro.mcp

    server = MCPServer("memories")
    lro.mcp.offload(server, output_dir, tools=MEMORIES)  # <- offloading
    for tool in (memories.recall_memories, memories.list_memories, memories.count_memories):
        server.add_tool(tool)
    return server


def main() -> None:
    """Serves over standard input and output."""
    memories, output_dir, kind = Memories(sys.argv[1]), sys.argv[2], (*sys.argv[3:], "fastmcp")[0]
    {"fastmcp": fastmcp_server, "mcp": mcp_server}[kind](memories, output_dir).run()


if __name__ == "__main__":
    main()
