"""The bundle: judged by the tool of its format, unpacked by it, and started as a client starts it."""

import json
import shutil
import unittest
from pathlib import Path

from built import COMMAND, NODE, artefact, run, version
from empty import Empty, assert_served, served

TOOL = NODE / "node_modules/.bin/mcpb"


class Bundle(unittest.TestCase):
    def setUp(self):
        self.empty = Empty()
        self.folder = self.empty.folder / "unpacked"
        run(TOOL, "unpack", artefact("*.mcpb"), self.folder)
        self.manifest = json.loads((self.folder / "manifest.json").read_text())

    def test_its_manifest_is_valid(self):
        self.assertIn("passes", run(TOOL, "validate", self.folder / "manifest.json"))
        self.assertEqual(self.manifest["version"], version())

    def test_it_reads_what_was_offloaded(self):
        file = self.empty.offloaded(COMMAND)
        values = {"__dirname": str(self.folder), "user_config.output_dir": str(file.parent)}
        server = self.manifest["server"]["mcp_config"]
        command = [filled(word, values) for word in [server["command"], *server["args"]]]
        interpreter = Path(shutil.which("node")).resolve().parent
        assert_served(served(*command, env=self.empty.environment(interpreter), file=str(file)))


def filled(word: str, values: dict) -> str:
    """An argument with what the client and its user say."""
    for name, value in values.items():
        word = word.replace(f"${{{name}}}", value)
    return word
