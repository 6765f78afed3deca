"""`AgentOffloader`, the object that the adapters of agents' frameworks share; tests/frameworks runs the frameworks."""

import dataclasses
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from lro import AgentOffloader, Call, InvalidArgument, Parts
from lro.sessions import folder_of

FIRST = Call("one")
OTHER = Call("another")


@dataclasses.dataclass
class Row:
    id: int
    name: str


ROWS = [Row(number, f"row {number}") for number in range(3000)]


@pytest.fixture
def large(tmp_path):
    return AgentOffloader(str(tmp_path / "results"))


def asks(large, response, call, query="select(.id == 2999) | .name"):
    return large.call("lro_extract", {"file_path": json.loads(response)["file_path"], "query": query}, call)


def files(tmp_path):
    return sorted((tmp_path / "results").rglob("*.jsonl"))


def test_an_object_goes_to_a_file_and_is_asked(large):
    response = large.offload_result("rows", {}, ROWS, FIRST)
    assert json.loads(response)["fields"] == "{id: int, name: string}"
    assert json.loads(asks(large, response, FIRST).text)["results"] == ["row 2999"]
    assert {tool["name"] for tool in large.tools} == {"lro_describe", "lro_extract", "lro_read", "lro_search"}


@pytest.mark.anyio
async def test_the_same_off_the_event_loop(large):
    response = await large.aoffload_result("rows", {}, ROWS, FIRST)
    answer = await large.acall("lro_extract", {"file_path": json.loads(response)["file_path"], "count": True}, FIRST)
    assert json.loads(answer.text)["results"] == [3000]
    assert not answer.is_error


def test_what_stays(large, tmp_path):
    long = "word " * 20000
    assert large.offload_result("rows", {}, ROWS[:3]) is None
    assert large.offload_result("rows", {}, long, Call(is_error=True)) is None
    assert large.offload_result("rows", {}, Parts([long], ["an image"])) is None
    assert large.offload_result("rows", {}, Parts([], ["an image"])) is None
    assert large.offload_result("rows", {}, object()) is None
    assert large.offload_result("lro_extract", {}, long) is None
    assert files(tmp_path) == []


def test_what_nobody_can_read_is_cut_also_beside_an_image(large, tmp_path):
    text = large.offload_result("rows", {}, Parts(["word " * 200_000], ["an image"]))
    assert len(text) < 20_000
    assert files(tmp_path) == []


def test_a_response_of_somebody_else_stays(large, tmp_path):
    response = large.offload_result("rows", {}, ROWS, FIRST)
    assert large.offload_result("other", {}, response, FIRST) is None
    assert large.offload_result("other", {}, json.loads(response), FIRST) is None
    assert len(files(tmp_path)) == 1


def test_conversations_have_folders_that_others_do_not_read(large, tmp_path):
    response = large.offload_result("rows", {}, ROWS, FIRST)
    refused = asks(large, response, OTHER)
    assert refused.is_error and "another conversation" in refused.text
    assert asks(large, response, Call()).is_error
    resumed = AgentOffloader(str(tmp_path / "results"))
    assert "row 2999" in asks(resumed, response, FIRST).text


def test_names_of_conversations_may_be_anything():
    names = ["", "a", "A", "../../etc", "user/1", "user-1", "\ud800", "x" * 10_000, "名前"]
    folders = {folder_of(name) for name in names}
    assert len(folders) == len(names)
    assert all(len(folder) == 16 and folder.isalnum() for folder in folders)


def test_the_session_of_the_caller_is_stronger(tmp_path):
    large = AgentOffloader(str(tmp_path / "results"), session=lambda context: context["user"])
    response = large.offload_result("rows", {}, ROWS, Call("one", {"user": "ann"}))
    assert json.loads(response)["file_path"].split("/")[-2] == "ann"
    assert asks(large, response, Call("one", {"user": "bob"})).is_error
    one = AgentOffloader(str(tmp_path / "results"), session="ours")
    assert json.loads(one.offload_result("rows", {}, ROWS, FIRST))["file_path"].split("/")[-2] == "ours"


LIFE = """
import sys
from lro import AgentOffloader, Call
large = AgentOffloader(sys.argv[1], **eval(sys.argv[2]))
large.offload_result("rows", {}, [{"id": id} for id in range(3000)], Call(eval(sys.argv[3])))
"""


@pytest.mark.parametrize(
    ("options", "conversation", "kept"),
    [({}, "one", 1), ({}, None, 0), ({"session_end": "delete"}, "one", 0), ({"session_end": "keep"}, None, 1)],
)
def test_files_of_conversations_with_a_name_stay(tmp_path, options, conversation, kept):
    command = [sys.executable, "-c", LIFE, str(tmp_path / "results"), repr(options), repr(conversation)]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(Path(__file__).parents[1] / "src")}, timeout=120)
    assert len(files(tmp_path)) == kept


