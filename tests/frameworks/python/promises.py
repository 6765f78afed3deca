"""What every framework's adapter promises, as tests over one conversation: each framework brings its own fake model and loop."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import real_tools

# Frameworks log the errors that these tests make.
logging.disable(logging.CRITICAL)

OURS = {"lro_describe", "lro_extract", "lro_read", "lro_search"}
SERVER = [sys.executable, str(Path(__file__).with_name("server.py"))]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)

Calls = Sequence[tuple[str, dict[str, Any]]]


class Script:
    """What the fake model does: in each turn calls of tools, which may depend on the results that it has just seen; then it
    is done."""

    def __init__(self, *turns: Calls | Callable[[list[str]], Calls], tokens: int = 100) -> None:
        self._turns = list(turns)
        self.tokens = tokens
        """What the model says that it has read."""
        self.offered: list[set[str]] = []
        self.seen: list[list[str]] = []
        """For each turn the texts of the results that it was asked with."""

    def next(self, offered: Sequence[str], results: Sequence[str]) -> Calls:
        """The calls of a turn; none when it is done."""
        self.offered.append(set(offered))
        self.seen.append(list(results))
        turn = self._turns[len(self.seen) - 1] if len(self.seen) <= len(self._turns) else []
        return turn(list(results)) if callable(turn) else turn


def path_of(result: str) -> str:
    """The file that a response names."""
    response = json.loads(result)
    assert response["offloaded"] is True, result
    return response["file_path"]


def read(query: str) -> Callable[[list[str]], Calls]:
    """A turn that asks for something in the file of the one result that it has seen."""
    return lambda seen: [("lro_extract", {"file_path": path_of(seen[0]), "query": query})]


TITLE = 'select(.id == "reference-mif-adr-index") | .title'


class Promises:
    """The tests; a mixin for `unittest.IsolatedAsyncioTestCase`."""

    output: Path
    knows_tokens = True
    """Whether the framework tells what its model has read."""
    orders = "number: int"
    """The fields of a list of dataclasses."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.output = Path(folder.name) / "results"

    def adapter(self, **options: Any) -> Any:
        """The adapter, with the output directory of this test."""
        raise NotImplementedError

    async def converse(
        self,
        script: Script,
        tools: Sequence[Callable[..., Any]],
        *,
        adapter: Any = None,
        conversation: str | None = None,
        stream: bool = False,
        servers: Sequence[Sequence[str]] = (),
    ) -> None:
        """One run of an agent with the tools, the tools of the servers of MCP, and the adapter if there is one."""
        raise NotImplementedError

    def picture(self) -> Callable[..., Any]:
        """A tool `picture` that returns an image beside a short text, as the framework has it."""
        raise NotImplementedError

    def files(self) -> list[Path]:
        return sorted(path for path in self.output.rglob("*.jsonl")) if self.output.exists() else []

    def holds(self, script: Script, count: int) -> None:
        """The script was played to its end."""
        self.assertEqual(len(script.seen), count, script.seen)

    async def test_a_large_result_is_replaced_and_the_model_reads_from_its_file(self):
        script = Script([("memories", {})], read(TITLE))
        await self.converse(script, [real_tools.memories], adapter=self.adapter())
        self.holds(script, 3)
        self.assertLessEqual(OURS | {"memories"}, script.offered[0])
        self.assertEqual(json.loads(script.seen[1][0])["summary"]["count"], 362)
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])

    async def test_small_results_and_errors_are_what_they_are_without_it(self):
        calls = [("count", {}), ("missing", {})]
        tools = [real_tools.count, real_tools.missing]
        alone, offloading = Script(calls), Script(calls)
        await self.converse(alone, tools)
        await self.converse(offloading, tools, adapter=self.adapter())
        self.assertEqual(alone.seen, offloading.seen)
        self.assertEqual(len(alone.seen[1]), 2)
        self.assertEqual(self.files(), [])

    async def test_mistakes_in_calls_of_ours_are_answers(self):
        def wrong(seen: list[str]) -> Calls:
            paths.extend(path_of(text) for text in seen if not paths)
            return [("lro_extract", {"file_path": paths[0], "query": ".title |"})]

        paths: list[str] = []
        right = [lambda _: [("lro_extract", {"file_path": paths[0], "query": TITLE})]]
        script = Script([("memories", {})], wrong, wrong, wrong, wrong, *right)
        await self.converse(script, [real_tools.memories], adapter=self.adapter())
        self.holds(script, 7)
        self.assertIn("Architecture Decision Records", script.seen[6][0])

    async def test_calls_side_by_side(self):
        tools = [real_tools.memories, real_tools.earthquakes, real_tools.decisions, real_tools.count]
        script = Script([(tool.__name__, {}) for tool in tools])
        await self.converse(script, tools, adapter=self.adapter())
        self.holds(script, 2)
        memories, earthquakes, decisions, count = script.seen[1]
        self.assertEqual(len({path_of(memories), path_of(earthquakes), path_of(decisions)}), 3)
        self.assertIn("362", count)
        self.assertNotIn("offloaded", count)

    async def test_streaming(self):
        script = Script([("memories", {})], read(TITLE))
        await self.converse(script, [real_tools.memories], adapter=self.adapter(), stream=True)
        self.holds(script, 3)
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])

    async def test_no_conversation_reads_the_files_of_another(self):
        adapter = self.adapter()
        first = Script([("memories", {})], read("length"))
        await self.converse(first, [real_tools.memories], adapter=adapter, conversation=self.name(1))
        path = path_of(first.seen[1][0])
        asked = [("lro_extract", {"file_path": path, "query": TITLE})]
        second = Script(asked)
        await self.converse(second, [real_tools.memories], adapter=adapter, conversation=self.name(2))
        self.assertNotIn("Architecture", second.seen[1][0])
        self.assertIn("another conversation", second.seen[1][0])
        # As in another process, which goes on with the conversation.
        resumed = Script(asked)
        await self.converse(resumed, [real_tools.memories], adapter=self.adapter(), conversation=self.name(1))
        self.assertIn("Architecture Decision Records", resumed.seen[1][0])

    def name(self, number: int) -> str:
        return f"user/{number} of ours"

    async def test_objects_are_offloaded_as_their_json(self):
        tools = [real_tools.typed, real_tools.orders]
        script = Script([("typed", {}), ("orders", {})])
        await self.converse(script, tools, adapter=self.adapter())
        typed, orders = (json.loads(text) for text in script.seen[1])
        self.assertEqual((typed["summary"]["count"], orders["summary"]["count"]), (362, 2000))
        self.assertIn("title: string", typed["fields"])
        self.assertIn(self.orders, orders["fields"])

    async def test_an_image_stays(self):
        alone, offloading = Script([("picture", {})]), Script([("picture", {})])
        await self.converse(alone, [self.picture()])
        await self.converse(offloading, [self.picture()], adapter=self.adapter(threshold_tokens=0, min_saving=0.0))
        self.assertEqual(alone.seen, offloading.seen)
        self.assertEqual(len(alone.seen[1]), 1)
        self.assertEqual(self.files(), [])

    async def test_a_real_server_of_mcp(self):
        calls = [("count", {}), ("missing", {})]
        alone, script = Script(calls), Script([("memories", {})], read(TITLE), calls)
        await self.converse(alone, [], servers=[SERVER])
        await self.converse(script, [], servers=[SERVER], adapter=self.adapter())
        self.holds(script, 4)
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])
        self.assertEqual(script.seen[3], alone.seen[1])

    async def test_what_a_server_has_offloaded_stays(self):
        script = Script([("memories", {})])
        theirs = self.output.parent / "theirs"
        await self.converse(script, [], servers=[[*SERVER, str(theirs)]], adapter=self.adapter())
        self.assertIn(str(theirs), script.seen[1][0])
        self.assertEqual(self.files(), [])

    async def test_a_context_window(self):
        """A result of 5,000 bytes stays in a window of 8,192 tokens while 70 % of it are not full."""
        if not self.knows_tokens:
            # The results of earlier calls are summed up: two of 7,000 bytes fit, the third one does not.
            script = Script(*[[("first", {"count": 7000})] for _ in range(4)])
            await self.converse(script, [real_tools.first], adapter=self.adapter(context_tokens=8192, min_saving=0.0))
            offloaded = ["offloaded" in seen[0][:40] for seen in script.seen[1:]]
            self.assertEqual(offloaded, [False, False, False, True])
            return
        for tokens, expected in ((100, False), (5000, True)):
            script = Script([("first", {"count": 5000})], tokens=tokens)
            adapter = self.adapter(context_tokens=8192, min_saving=0.0)
            await self.converse(script, [real_tools.first], adapter=adapter)
            self.assertEqual("offloaded" in script.seen[1][0][:40], expected, script.seen[1])

    async def test_a_directory_that_cannot_be_used_does_not_end_the_agent(self):
        self.output.parent.joinpath("file").write_text("")
        self.output = self.output.parent / "file" / "results"
        events: list[Any] = []
        script = Script([("count", {})])
        await self.converse(script, [real_tools.count], adapter=self.adapter(on_event=events.append))
        self.holds(script, 2)
        self.assertFalse(OURS & script.offered[0])
        self.assertEqual([event.name for event in events], ["OffloadingUnavailable"])
