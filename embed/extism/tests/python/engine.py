"""The plug-in as an engine of conformance cases: one instance for all calls of a case, which is granted the directory of
the case and no other."""

from functools import lru_cache

from plugin import Plugin
from scene import Failed, compact


def engine(call):
    plugin = opened(call.directory, call.kind, has_directory=call.function != "resolve")
    with call.disk():
        return CALLS[call.function](call, Asked(plugin, call.settings))


@lru_cache(maxsize=1)
def opened(directory, kind, *, has_directory):
    granted = {"missing": [], "read-only": [f"ro:{directory}"]}.get(kind, [directory])
    # What `resolve` answers is compared with what a host without a manifest's settings gets.
    return Plugin(*granted, settings={"output_dir": str(directory)} if has_directory else {})


class Asked:
    """A plug-in and the settings of a call."""

    def __init__(self, plugin, settings):
        self.plugin, self.settings = plugin, settings

    def __call__(self, function, **given):
        answer = self.plugin.call(function, settings=self.settings, **given)
        return found(answer)


def found(answer):
    if "error" in answer:
        raise Failed(answer["error"])
    return answer["ok"]


def offload(call, ask):
    answer = {"file_name": None, **ask("offload", payload=call.payload, request=call.request)}
    return {"text": call.payload, **answer}


def extract(call, ask):
    answer = ask("extract", source=call.source, request=call.request)
    return {"text": answer["results"], **answer}


def offload_result(call, ask):
    message = {"tool": call.tool, "call_arguments": call.arguments, "call_result": call.payload}
    answer = ask("offload_result", **message)
    return call.rewriting(answer.get("message"), file_name=answer.get("file_name"), events=answer["events"])


def resolve(call, ask):
    given = {"file_text": call.file_text, "environment": call.environment, "explicit": call.settings}
    return found(ask.plugin.call("resolve", **given))


CALLS = {
    "estimate": lambda call, ask: {"tokens": ask("estimate", payload=call.payload, request=call.request)},
    "offload": offload,
    "extract": extract,
    "cleanup": lambda call, ask: ask("cleanup", request=call.request),
    "resolve": resolve,
    "describe": lambda call, ask: {"text": compact(ask("describe", source=call.source))},
    "rebuild": lambda call, ask: {"text": ask("rebuild", source=call.source)},
    "mcp-tools": lambda call, ask: {"text": compact(ask("tools"))},
    "mcp-call": lambda call, ask: {"text": ask("call", name=call.tool, call_arguments=call.arguments)},
    "mcp-offload-result": offload_result,
    "mcp-offload-tools": lambda call, ask: call.rewriting(
        ask("offload_tools", list_result=call.payload).get("message")
    ),
}
