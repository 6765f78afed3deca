"""A server of MCP over standard input and output with the tools of `real_tools`; with a folder as its argument it offloads by
itself."""

import sys

import lro.mcp
import real_tools
from mcp.server import MCPServer

server = MCPServer("memories", log_level="CRITICAL")
server.add_tool(real_tools.memories)
server.add_tool(real_tools.count)
server.add_tool(real_tools.missing)
if len(sys.argv) > 1:
    lro.mcp.offload(server, sys.argv[1], tool_prefix="own_")
server.run("stdio")
