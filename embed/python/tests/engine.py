"""This package as an engine of conformance cases."""

from dataclasses import asdict

from lro import Content, Lro, LroError
from scene import Failed, compact


def engine(call):
    try:
        if call.function == "resolve":
            return Lro().resolve(call.file_text, call.environment, **call.settings)
        lro = Lro(call.directory, prepare_output_dir=False, read_only=call.kind == "read-only", **call.settings).ready()
        with call.disk():
            return CALLS[call.function](lro, call)
    except LroError as error:
        raise Failed({"case": error.case, **error.as_dict()}) from error


def source(call):
    return Content(call.source["content"]) if "content" in call.source else call.source["file"]


def request(call):
    return {"operation": None, **call.request}


def offload(lro, call):
    done = lro.offload(call.payload, **request(call))
    answer = {"outcome": done.outcome, "text": done.text, "estimated_tokens": done.estimated_tokens}
    answer["events"] = [asdict(event) for event in done.events]
    if done.outcome == "offloaded":
        answer |= {"file_name": done.file_name, "content": done.content}
    return answer


def offload_result(lro, call):
    done = lro.mcp_offload_result(call.tool, call.arguments, call.payload)
    events = [asdict(event) for event in done.events]
    return call.rewriting(done.message, file_name=done.file_name, events=events)


CALLS = {
    "estimate": lambda lro, call: {"tokens": lro.estimate(call.payload, **request(call))},
    "offload": offload,
    "extract": lambda lro, call: asdict(lro.extract(source(call), **{"raw": None, **call.request})),
    "cleanup": lambda lro, call: asdict(lro.cleanup(**call.request)),
    "describe": lambda lro, call: {"text": compact(lro.describe(source(call)))},
    "rebuild": lambda lro, call: {"text": lro.rebuild(source(call))},
    "mcp-tools": lambda lro, call: {"text": lro.mcp_tools()},
    "mcp-call": lambda lro, call: {"text": lro.mcp_call(call.tool, call.arguments)},
    "mcp-offload-result": offload_result,
    "mcp-offload-tools": lambda lro, call: call.rewriting(lro.mcp_offload_tools(call.payload)),
}
