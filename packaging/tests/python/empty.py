"""An environment that has nothing: no variables but a path to the system's programs, an empty home, and an empty folder."""

import json
import os
import shutil
from pathlib import Path

from built import NODE, ROOT, new_folder, run

MEMORIES = ROOT / "tests/fixtures/mif-memories.json"
COUNT = 362


class Empty:
    """A place in which an artefact is installed and used."""

    def __init__(self):
        self.folder = new_folder()
        self.home = self.folder / "home"
        self.home.mkdir()
        shutil.copyfile(MEMORIES, self.folder / "memories.json")

    def environment(self, *programs: Path) -> dict:
        """The variables. `programs` are folders of interpreters that the artefact needs."""
        path = [*map(str, programs), "/usr/bin", "/bin"]
        return {"HOME": str(self.home), "PATH": os.pathsep.join(path), "LANG": "C.UTF-8"}

    def run(self, *words, programs=(), **more) -> str:
        """What a program prints here."""
        return run(*words, cwd=self.folder, env=self.environment(*programs), **more)

    def main_job(self, *command, programs=(), folder="results", seen_as=None) -> None:
        """Offloads real memories with a command line of ours, reads the response, and extracts by recipe and by query.

        `seen_as` is the path of the folder as the command sees it, where that is another.
        """
        source = f"{seen_as}/memories.json" if seen_as else "memories.json"
        where = f"{seen_as}/{folder}" if seen_as else folder
        offload = ["offload", source, "--operation", "recall", "--detail", "full", "--output-dir", where]
        response = json.loads(self.run(*command, *offload, programs=programs))
        assert response["offloaded"] is True and response["summary"]["count"] == COUNT, response
        path = response["file_path"]
        titles = self.run(*command, "extract", path, "--recipe", "1", programs=programs).splitlines()
        assert len(titles) == COUNT and all(titles), titles[:3]
        query = ["--query", "select(.provenance.confidence >= 0.98) | .title", "--raw"]
        assert "North Field Soil Profile - January 2026" in self.run(*command, "extract", path, *query, programs=programs)

    def offloaded(self, *command) -> Path:
        """A file of results here, which a command line of ours writes."""
        line = ["offload", "memories.json", "--operation", "recall", "--detail", "full", "--output-dir", "results"]
        return self.folder / json.loads(self.run(*command, *line))["file_path"]


def served(*command, env: dict, file: str) -> dict:
    """What the official client of MCP sees of a server: its name, its tools, and two answers about a file."""
    client = ["node", NODE / "client.mjs", file, "--", *command]
    return json.loads(run(*client, env={**os.environ, "SERVER_ENVIRONMENT": json.dumps(env)}))


def assert_served(seen: dict) -> None:
    """The tools read a file of memories."""
    assert seen["server"]["name"] == "lro", seen
    assert {"lro_describe", "lro_extract", "lro_read", "lro_search"} <= set(seen["tools"]), seen
    assert str(COUNT) in seen["described"], seen
    assert "North Field Soil Profile" in seen["extracted"], seen
