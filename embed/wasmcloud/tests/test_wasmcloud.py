"""The application in wasmCloud's own runtime, as `wash dev` serves it: the component beside it, and a folder as the store.

`tests/scale` runs it on hosts that share a store.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

SOURCES = Path(__file__).parent.parent
APPLICATION, COMPONENT = (Path(os.environ[name]) for name in ("LRO_APPLICATION", "LRO_COMPONENT"))

ISSUES = [{"id": number, "state": "open" if number % 3 else "closed", "body": "x" * 90} for number in range(500)]

# The one in the configuration that is shipped.
TOKEN = "a-token-for-development"

# Compiling the component takes some seconds, several times that on a machine with more to do.
STARTS_WITHIN_SECONDS = 240


class Application(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.results = cls.folder / "results"
        (cls.folder / ".wash").mkdir()
        cls.results.mkdir()
        shutil.copy(APPLICATION, cls.folder / "application.wasm")
        shutil.copy(COMPONENT, cls.folder / "lro.wasm")
        with socket.create_server(("127.0.0.1", 0)) as free:
            cls.address = f"127.0.0.1:{free.getsockname()[1]}"
        (cls.folder / ".wash" / "config.yaml").write_text(configuration(cls.address))
        cls.start()

    @classmethod
    def start(cls):
        """Starts the runtime, and waits until it serves the application."""
        log = (cls.folder / "wash.log").open("w+")
        cls.addClassCleanup(log.close)
        wash = Path(sys.executable).with_name("wash")
        homes = {name: str(cls.folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        line = [wash, "--non-interactive", "-C", cls.folder, "dev"]
        environment = {"PATH": os.environ["PATH"], **homes}
        runtime = subprocess.Popen(line, stdout=log, stderr=log, cwd=cls.folder, env=environment)
        cls.addClassCleanup(runtime.wait)
        cls.addClassCleanup(runtime.terminate)
        ends = time.monotonic() + STARTS_WITHIN_SECONDS
        while cls.post("/offload", "[]")[0] != 200:
            if runtime.poll() is not None or time.monotonic() > ends:
                raise RuntimeError((cls.folder / "wash.log").read_text())
            time.sleep(0.5)

    @classmethod
    def post(cls, path, body):
        """Status and text of an answer; nothing listens with status 0."""
        headers = {"authorization": f"Bearer {TOKEN}", "lro-request": '{"operation": "list_issues"}'}
        data = None if body is None else body.encode()
        request = urllib.request.Request(f"http://{cls.address}{path}", data=data, headers=headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def stored(self):
        status, text = self.post("/offload", json.dumps(ISSUES))
        self.assertEqual(status, 201, text)
        return json.loads(text)["file_path"]

    def extract(self, path, **arguments):
        status, text = self.post(path, json.dumps(arguments))
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def test_a_large_result_is_in_the_store_and_answered_from(self):
        path = self.stored()
        self.assertTrue(path.startswith("/results/"), path)
        (file,) = [file for file in self.results.rglob("*") if file.name == Path(path).name]
        self.assertEqual([json.loads(line) for line in file.read_text().splitlines()[1:]], ISSUES)
        found = self.extract(path, where=["id>=495", "state=open"], select=["id"])
        self.assertEqual([record["id"] for record in found["results"]], [496, 497, 499])
        self.assertEqual(self.post(f"{path}/document", None), (200, json.dumps(ISSUES)))

    def test_mcp_reads_it_too(self):
        arguments = {"file_path": self.stored(), "where": ["id=7"], "select": ["id"]}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "lro_extract", "arguments": arguments}}
        answer = self.extract("/mcp", **call)
        self.assertEqual(answer["result"]["structuredContent"]["results"], [{"id": 7}])

    def test_a_small_result_comes_back_as_it_is(self):
        self.assertEqual(self.post("/offload", '[{"a": 1}]'), (200, '[{"a": 1}]'))

    def test_a_cleanup_leaves_nothing(self):
        path = self.stored()
        self.assertGreaterEqual(self.extract("/cleanup", ttl_seconds=0)["deleted"], 1)
        status, text = self.post(path, '{"recipe": 1}')
        self.assertEqual((status, json.loads(text)["case"]), (404, "not-found"))

    def test_nothing_outside_of_the_store_is_reached(self):
        for path in ("/results/../etc/passwd", "/results/.hidden", "/results/a/b/c"):
            status, text = self.post(path, '{"query": "."}')
            self.assertEqual((status, json.loads(text)["case"]), (403, "outside"), path)

    def test_another_path_is_told_what_there_is(self):
        status, text = self.post("/elsewhere", "")
        self.assertEqual((status, json.loads(text)["hint"]), (404, "GET / lists the routes."))


def configuration(address):
    """The configuration that is shipped, for what has been built already."""
    text = (SOURCES / ".wash" / "config.yaml").read_text()
    places = {
        "cargo build --locked --release --target wasm32-wasip2 --target-dir target": '"true"',
        "target/wasm32-wasip2/release/lro_wasmcloud.wasm": "application.wasm",
        "127.0.0.1:8000": address,
    }
    for shipped, wanted in places.items():
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, wanted)
    return text


if __name__ == "__main__":
    unittest.main()
