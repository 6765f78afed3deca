"""The tools in the real wassette, called by the official client of Python."""

import json
import tempfile
import unittest
from pathlib import Path

from contract import documentation
from wassette import Wassette, policy

ISSUES = [{"id": number, "state": "open" if number % 3 else "closed", "body": "x" * 90} for number in range(2_000)]

# What clients put in front of the name of a server's tool; names of more than 64 characters are refused by some.
CLIENT_PREFIX = "mcp__wassette__"
LONGEST_NAME = 64

# A larger answer is put aside by clients.
LARGEST_ANSWER = 8 * 1024


class Tools(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.wassette = Wassette(cls.folder)
        cls.loaded = cls.wassette.load()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.results, self.other = (Path(folder.name) / name for name in ("results", "other"))
        self.results.mkdir()
        self.other.mkdir()
        self.wassette.put(policy(self.results))

    async def call(self, client, tool, **arguments):
        """What a tool answers: its text, and whether it is that of an error."""
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        answer = await client.call_tool(tool, named)
        self.assertFalse(answer.is_error, answer)
        outcome = json.loads(answer.content[0].text)
        self.assertEqual(answer.structured_content, {"result": outcome})
        ((case, text),) = outcome.items()
        return text, case == "err"

    async def answer(self, client, tool, **arguments):
        text, is_error = await self.call(client, tool, **arguments)
        self.assertFalse(is_error, text)
        return json.loads(text)

    async def error(self, client, tool, **arguments):
        text, is_error = await self.call(client, tool, **arguments)
        self.assertTrue(is_error, text)
        return text

    async def offload(self, client):
        return await self.answer(client, "lro-offload", payload=json.dumps(ISSUES), operation="search_issues")

    async def query(self, client, path, filter, slurp=False, next=""):
        return await self.answer(client, "lro-query", file_path=path, filter=filter, slurp=slurp, next=next)

    async def refused(self, client, path):
        return await self.error(client, "lro-query", file_path=path, filter=".", slurp=False, next="")

    async def test_each_function_is_a_tool_with_its_documentation(self):
        documented = documentation()
        self.assertEqual(self.loaded["tools"], list(documented))
        async with self.wassette.client() as client:
            tools = (await client.list_tools()).tools
        self.assertEqual({tool.name: tool.description for tool in tools}, documented)
        for tool in tools:
            self.assertLessEqual(len(CLIENT_PREFIX + tool.name), LONGEST_NAME)
            parameters = tool.input_schema["properties"]
            self.assertEqual(tool.input_schema["required"], list(parameters))
            for name, schema in parameters.items():
                self.assertIn(schema["type"], ("string", "number", "boolean", "array"), name)
                self.assertIn(f"`{name}`", tool.description)

    async def test_a_large_result_is_offloaded_and_answered_from(self):
        async with self.wassette.client() as client:
            response = await self.offload(client)
            file = Path(response["file_path"])
            self.assertEqual(file.parent, self.results)
            self.assertEqual([json.loads(line) for line in file.read_text().splitlines()[1:]], ISSUES)
            path = str(file)
            self.assertIn(path, response["jq_recipes"][0]["command"])

            described = await self.answer(client, "lro-describe", file_path=path)
            self.assertEqual(described["shape"], "array(2000) of object(3 keys)")

            labels = [recipe["description"] for recipe in response["jq_recipes"]]
            by_state = labels.index("Filter by state") + 1
            found = await self.answer(
                client, "lro-recipe", file_path=path, recipe=by_state, params='{"value": "closed"}', next=""
            )
            self.assertEqual(found["results"][0], ISSUES[0])

            grouped = await self.query(client, path, "group_by(.state) | map(length)", slurp=True)
            self.assertEqual(grouped["results"], [667, 1333])

            last = await self.answer(
                client,
                "lro-find",
                file_path=path,
                conditions=["id>=1990", "state=open"],
                fields=["id"],
                sort_by="-id",
                next="",
            )
            self.assertEqual([record["id"] for record in last["results"]], [1999, 1997, 1996, 1994, 1993, 1991, 1990])

    async def test_answers_are_pages_that_clients_show(self):
        async with self.wassette.client() as client:
            path = (await self.offload(client))["file_path"]
            numbers, next_page = [], ""
            while next_page is not None:
                text, is_error = await self.call(
                    client, "lro-query", file_path=path, filter="{id}", slurp=False, next=next_page
                )
                self.assertFalse(is_error, text)
                self.assertLessEqual(len(json.dumps({"ok": text})), LARGEST_ANSWER)
                page = json.loads(text)
                numbers += [record["id"] for record in page["results"]]
                next_page = page.get("next")
            self.assertEqual(numbers, list(range(len(ISSUES))))

    async def test_a_small_result_comes_back_as_it_is(self):
        async with self.wassette.client() as client:
            text, is_error = await self.call(client, "lro-offload", payload='[{"a": 1}]', operation="search_issues")
            self.assertEqual((text, is_error), ('[{"a": 1}]', False))
        self.assertEqual(list(self.results.iterdir()), [])

    async def test_mistakes_are_answered_with_what_mends_them(self):
        async with self.wassette.client() as client:
            path = (await self.offload(client))["file_path"]
            wrong = await self.error(client, "lro-query", file_path=path, filter="selct(.id)", slurp=False, next="")
            self.assertIn("select", wrong)
            params = await self.error(client, "lro-recipe", file_path=path, recipe=3, params="cache", next="")
            self.assertIn('{"keyword": "cache"}', params)
            missing = await client.call_tool("lro-describe", {})
            self.assertTrue(missing.is_error)

    async def test_what_is_not_granted_is_not_reached(self):
        async with self.wassette.client() as client:
            file = Path((await self.offload(client))["file_path"])
            elsewhere = self.other / file.name
            elsewhere.write_bytes(file.read_bytes())
            link = self.results / file.name.replace(file.stem[-4:], "0000")
            link.symlink_to(elsewhere)
            for path in (elsewhere, "/etc/passwd", self.results / "../other" / file.name):
                self.assertIn("outside", await self.refused(client, str(path)))
            self.assertIn("not a regular file", await self.refused(client, str(link)))

    async def test_a_directory_that_is_not_granted_costs_no_result(self):
        for granted in (None, policy(self.results, access=["read"])):
            self.wassette.put(granted)
            async with self.wassette.client() as client:
                truncated = await self.offload(client)
                self.assertEqual((truncated["offloaded"], truncated["total"]), (False, len(ISSUES)))
                self.assertEqual(truncated["results"][0], ISSUES[0])
            self.assertEqual(list(self.results.iterdir()), [])

    async def test_the_memory_of_the_policy_bounds_a_filter(self):
        filter = "[range(4e6)] | length"
        async with self.wassette.client() as client:
            path = (await self.offload(client))["file_path"]
            self.assertEqual((await self.query(client, path, filter, slurp=True))["results"], [4_000_000])
        self.wassette.put(policy(self.results, memory="32Mi"))
        async with self.wassette.client() as client:
            arguments = {"file-path": path, "filter": filter, "slurp": True, "next": ""}
            answer = await client.call_tool("lro-query", arguments)
            self.assertTrue(answer.is_error, answer)
            self.assertEqual((await self.query(client, path, "length", slurp=True))["results"], [len(ISSUES)])


if __name__ == "__main__":
    unittest.main()
