"""What a host does with the plug-in: offload, extract, settings of the manifest, inputs in both spellings, wrong ones."""

import json
import os
import stat
import subprocess
import sys
import tomllib

import pytest
from jsonschema import ValidationError
from plugin import MANIFEST, PACKAGE, ROOT, WASM, Plugin, validator

CORPUS = (ROOT / "tests/fixtures/mif-memories.json").read_text("utf-8")
RECORDS = [{"id": i, "kind": "even" if i % 2 == 0 else "odd", "note": "ä \"quoted\" \\ line\n"} for i in range(500)]


@pytest.fixture
def plugin(tmp_path):
    return Plugin(tmp_path, settings={"output_dir": str(tmp_path)})


def test_a_result_is_offloaded_read_and_rebuilt(plugin, tmp_path):
    done = plugin.ok("offload", payload=CORPUS, request={"operation": "recall"})
    assert (done["outcome"], done["estimated_tokens"]) == ("offloaded", 405804)
    assert [event["name"] for event in done["events"]] == ["LargeResultDetected", "OffloadWritten"]
    response = json.loads(done["text"])
    assert response["file_path"] == str(tmp_path / done["file_name"])
    source = {"file": response["file_path"]}
    groups = plugin.ok("extract", source=source, request={"recipe": 6})["results"].splitlines()
    assert sum(json.loads(group)["count"] for group in groups) == 362
    assert plugin.ok("describe", source=source)["header"]["count"] == 362
    assert json.loads(plugin.ok("rebuild", source=source)) == json.loads(CORPUS)


def test_a_small_result_stands(plugin):
    done = plugin.ok("offload", payload=RECORDS[:2], request={"operation": "rows"})
    assert done["outcome"] == "unchanged" and "text" not in done
    assert plugin.ok("estimate", payload=RECORDS[:2], request={"operation": "rows"}) == done["estimated_tokens"]


@pytest.mark.parametrize("spelling", [lambda value: value, json.dumps], ids=["as JSON", "as text"])
def test_json_is_given_as_it_is_or_as_text(plugin, spelling):
    request, settings = spelling({"operation": "rows"}), spelling({"store": "content"})
    done = plugin.ok("offload", payload=spelling(RECORDS), request=request, settings=settings)
    lines = [json.loads(line) for line in done["content"].splitlines()]
    assert lines[0]["count"] == 500 and lines[1:] == RECORDS
    page = plugin.ok("extract", source={"content": done["content"]}, request=spelling({"query": ".note", "limit": 1}))
    assert json.loads(page["results"]) == RECORDS[0]["note"] and page["truncated"] and page["next"]


def test_a_document_is_stored_byte_for_byte(tmp_path):
    """What an input has as JSON is not read and written again: numbers keep their text, keys their order and spelling."""
    plugin = Plugin(tmp_path, settings={"output_dir": str(tmp_path), "threshold_tokens": 1})
    records = ['{"n":12345678901234567890.10,"a":1e2,"\\u00e4":"\\/","a":2}', '{"n":0.0,"b":{}}']
    text = '{"payload":[' + ",".join(records) + '],"request":{"operation":"rows"}}'
    done = json.loads(plugin._plugin.call("offload", text))["ok"]
    assert (tmp_path / done["file_name"]).read_text().splitlines()[1:] == records


def test_settings_of_a_call_lie_over_those_of_the_manifest(tmp_path):
    plugin = Plugin(tmp_path, settings={"output_dir": str(tmp_path), "threshold_tokens": 1, "prefix": "mine"})
    payload, request = RECORDS[:3], {"operation": "rows"}
    assert plugin.ok("offload", payload=payload, request=request)["file_name"].startswith("mine-rows-")
    done = plugin.ok("offload", payload=payload, request=request, settings={"threshold_tokens": 1000})
    assert done["outcome"] == "unchanged"
    resolved = plugin.ok("resolve", file_text="[prompt.offload]\nttl_seconds = 7", explicit={"threshold_tokens": 9})
    found = {key: resolved[key] for key in ("ttl_seconds", "threshold_tokens", "prefix", "output_dir")}
    assert found == {"ttl_seconds": 7, "threshold_tokens": 9, "prefix": "mine", "output_dir": str(tmp_path)}


def test_a_threshold_of_a_call_replaces_one_of_the_manifest_in_another_unit(tmp_path):
    plugin = Plugin(tmp_path, settings={"store": "content", "threshold_characters": 10})
    given = {"payload": RECORDS[:3], "request": {"operation": "rows"}}
    assert plugin.ok("offload", **given)["outcome"] == "offloaded"
    assert plugin.ok("offload", **given, settings={"threshold_tokens": 1000})["outcome"] == "unchanged"