def test_a_window_with_what_has_been_read(tmp_path):
    large = AgentOffloader(str(tmp_path / "results"), context_tokens=8192, min_saving=0.0)
    text = "word " * 1000
    assert large.offload_result("text", {}, text, Call("one", input_tokens=100)) is None
    assert large.offload_result("text", {}, text, Call("one", input_tokens=5000)) is not None
    # Side by side, with one count of the model: the results of the same turn are added to it.
    many = [large.offload_result("text", {}, text, Call("two", input_tokens=2000)) for _ in range(4)]
    assert [one is not None for one in many] == [False, False, True, True]
    # Another count is that of a conversation that has been compacted.
    assert large.offload_result("text", {}, text, Call("two", input_tokens=1000)) is None


def test_the_window_of_the_model(tmp_path):
    large = AgentOffloader(str(tmp_path / "results"), context_tokens="model", knows_window=True)
    text = "word " * 4000
    assert large.offload_result("text", {}, text, Call("one", context_tokens=1_000_000)) is None
    assert large.offload_result("text", {}, text, Call("one", context_tokens=8192)) is not None
    # A model without a known window: the threshold decides.
    assert large.offload_result("text", {}, text, Call("one")) is not None
    with pytest.raises(InvalidArgument, match="does not know the window"):
        AgentOffloader(str(tmp_path / "results"), context_tokens="model")


def test_mistakes_are_answers(large):
    for name, arguments in [("lro_extract", {}), ("lro_extract", {"file_path": "/etc/passwd"}), ("lro_nothing", {})]:
        answer = large.call(name, arguments, FIRST)
        assert answer.is_error and answer.text


def test_a_directory_that_cannot_be_used_offloads_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    events = []
    large = AgentOffloader(str(tmp_path / "file" / "results"), on_event=events.append)
    assert large.tools == []
    (tmp_path / "file").unlink()
    # The model has no tools for what would be offloaded from now on.
    assert large.offload_result("rows", {}, ROWS, FIRST) is None
    assert [event.name for event in events] == ["OffloadingUnavailable"]


def test_without_tools_a_response_points_to_a_shell(tmp_path):
    large = AgentOffloader(str(tmp_path / "results"), offer_tools=False)
    assert large.tools == []
    assert "jq" in large.offload_result("rows", {}, ROWS, FIRST)


def test_threads_share_one(large):
    responses = []
    work = lambda name: responses.append((name, large.offload_result("rows", {}, ROWS, Call(name))))  # noqa: E731
    threads = [threading.Thread(target=work, args=(f"conversation {number}",)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.loads(response)["file_path"] for _, response in responses}) == 12
    assert all("row 2999" in asks(large, response, Call(name)).text for name, response in responses)


def test_threads_of_one_conversation_without_a_name_have_one_folder(large, tmp_path, monkeypatch):
    names = iter("abcdefghijkl")

    def slow_name():
        time.sleep(0.05)
        return next(names)

    monkeypatch.setattr("lro.sessions._random_name", slow_name)
    responses = []
    threads = [
        threading.Thread(target=lambda: responses.append(large.offload_result("rows", {}, ROWS))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {path.parent.name for path in files(tmp_path)} == {"a"}
    assert all("row 2999" in asks(large, response, Call()).text for response in responses)


def test_another_framework_is_named():
    import lro

    for name in ("adk", "agent_framework", "claude", "langchain", "openai_agents", "pydantic_ai"):
        with pytest.raises(ImportError, match=f"`lro.{name}` needs .* or later, and it is not installed: pip install"):
            getattr(lro, name)


CYCLIC: list = []
CYCLIC.append(CYCLIC)


@pytest.mark.parametrize("arguments", [{"a": CYCLIC}, {(1, 2): 3}, "text", 5])
def test_arguments_that_are_no_object_of_json_cost_no_result_and_raise_nothing(tmp_path, arguments):
    large = AgentOffloader(str(tmp_path / "results"), cleanup=False)
    assert large.offload_result("rows", arguments, [{"id": i} for i in range(2000)]) is not None
    answer = large.call("lro_extract", arguments)
    assert answer.is_error and "arguments" in answer.text


def test_arguments_may_be_their_text(tmp_path):
    large = AgentOffloader(str(tmp_path / "results"), cleanup=False)
    path = json.loads(large.offload_result("rows", {}, [{"id": i} for i in range(2000)]))["file_path"]
    answer = large.call("lro_extract", json.dumps({"file_path": path, "query": ".id", "limit": 1}))
    assert not answer.is_error and json.loads(answer.text)["results"] == [0]


def test_a_log_that_fails_costs_no_result_and_is_told_once(tmp_path, caplog):
    def broken(_event):
        raise ValueError("broken")

    large = AgentOffloader(str(tmp_path / "results"), cleanup=False, on_event=broken)
    for _ in range(2):
        assert large.offload_result("rows", {}, [{"id": i} for i in range(2000)]) is not None
    assert large.offload_result("odd", {}, CYCLIC) is None
    assert caplog.text.count("on_event failed") == 1
