"""What stands around a program's own: the decorator of a function, and the session of a stretch of work."""

import functools
import shutil
from pathlib import Path

import pytest

from lro import InvalidArgument, LroError, Session

RECORDS = [{"id": i, "kind": "even" if i % 2 == 0 else "odd"} for i in range(2000)]


@pytest.mark.anyio
async def test_a_decorator_logs_what_became_of_a_result(lro, caplog):
    caplog.set_level("DEBUG", logger="lro")
    given = object()

    @lro.offloaded
    def nothing():
        return given

    @lro.offloaded
    async def anything():
        return given

    @lro.offloaded(sections={".": {"summary": lambda rows: rows.x}})
    def rows():
        return RECORDS

    def told():
        logged = [(record.name, record.levelname, record.message.split(":")[0]) for record in caplog.records]
        caplog.clear()
        return logged

    assert nothing() is given
    assert "OffloadFailed: offloading the result failed: " in caplog.text
    assert "an object of type object has no JSON form" in caplog.text
    assert told() == [("lro", "WARNING", "OffloadFailed")]
    assert await anything() is given
    assert told() == [("lro", "WARNING", "OffloadFailed")]
    rows()
    names = ("SummaryFailed", "LargeResultDetected", "OffloadWritten")
    assert told() == [("lro", "WARNING" if name.endswith("Failed") else "DEBUG", name) for name in names]


@pytest.mark.anyio
async def test_a_decorator_without_parentheses(lro):
    @lro.offloaded
    def rows(count):
        """Rows."""
        return RECORDS[:count]

    @lro.offloaded
    async def list_rows():
        return RECORDS

    assert rows.__doc__ == "Rows." and rows(2) == RECORDS[:2]
    assert rows(2000)["summary"]["operation"] == "rows"
    assert (await list_rows())["summary"]["operation"] == "list_rows"
    assert lro.offloaded(functools.partial(rows, 2000))()["summary"]["count"] == 2000


@pytest.mark.parametrize("wrong", [5, b"rows", ["rows"], Path("rows")])
def test_a_decorator_refuses_what_is_no_function_and_no_name(lro, wrong):
    with pytest.raises(InvalidArgument, match="^`operation` must be text, not "):
        lro.offloaded(wrong)
    with pytest.raises(InvalidArgument, match="^`offloaded` takes a function, not "):
        lro.offloaded("rows")(wrong)
    with pytest.raises(InvalidArgument, match="^`offloaded` takes a function, not "):
        lro.offloaded()(RECORDS)


@pytest.mark.parametrize(
    "name", [None, "", 7, True, b"job", {}, "a b", "../other", "CON", ".", "x" * 65, "caf\u00e9", "other\n"]
)
def test_a_session_without_a_valid_name_is_refused_before_anything_is_done(lro, name):
    kept = lro.offload(RECORDS, session="other").file_name
    with pytest.raises(InvalidArgument, match="^cannot open the session: its name ") as raised:
        lro.session(name)
    assert "1 to 64 characters" in raised.value.hint
    with pytest.raises(InvalidArgument, match="^cannot open the session: its name "):
        Session(lro, name)
    with pytest.raises(InvalidArgument, match="^cannot clean up the session: its name "):
        lro.cleanup(session=name, all=True)
    assert [str(file.relative_to(lro.output_dir)) for file in lro.output_dir.glob("*/*")] == [kept]


@pytest.mark.anyio
async def test_a_session_keeps_its_name_so_that_it_deletes_its_own_files_only(lro):
    kept = lro.offload(RECORDS).file_name
    with lro.session("work") as session:
        session.offload(RECORDS)
        with pytest.raises(AttributeError):
            session.name = None
    async with lro.session("work") as session:
        await session.aoffload(RECORDS)
    session._name = None
    with pytest.raises(InvalidArgument, match="^cannot close the session: its name must be text, not None"):
        session.__exit__()
    assert [file.name for file in lro.output_dir.rglob("*.jsonl")] == [kept]


@pytest.mark.anyio
async def test_an_error_of_the_work_is_not_replaced_by_one_of_the_sessions_end(lro, caplog):
    def fail():
        shutil.rmtree(lro.output_dir)
        raise KeyError("its own")

    with pytest.raises(KeyError, match="its own"), lro.session("work"):
        fail()
    lro.output_dir.mkdir()
    with pytest.raises(KeyError, match="its own"):
        async with lro.session("work"):
            fail()
    told = [(record.name, record.levelname, record.message) for record in caplog.records]
    assert [(name, level) for name, level, _ in told] == [("lro", "WARNING")] * 2
    assert told[0][2].startswith("the session `work` was not emptied, so its files stay until they expire: ")
    lro.output_dir.mkdir()
    with pytest.raises(LroError), lro.session("work"):
        shutil.rmtree(lro.output_dir)