def test_the_shipped_manifest_makes_sense():
    settings = json.loads(MANIFEST["config"]["settings"])
    validator("resolve", "input").validate({"explicit": settings})
    assert list(MANIFEST["allowed_paths"].values()) == [settings["output_dir"]]
    assert MANIFEST["memory"]["max_pages"] <= 65536 and MANIFEST["timeout_ms"] > 0


WRONG = [
    ("offload", {"payload": "[]", "reqest": {}}, "unknown field `reqest`, expected one of `payload`"),
    ("offload", {"request": {"operation": "rows"}}, "missing field `payload`"),
    ("offload", {"payload": "[]", "request": {"opration": "rows"}}, "unknown field `opration`"),
    ("offload", {"payload": "[]", "request": {"operation": "rows"}, "settings": {"treshold": 1}}, "treshold"),
    ("extract", {"source": {"fil": "x"}}, "unknown variant `fil`, expected `file` or `content`"),
    ("extract", {"source": {"file": 1}}, "expected a string"),
    ("call", {"name": "shell"}, "shell"),
    ("offload_result", {"tool": "rows", "call_result": "[]"}, "not a JSON object"),
    ("resolve", {"explicit": {"threshold_tokens": -1}}, "threshold_tokens"),
]


@pytest.mark.parametrize(("function", "given", "words"), WRONG, ids=[words for *_, words in WRONG])
def test_a_wrong_input_is_told_and_the_schema_knows_it(plugin, function, given, words):
    error = plugin.error(function, **given)
    assert error["case"] == "invalid-argument" and words in error["message"], error
    is_known_to_the_guest_alone = function == "call" or words == "not a JSON object"
    if not is_known_to_the_guest_alone:
        with pytest.raises(ValidationError):
            validator(function, "input").validate(given)


def test_what_is_no_json_is_told(plugin):
    for text in ("", "offload", "[1", '{"payload": "\\ud800"}'):
        error = json.loads(plugin._plugin.call("offload", text))["error"]
        assert error["case"] == "invalid-argument" and "cannot read the input of `offload`" in error["message"]


def test_settings_of_the_manifest_that_make_no_sense_are_told(tmp_path):
    for text, words in [("{", "config.settings"), ('{"treshold_tokens": 1}', "treshold_tokens")]:
        plugin = Plugin(tmp_path, config={"settings": text})
        error = plugin.error("offload", payload=RECORDS, request={"operation": "rows"})
        assert error["case"] == "invalid-argument" and words in error["message"], error


def test_a_wrong_filter_is_answered_with_what_would_mend_it(plugin):
    name = plugin.ok("offload", payload=RECORDS, request={"operation": "rows"})["file_name"]
    error = plugin.error("extract", source={"file": name}, request={"query": "selekt(.id)"})
    assert error["case"] == "invalid-query" and error["known"] == ["select"] and error["hint"]
    error = plugin.error("extract", source={"file": name}, request={"query": ".a + " * 4000 + "1"})
    assert (error["case"], error["limit"], error["value"]) == ("limit-reached", "max_filter_bytes", 8192)


def test_a_server_of_mcp_offloads_and_answers(plugin):
    listed = {"tools": [{"name": "rows", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]}
    tools = json.loads(plugin.ok("offload_tools", list_result=listed)["message"])["tools"]
    assert [tool["name"] for tool in tools[1:]] == [tool["name"] for tool in plugin.ok("tools")]
    assert "outputSchema" not in tools[0]
    result = {"content": [{"type": "text", "text": json.dumps(RECORDS)}]}
    done = plugin.ok("offload_result", tool="rows", call_arguments={}, call_result=result)
    response = json.loads(done["message"])["structuredContent"]
    asked = {"file_path": response["file_path"], "query": "select(.id == 7) | .kind"}
    answer = json.loads(plugin.ok("call", name="lro_extract", call_arguments=asked))
    assert answer["structuredContent"]["results"] == ["odd"]


def test_the_example_works(tmp_path):
    """Its folder has the shipped manifest, and the plug-in where that says that it is."""
    for file in ("example.py", "manifest.json"):
        (tmp_path / file).write_text((PACKAGE / file).read_text())
    wasm = tmp_path / MANIFEST["wasm"][0]["path"]
    wasm.parent.mkdir(parents=True)
    wasm.symlink_to(WASM)
    command = [sys.executable, "example.py", str(ROOT / "tests/fixtures/mif-memories.json"), "results"]
    lines = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [json.loads(line)["count"] for line in lines[2:]] == [45, 1, 1]
    assert os.path.dirname(lines[1]) == str(tmp_path / "results")
    assert stat.S_IMODE(os.stat(lines[1]).st_mode) == 0o600


def test_versions_agree():
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    embeddings = tomllib.loads((ROOT / "embed/Cargo.toml").read_text())["workspace"]["package"]
    assert embeddings["version"] == workspace["version"]
