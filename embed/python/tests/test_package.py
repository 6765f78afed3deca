"""What a Python developer writes: calls, results, objects as records, errors, the decorator and the context."""

import collections
import dataclasses
import datetime
import functools
import json
import os
import pickle
import shutil
import tomllib
from pathlib import Path

import pydantic
import pytest

import lro as package
from lro import (
    Content,
    Inline,
    InvalidArgument,
    InvalidQuery,
    IoFailure,
    LimitReached,
    Limits,
    Lro,
    NotAnOffload,
    NotFound,
    Offloaded,
    Offloading,
    Outside,
    Truncated,
    Unchanged,
)
from lro.calls import Calls

RECORDS = [{"id": i, "kind": "even" if i % 2 == 0 else "odd"} for i in range(2000)]


def test_a_result_is_offloaded_read_and_rebuilt(lro, corpus):
    answer = lro.offload(corpus, operation="recall")
    assert (answer.outcome, answer.estimated_tokens) == ("offloaded", 405804)
    assert [event.name for event in answer.events] == ["LargeResultDetected", "OffloadWritten"]
    assert answer.response == json.loads(answer.text) == answer.result
    groups = lro.extract(answer.response["file_path"], recipe=6).results
    assert sum(group["count"] for group in groups) == 362
    assert lro.describe(answer.file_name)["header"]["count"] == 362
    assert json.loads(lro.rebuild(answer.file_name)) == json.loads(corpus)
    assert list(lro.extract_all(answer.file_name, query=".id", chunk_bytes=100)) == [m["id"] for m in json.loads(corpus)]


def test_a_small_result_is_the_same_object(lro):
    records = [{"id": 1}]
    answer = lro.offload(records)
    assert answer.outcome == "unchanged" and answer.result is records and answer.response is None
    assert answer.text == '[{"id":1}]' and lro.estimate(records) == answer.estimated_tokens


def test_an_answer_is_of_a_class_for_each_outcome(lro, tmp_path):
    (tmp_path / "file").write_text("")
    full = Lro(tmp_path / "file", prepare_output_dir=False)
    answers = {
        Unchanged: lro.offload([1]),
        Inline: lro.offload([1], formatted="one"),
        Offloaded: lro.offload(RECORDS),
        Truncated: full.offload(RECORDS),
    }
    for kind, answer in answers.items():
        assert type(answer) is kind and isinstance(answer, Offloading)
        assert answer.outcome == kind.__name__.lower()
        assert (answer.file_name is not None) == (kind is Offloaded)
        assert (answer.response is not None) == (kind in (Offloaded, Truncated))
        assert pickle.loads(pickle.dumps(answer)) == answer == dataclasses.replace(answer)
        assert list(dataclasses.asdict(answer))[:3] == ["outcome", "text", "given"]
        assert repr(answer).startswith(f"{kind.__name__}(outcome='{answer.outcome}', text=")
    assert answers[Inline].result == "one"


def test_objects_are_records(lro):
    class Model(pydantic.BaseModel):
        at: datetime.datetime

    @dataclasses.dataclass
    class Row:
        model: Model
        tags: frozenset[str]

    rows = [Row(Model(at=datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)), frozenset("ba"))] * 500
    answer = lro.offload(rows, operation="rows")
    first = next(iter(lro.extract_all(answer.file_name, query=".", limit=1)))
    assert first == {"model": {"at": "2026-01-02T00:00:00Z"}, "tags": ["a", "b"]}


