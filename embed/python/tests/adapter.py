"""This package as an adapter of `lro conformance --engine`: a call a line, a reply a line (docs/CONFORMANCE.md)."""

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict

from full_disk import full_disk
from lro import Content, Lro, LroError


def answer(asked):
    call = asked["call"]
    if call == "hello":
        return {"name": "python"}
    if call == "resolve":
        return Lro().resolve(asked["file_text"], asked["environment"], **asked["explicit"])
    access = asked["access"]
    lro = Lro(asked["directory"], prepare_output_dir=False, read_only=access == "read-only", **asked["settings"]).ready()
    with full_disk() if access == "full" else nullcontext():
        return called(lro, call, asked, asked.get("request", {}))


def called(lro, call, asked, request):
    source = asked.get("source", {})
    source = Content(source["content"]) if "content" in source else source.get("file")
    match call:
        case "estimate":
            return lro.estimate(asked["payload"], **{"operation": None, **request})
        case "offload":
            return asdict(lro.offload(asked["payload"], **{"operation": None, **request}))
        case "extract":
            page = asdict(lro.extract(source, **{"raw": None, **request}))
            return {**page, "results": page["text"]}
        case "read":
            return asdict(lro.read(source, **request))
        case "search":
            return asdict(lro.search(source, **{"pattern": None, **request}))
        case "describe":
            return lro.describe(source)
        case "rebuild":
            return lro.rebuild(source)
        case "list-files":
            return lro.list_files(**request)
        case "copies":
            return lro.copies(source)
        case "cleanup":
            return asdict(lro.cleanup(**request))
        case "mcp-tools":
            return lro.mcp_tools()
        case "mcp-call":
            return lro.mcp_call(asked["name"], asked["call_arguments"])
        case "mcp-offload-result":
            return asdict(lro.mcp_offload_result(asked["tool"], asked["call_arguments"], asked["call_result"]))
        case "mcp-offload-tools":
            return {"message": lro.mcp_offload_tools(asked["list_result"])}


def reply(asked):
    try:
        return {"answer": answer(asked)}
    except LroError as error:
        return {"error": error.as_dict()}
    except Exception as error:
        return {"trap": repr(error)}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **reply(asked)}), flush=True)
