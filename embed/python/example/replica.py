"""One of several equal servers behind a load balancer, whose large results are in a store that all of them reach:
`python replica.py PORT STORE [fastmcp|mcp]`. STORE is the URL of Redis, or the folder of a store on disk.
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn

Row = dict[str, Any]


def rows(count: int = 2000) -> list[Row]:
    """So many rows."""
    return [{"id": number, "title": f"row {number}", "even": number % 2 == 0} for number in range(count)]


def store_at(place: str) -> Any:
    """A store of py-key-value-aio."""
    if place.startswith("redis"):
        from key_value.aio.stores.redis import RedisStore

        return RedisStore(url=place)
    from key_value.aio.stores.disk import DiskStore

    return DiskStore(directory=place)


def fastmcp_application(store: Any) -> Any:
    """The application on FastMCP."""
    from fastmcp import FastMCP

    from lro.fastmcp import LargeResultOffloading

    server = FastMCP("rows")
    server.add_middleware(LargeResultOffloading(store=store))  # <- offloading
    server.tool(rows)
    return server.http_app()


def mcp_application(store: Any) -> Any:
    """The application on the official SDK."""
    from mcp.server import MCPServer

    import lro.mcp

    server = MCPServer("rows")
    lro.mcp.offload(server, store=store)  # <- offloading
    server.add_tool(rows)
    return server.streamable_http_app()


def main() -> None:
    """Serves over HTTP on this machine."""
    port, place, kind = int(sys.argv[1]), sys.argv[2], (*sys.argv[3:], "fastmcp")[0]
    application = {"fastmcp": fastmcp_application, "mcp": mcp_application}[kind](store_at(place))
    uvicorn.run(application, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