def test_what_has_no_json_form_stands(lro):
    given = object()
    answer = lro.offload(given)
    assert answer.outcome == "unchanged" and answer.result is given
    assert [event.name for event in answer.events] == ["OffloadFailed"]


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (float("nan"), None),
        (float("-inf"), None),
        ([(1.5, float("inf"))], [[1.5, None]]),
        ({1, float("nan")} - {1}, [None]),
    ],
    ids=["nan", "infinity", "nested", "in a set"],
)
def test_what_json_lacks_does_not_stop_an_offload(lro, cell, found):
    answer = lro.offload([{"id": i, "cell": cell} for i in range(2000)])
    assert answer.outcome == "offloaded"
    assert lro.extract(answer.file_name, query=".cell", limit=1).results == [found]
    assert lro.offload(cell).outcome == "unchanged"


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (collections.deque([1, float("nan")], maxlen=7), [1, None]),
        ({"a": 1, "b": 2}.keys(), ["a", "b"]),
        ({"a": 1, "b": (2,)}.values(), [1, [2]]),
        ({"a": 1}.items(), [["a", 1]]),
        (collections.OrderedDict(a=1).keys(), ["a"]),
        (range(3), [0, 1, 2]),
        (datetime.timedelta(), "PT0S"),
        (datetime.timedelta(days=400, hours=2, seconds=3), "P400DT2H3S"),
        (datetime.timedelta(minutes=90), "PT1H30M"),
        (datetime.timedelta(days=7), "P7D"),
        (datetime.timedelta(microseconds=1_500_000), "PT1.5S"),
        (datetime.timedelta(days=1, microseconds=1), "P1DT0.000001S"),
        (datetime.timedelta(seconds=-1), "-PT1S"),
        (datetime.timedelta.min, "-P999999999D"),
        (datetime.timedelta.max, "P999999999DT23H59M59.999999S"),
    ],
    ids=str,
)
def test_containers_and_durations_have_a_json_form(lro, cell, found):
    answer = lro.offload([{"id": i, "cell": cell} for i in range(2000)])
    assert answer.outcome == "offloaded" and not [event for event in answer.events if event.name == "OffloadFailed"]
    assert lro.extract(answer.file_name, query=".cell", limit=1).results == [found]
    assert json.loads(lro.offload(cell).text) == found


@pytest.mark.parametrize("days", [0, 3, -3, 300])
def test_a_duration_is_as_pydantic_writes_it(lro, days):
    for rest in (0, 1, 59.25, 60, 3600, 86399.999999):
        duration = datetime.timedelta(days=days, seconds=rest)
        assert lro.offload(duration).text == pydantic.TypeAdapter(datetime.timedelta).dump_json(duration).decode()


@pytest.mark.parametrize("given", [b"\xff\xfe" * 9000, "\ud800" * 9000, [{"a": "\udcff" * 40}] * 900])
def test_what_has_no_utf8_is_offloaded_as_its_escapes(lro, given):
    answer = lro.offload(given)
    assert answer.outcome == "offloaded"
    assert "\\ud800" in lro.rebuild(answer.file_name) or "ff" in lro.rebuild(answer.file_name)


def test_what_nests_too_deep_is_withheld(lro):
    nested = []
    for _ in range(200_000):
        nested = [nested]
    answer = lro.offload(nested)
    assert answer.outcome == "truncated" and answer.response["results"] == []
    assert answer.events[0].fields["limit"] == "recursion"


def test_one_criterion_needs_no_list(lro):
    name = lro.offload(RECORDS).file_name
    assert lro.extract(name, where="id=7", select="kind").results == [{"kind": "odd"}]


def test_numbers_that_json_lacks_are_null_in_params_too(lro):
    name = lro.offload(RECORDS).file_name
    params = {"a": float("nan"), "b": [float("inf"), {"c": (float("-inf"), 1.5)}], "d": 2}
    found = lro.extract(name, query="[$a, $b, $d]", params=params, limit=1).results
    assert found == [[None, [None, {"c": [None, 1.5]}], 2]]
    assert next(iter(lro.extract_all(name, query="$a", params=params, limit=1))) is None


def test_rows_of_a_recipe_that_prints_tables(lro, corpus):
    """Recipe 1 prints lines of tab-separated values in a shell."""
    name = lro.offload(corpus, operation="recall").file_name
    page = lro.extract(name, recipe=1, limit=3)
    assert len(page.results) == 3 and all("\t" in row for row in page.results)
    for raw in (True, None):
        lines = lro.extract(name, recipe=1, limit=3, raw=raw)
        assert lines.results == page.results == lines.text.splitlines()


def test_content_needs_no_directory(tmp_path):
    lro = Lro(tmp_path / "never", store="content")
    answer = lro.offload(RECORDS)
    assert lro.extract(Content(answer.content), query="select(.id == 3) | .kind").results == ["odd"]
    assert not list(tmp_path.iterdir())


