"""Code that calls tools gets their rows, in FastMCP's code mode and by name."""

import json

import pytest
from fastmcp import Client, FastMCP
from fastmcp.experimental.transforms.code_mode import CodeMode

from lro.fastmcp import LargeResultOffloading
from test_servers import ROWS, few, rows, served
from mcp import Client as SdkClient

COUNTED = "found = await call_tool('rows', {})\nreturn len([row for row in found['result'] if row['state'] == 'closed'])"
ALL = "return (await call_tool('rows', {}))['result']"


def code_server(output_dir, **options):
    server = FastMCP("rows", transforms=[CodeMode()])
    server.add_middleware(LargeResultOffloading(str(output_dir), **options))
    for tool in (rows, few):
        server.tool(tool)
    return server


@pytest.mark.anyio
async def test_code_gets_rows_and_the_model_a_response(tmp_path):
    async with Client(code_server(tmp_path)) as client:
        listed = [tool.name for tool in await client.list_tools()]
        assert {"execute", "search", "lro_extract"} <= set(listed) and "rows" not in listed
        counted = await client.call_tool("execute", {"code": COUNTED})
        assert counted.content[0].text == str(len([row for row in ROWS if row["state"] == "closed"]))
        assert list(tmp_path.iterdir()) == [], "what code gets is left alone"
        outer = (await client.call_tool("execute", {"code": ALL})).structured_content
        assert outer["offloaded"] and outer["summary"]["count"] == len(ROWS)
        asked = {"file_path": outer["file_path"], "query": "select(.id == 7) | .state"}
        assert (await client.call_tool("lro_extract", asked)).structured_content["results"] == ["open"]
        inside = f"return (await call_tool('lro_extract', {asked!r}))['results']"
        assert "open" in (await client.call_tool("execute", {"code": inside})).content[0].text


@pytest.mark.anyio
async def test_code_sees_the_schemas_of_results(tmp_path):
    async with Client(code_server(tmp_path)) as client:
        asked = {"tools": ["rows"], "detail": "full"}
        [described] = json.loads((await client.call_tool("get_schema", asked)).content[0].text)
        assert described["outputSchema"]["properties"]["result"]["type"] == "array"


@pytest.mark.parametrize("kind", ["fastmcp", "mcp"])
@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.anyio
async def test_a_caller_that_is_code_gets_rows(kind, era, tmp_path):
    server = served(kind, tmp_path, code_callers=["script", "mcp"])
    async with SdkClient(server, mode=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["rows"].output_schema is not None and "lro_extract" in tools
        assert (await client.call_tool("rows", {})).structured_content == {"result": ROWS}
    server = served(kind, tmp_path, code_callers=["script"])
    async with SdkClient(server, mode=era) as client:
        of_script = await client.call_tool("rows", {}, meta={"lro/caller": "script"})
        assert of_script.structured_content == {"result": ROWS}
        of_model = await client.call_tool("rows", {}, meta={"lro/caller": "chat"})
        assert of_model.structured_content["offloaded"]


@pytest.mark.anyio
async def test_a_client_of_fastmcp_reads_a_response_as_data(tmp_path):
    server = FastMCP("rows")
    server.add_middleware(LargeResultOffloading(str(tmp_path)))
    server.tool(rows)
    async with Client(server) as client:
        assert (await client.call_tool("rows", {})).data["summary"]["count"] == len(ROWS)
