"""Limits of the manifest end what does not end by itself; Extism says which, and the next call is served."""

import extism
import pytest
from plugin import Plugin

RECORDS = [{"id": i, "text": "x" * 40} for i in range(500)]

# More than what any other call takes on a busy machine.
SECONDS = {"timeout_ms": 4000}
# Whatever the machine does, time is not the limit that is met first.
MINUTES = {"timeout_ms": 600_000}
FEW_PAGES = {**MINUTES, "memory": {"max_pages": 1024}}

NO_CLOCK = {"max_milliseconds": 600_000}
ONLY_THE_HOST = {**NO_CLOCK, "max_steps": 4_000_000_000}

HOSTILE = [
    ("until(false; .)", SECONDS, "timeout"),
    ("[range(1e12) | select(. < 0)]", SECONDS, "timeout"),
    ("[range(1e9)] | length", FEW_PAGES, "oom"),
]

ENDLESS = [
    ("until(false; .)", "max_steps"),
    ("[range(1e12) | select(. < 0)]", "max_steps"),
    ("[range(1e9)] | length", "max_steps"),
    ("def f: 1 + f; f", "max_stack_bytes"),
]


def opened(directory, settings=None, **limits):
    """A plug-in, and a file to look at."""
    plugin = Plugin(directory, settings={"output_dir": str(directory), **(settings or {})}, **limits)
    return plugin, plugin.ok("offload", payload=RECORDS, request={"operation": "rows"})["file_name"]


@pytest.mark.parametrize(("query", "limits", "words"), HOSTILE, ids=[query for query, *_ in HOSTILE])
def test_a_filter_ends(tmp_path, query, limits, words):
    plugin, name = opened(tmp_path, ONLY_THE_HOST, **limits)
    with pytest.raises(extism.Error, match=words):
        plugin.call("extract", source={"file": name}, request={"query": query})
    assert plugin.ok("extract", source={"file": name}, request={"query": ".id", "limit": 1})["results"] == "0\n"


@pytest.mark.parametrize(("query", "limit"), ENDLESS, ids=[query for query, _ in ENDLESS])
def test_a_filter_stops_by_itself(tmp_path, query, limit):
    plugin, name = opened(tmp_path, NO_CLOCK, **MINUTES)
    error = plugin.error("extract", source={"file": name}, request={"query": query})
    assert (error["case"], error["limit"]) == ("limit-reached", limit)
    assert plugin.ok("extract", source={"file": name}, request={"query": ".id", "limit": 1})["results"] == "0\n"


def test_an_endless_filter_is_a_page(tmp_path):
    plugin, name = opened(tmp_path)
    page = plugin.ok("extract", source={"file": name}, request={"query": "repeat(1)", "limit": 5})
    assert (page["count"], page["truncated"]) == (5, True)


def test_a_payload_that_does_not_fit_is_an_error_of_the_host(tmp_path):
    plugin = Plugin(tmp_path, settings={"output_dir": str(tmp_path)}, memory={"max_pages": 64})
    with pytest.raises(extism.Error, match="failed to allocate extism memory|oom"):
        plugin.call("offload", payload=RECORDS * 200, request={"operation": "rows"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("query", ["env", "$ENV", "input", "halt", "now", 'import "x" as x; .', "input_filename"])
def test_nothing_outside_is_reachable(tmp_path, query):
    plugin, name = opened(tmp_path)
    assert plugin.error("extract", source={"file": name}, request={"query": query})["case"] == "invalid-query"


def test_a_thousand_calls_need_no_more_memory(tmp_path):
    """One instance serves them all: inputs of 30 MB would not fit into 10 MiB if a call kept its own."""
    plugin = Plugin(settings={"store": "content"}, memory={"max_pages": 160})
    for _ in range(1000):
        done = plugin.ok("offload", payload=RECORDS, request={"operation": "rows"})
        assert done["outcome"] == "offloaded"
