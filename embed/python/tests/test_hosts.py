"""What every host computes or says for itself is the same in this one."""

import json
from pathlib import Path

import pytest

from lro import Limits, LroError
from lro.failures import withheld, withheld_result

HOSTS = json.loads((Path(__file__).parents[3] / "tests" / "hosts.json").read_text("utf-8"))


def bounds(call, size):
    sized = call in ("extraction", "offloading", "offloading_message", "truncating")
    return getattr(Limits(), call)(*[size] * sized)


@pytest.mark.parametrize("call", HOSTS["limits"])
def test_limits(call):
    for row in HOSTS["limits"][call]:
        found = bounds(call, row["bytes"])
        assert (found.seconds * 1000, found.memory_bytes >> 20) == (row["milliseconds"], row["mebibytes"]), row


def test_what_is_withheld():
    expected = HOSTS["failed"]
    result, tool_result = withheld(None, LroError(expected["message"])), withheld_result(LroError(expected["message"]))
    assert (result.response, json.loads(tool_result.message)) == (expected["result"], expected["tool_result"])
    for event in (*result.events, *tool_result.events):
        assert {"name": event.name, "message": event.message, "fields": event.fields} == expected["event"]