def test_each_failure_has_a_class(lro, tmp_path):
    name = lro.offload(RECORDS).file_name
    (tmp_path / "results" / "other.jsonl").write_text("{}\n")
    rows = [
        (InvalidArgument, lambda: lro.extract(name, recipe=1, query=".")),
        (InvalidArgument, lambda: lro.extract(name, query=".", unheard_of=1)),
        (InvalidArgument, lambda: lro.offload(RECORDS, detail="heavy")),
        (InvalidArgument, lambda: lro.extract(name, query=".", params={"x": object()})),
        (InvalidQuery, lambda: lro.extract(name, query="selekt(.id)")),
        (NotFound, lambda: lro.extract("atlatl-tool-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl", query=".")),
        (InvalidArgument, lambda: lro.extract(name, recipe=1, params=5)),
        (InvalidArgument, lambda: lro.extract(5, recipe=1)),
        (InvalidArgument, lambda: lro.extract(Content(5), recipe=1)),
        (InvalidArgument, lambda: lro.describe(None)),
        (InvalidArgument, lambda: lro.rebuild("\udcff")),
        (InvalidArgument, lambda: lro.resolve(threshold_tokens=object())),
        (InvalidArgument, lambda: lro.mcp_call("lro_extract", {})),
        (InvalidArgument, lambda: lro.mcp_offload_tools({})),
        (Outside, lambda: lro.describe("/etc/passwd")),
        (NotAnOffload, lambda: lro.extract("other.jsonl", query=".")),
    ]
    for kind, call in rows:
        with pytest.raises(kind) as raised:
            call()
        assert raised.value.message and raised.value.as_dict()["case"] == kind.case
    with pytest.raises(InvalidQuery) as raised:
        lro.extract(name, query="selekt(.id)")
    assert "select" in raised.value.known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"treshold_tokens": 1}, "no setting `treshold_tokens`"),
        ({"threshold_tokens": "many"}, "'many' is not a valid setting `threshold_tokens`: expected an integer from 0 to"),
        ({"threshold_tokens": True}, "`threshold_tokens`: expected an integer"),
        ({"min_saving": 1.5}, "1.5 is not a valid setting `min_saving`: expected a number or None from 0 to 1"),
        ({"ttl_seconds": -1}, "`ttl_seconds`"),
        ({"store": "disk"}, "`store`: expected one of `file`, `content`"),
        ({"tool_prefix": "a b"}, "`tool_prefix`: expected text like"),
        ({"tools": {"list": {"ofload": "never"}}}, "no key `list.ofload` in the setting `tools`"),
        ({"tools": ["list"]}, "`tools`: expected a mapping"),
        ({"output_dir": 5}, "`output_dir` must be a path"),
        ({"settings_file": 5}, "`settings_file` must be a path"),
        ({"environment_prefix": 5}, "`environment_prefix` must be text"),
        ({"limits": 5}, "`limits` must be of type Limits"),
        ({"read_only": "yes"}, "`read_only` must be of type bool"),
        ({"component": "lro.wasm"}, "`component` must be of type bytes"),
        ({"compiled_cache": 5}, "`compiled_cache` must be a path"),
    ],
)
def test_options_that_make_no_sense_are_told_at_once(tmp_path, options, message):
    with pytest.raises(InvalidArgument, match=message):
        Lro(**{"output_dir": tmp_path, **options})


def test_the_settings_that_are_checked_are_those_of_the_component(lro):
    """What the component answers is what it takes, so each of them passes the check."""
    given = {key: value for key, value in lro.settings.items() if key not in ("output_dir", "truncate_reason")}
    assert len(given) > 15
    assert Lro(lro.output_dir, **given).settings == lro.settings


