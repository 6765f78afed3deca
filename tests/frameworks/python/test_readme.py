"""The examples of the README of embed/python for frameworks: what each makes is an agent that offloads."""

import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

import test_adk
import test_agent_framework
import test_claude
import test_langchain
import test_openai_agents
import test_pydantic_ai
from agents import RunConfig, Runner, function_tool
from claude_agent_sdk import create_sdk_mcp_server, query
from google.adk.agents import LlmAgent
from google.genai import types
from promises import TITLE, Script, read

import real_tools

README = Path(__file__).parents[3] / "embed" / "python" / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


class Readme(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before, tempfile.tempdir = tempfile.tempdir, folder.name
        self.addCleanup(setattr, tempfile, "tempdir", before)
        self.script = Script([("memories", {})], read(TITLE))
        self.output = Path(folder.name)

    def run_example(self, text: str, **given: Any) -> Any:
        [code] = [example for example in EXAMPLES if text in example]
        exec(compile(code, str(README), "exec"), given)
        return given

    def tearDown(self) -> None:
        self.assertEqual(json.loads(self.script.seen[2][0])["results"], ["Architecture Decision Records"])
        self.assertTrue(list(self.output.rglob("*.jsonl")))

    async def test_langchain(self):
        model = test_langchain.Model(script=self.script)
        agent = self.run_example("create_agent(", model=model, tools=[real_tools.memories])["agent"]
        await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]})

    async def test_claude(self):
        case = test_claude.Claude()
        case.setUp()
        self.addCleanup(case.doCleanups)
        data = {**create_sdk_mcp_server("data", tools=[test_claude.made(real_tools.memories)]), "alwaysLoad": True}
        with case.api(self.script) as api:
            made = self.run_example("ClaudeAgentOptions(", servers={"data": data})["options"]
            for key, value in vars(case.options(api, allowed_tools=made.allowed_tools)).items():
                if key in ("cwd", "setting_sources", "model", "permission_mode"):
                    setattr(made, key, value)
                elif key == "env":
                    made.env.update(value, IS_SANDBOX="1")
            async for _ in query(prompt="go", options=made):
                pass

    async def test_openai_agents(self):
        given: Any = {"model": test_openai_agents.Played(self.script), "tools": [function_tool(real_tools.memories)]}
        agent = self.run_example("lro.openai_agents.offload(", **given, servers=[])["agent"]
        await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))

    async def test_pydantic_ai(self):
        given: Any = {"model": test_pydantic_ai.model(self.script), "tools": [real_tools.memories]}
        await self.run_example("capabilities=[", **given)["agent"].run("go")

    async def test_adk(self):
        played = test_adk.Played(model="played", script=self.script)
        runner = self.run_example(
            "InMemoryRunner(", agent=LlmAgent(name="helper", model=played, tools=[real_tools.memories])
        )["runner"]
        session = await runner.session_service.create_session(app_name=runner.app_name, user_id="me")
        message = types.Content(role="user", parts=[types.Part.from_text(text="go")])
        async for _ in runner.run_async(user_id="me", session_id=session.id, new_message=message):
            pass

    async def test_agent_framework(self):
        given: Any = {"client": test_agent_framework.Played(self.script), "tools": [real_tools.memories]}
        await self.run_example("context_providers=[", **given)["agent"].run("go")