@pytest.mark.parametrize(
    "limits",
    [
        {"extract_seconds": "2"},
        {"offload_memory_mib": -1},
        {"cleanup_seconds": None},
        {"offload_seconds": float("inf")},
        {"extract_memory_mib": 300.5},
    ],
)
def test_limits_are_numbers(limits):
    with pytest.raises(InvalidArgument, match=f"`{next(iter(limits))}`"):
        Limits(**limits)


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_the_directory_is_made_at_once(tmp_path):
    Lro(tmp_path / "a" / "results")
    for folder in (tmp_path / "a", tmp_path / "a" / "results"):
        assert folder.stat().st_mode & 0o777 == 0o700
    Lro(tmp_path / "b", prepare_output_dir=False)
    Lro(tmp_path / "b", read_only=True)
    assert not (tmp_path / "b").exists()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "results", "/proc/x"):
        with pytest.raises(IoFailure, match=f"cannot use `{path}` as the output directory"):
            Lro(path)


def test_settings_come_from_a_file_and_variables_with_a_prefix_of_choice(tmp_path, monkeypatch):
    file = tmp_path / "settings.toml"
    file.write_text("[prompt.offload]\nthreshold_tokens = 7\nttl_seconds = 60\n")
    monkeypatch.setenv("MYAPP_TTL_SECONDS", "90")
    settings = Lro(tmp_path, settings_file=file, environment_prefix="MYAPP_").settings
    assert (settings["threshold_tokens"], settings["ttl_seconds"]) == (7, 90)


def test_a_decorator(lro):
    @lro.offloaded("rows")
    def rows(count):
        """Rows."""
        return RECORDS[:count]

    assert rows.__doc__ == "Rows." and rows(2) == RECORDS[:2]
    assert rows(2000)["summary"]["count"] == 2000


@pytest.mark.anyio
async def test_a_decorator_for_asynchronous_functions(lro):
    @lro.offloaded()
    async def list_rows():
        return RECORDS

    response = await list_rows()
    assert "list_rows" in Path(response["file_path"]).name
    assert (await lro.aextract(response["file_path"], where=["kind=odd"], count=True)).results == [1000]


def test_all_pages_keep_to_the_limits_of_the_request(lro):
    name = lro.offload(RECORDS).file_name
    ids = [record["id"] for record in RECORDS]
    for limits, count in [({}, 2000), ({"limit": 7}, 7), ({"max_bytes": 100}, 36), ({"limit": 2000}, 2000)]:
        assert list(lro.extract_all(name, query=".id", chunk_bytes=20, **limits)) == ids[:count]
    with pytest.raises(LimitReached):
        list(lro.extract_all(name, query=".id", max_bytes=1))


@pytest.mark.anyio
async def test_each_call_has_an_asynchronous_form(lro):
    calls = {name for name, value in vars(Calls).items() if callable(value) and not name.startswith("_")}
    calls.remove("for_call")  # It calls nothing.
    assert calls and all(callable(getattr(Lro, f"a{name}", None)) for name in calls)
    name = (await lro.aoffload(RECORDS)).file_name
    assert [found async for found in lro.aextract_all(name, query=".id", limit=3)] == [0, 1, 2]
    assert await lro.adescribe(name) == lro.describe(name)
    assert json.loads(await lro.arebuild(name)) == RECORDS
    assert await lro.aresolve(threshold_tokens=5) == lro.resolve(threshold_tokens=5)
    tools = await lro.amcp_tools()
    assert "lro_extract" in tools and await lro.amcp_offload_tools('{"tools":[]}') is not None
    answer = json.loads(await lro.amcp_call("lro_extract", json.dumps({"file_path": name, "query": ".id", "limit": 1})))
    assert answer["structuredContent"]["results"] == [0]
    assert (await lro.amcp_offload_result("rows", "{}", '{"content":[]}')).message is None


def test_a_context_has_a_folder_that_is_emptied(lro):
    kept = lro.offload(RECORDS).file_name
    with lro.session("work") as session:
        answer = session.offload(RECORDS, operation="rows")
        assert answer.file_name.startswith("work/")
        assert session.extract(answer.response["file_path"], query="length", slurp=True).results == [2000]
    files = [path.name for path in lro.output_dir.rglob("*.jsonl")]
    assert files == [kept]


def test_read_only_extracts_and_does_not_write(lro):
    name = lro.offload(RECORDS).file_name
    reader = Lro(lro.output_dir, read_only=True)
    assert reader.extract(name, query="select(.id == 1)").count == 1
    assert reader.offload(RECORDS).outcome == "truncated"


def test_versions_agree():
    root = Path(__file__).parents[3]
    version = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    ours = tomllib.loads((root / "embed/python/pyproject.toml").read_text())["project"]["version"]
    assert ours == version
    assert sorted(package.__all__) == package.__all__


def failed_summaries(answer):
    return [event.name for event in answer.events if event.name == "SummaryFailed"]


def test_a_function_says_what_a_list_is_about(lro):
    seen = []

    def summary(rows):
        seen.append(len(rows))
        return {"rows": len(rows)}

    sections = {".rows": {"summary": summary, "schema": {"id": "a number"}}}
    small = lro.offload({"rows": RECORDS[:2]}, "rows", sections=sections)
    assert small.outcome == "unchanged" and seen == []
    large = lro.offload({"rows": RECORDS, "total": 2000}, "rows", sections=sections)
    assert large.response["summary"]["given"] == {"rows": 2000} and seen == [2000]
    assert large.response["line_schema"] == {"id": "a number"} and failed_summaries(large) == []
    text = lro.offload(json.dumps({"rows": RECORDS}), "rows", sections=sections)
    assert text.response["summary"]["given"] == {"rows": 2000}


@pytest.mark.parametrize("summary", [lambda rows: 1 / 0, lambda rows: rows, lambda rows: {"x": object()}])
def test_a_function_that_fails_does_not_fail_the_offload(lro, summary):
    answer = lro.offload(RECORDS, "rows", sections={".": {"summary": summary}})
    assert answer.outcome == "offloaded" and "given" not in answer.response["summary"]
    assert failed_summaries(answer) == ["SummaryFailed"]


def test_recipes_of_the_caller_are_run_by_number(lro):
    recipes = [
        {"name": "of a kind", "query": "select(.kind == $kind) | .id", "params": {"kind": "odd"}},
        {"name": "how many", "query": "length", "slurp": True},
    ]
    answer = lro.offload(RECORDS, "rows", sections={".": {"recipes": recipes}})
    assert [recipe["description"] for recipe in answer.response["jq_recipes"]] == ["of a kind", "how many"]
    path = answer.response["file_path"]
    assert lro.extract(path, recipe=1, limit=2).results == [1, 3]
    assert lro.extract(path, recipe=1, limit=2, params={"kind": "even"}).results == [0, 2]
    assert lro.extract(path, recipe=2).results == [2000]
    with pytest.raises(InvalidArgument, match="give a recipe from 1 to 2|there is no recipe 3"):
        lro.extract(path, recipe=3)
    with pytest.raises(InvalidArgument, match="recipe 1 of section `.` is not a valid filter"):
        lro.offload(RECORDS, "rows", sections={".": {"recipes": [{"name": "x", "query": ".a |"}]}})


def test_what_is_not_replaced_is_the_same_object(lro):
    row = {"id": 1}

    @lro.offloaded()
    def small():
        return row

    assert small() is row
    with lro.session("same") as session:
        assert session.offload(row).result is row


def test_a_directory_that_is_deleted_is_made_again(lro):
    assert lro.offload(RECORDS).outcome == "offloaded"
    shutil.rmtree(lro.output_dir)
    answer = lro.offload(RECORDS)
    assert answer.outcome == "offloaded" and lro.extract(answer.file_name, query=".id", limit=1).results == [0]
    assert lro.output_dir.stat().st_mode & 0o777 == 0o700 or os.name != "posix"


def test_a_partial_function_and_an_object_that_is_called_are_offloaded(lro):
    class Rows:
        def __call__(self, count):
            return RECORDS[:count]

    for function, name in ((functools.partial(Rows.__call__, None), "__call__"), (Rows(), "Rows")):
        assert lro.offloaded()(function)(2000)["summary"]["operation"] == name.lower()


def test_what_has_no_json_form_has_no_text(lro):
    given = [object()]
    answer = lro.offload(given)
    assert (answer.outcome, answer.text) == ("unchanged", "") and answer.result is given
    assert [event.name for event in answer.events] == ["OffloadFailed"]
