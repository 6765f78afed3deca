"""The application in wasmCloud's own runtime, as `wash dev` serves it, with the component beside it."""

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
        while cls.post("/", "[]")[0] != 200:
            if runtime.poll() is not None or time.monotonic() > ends:
                raise RuntimeError((cls.folder / "wash.log").read_text())
            time.sleep(0.5)

    @classmethod
    def post(cls, path, body):
        """Status and text of an answer; nothing listens with status 0."""
        request = urllib.request.Request(f"http://{cls.address}{path}", data=body.encode())
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def answer(self, path, body):
        status, text = self.post(path, body)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def extract(self, **arguments):
        return self.answer("/extract", json.dumps(arguments))

    def test_a_large_result_is_in_the_volume_and_answered_from(self):
        response = self.answer("/", json.dumps(ISSUES))
        path = response["file_path"]
        self.assertTrue(path.startswith("/results/"), path)
        file = self.results / Path(path).name
        self.assertEqual([json.loads(line) for line in file.read_text().splitlines()[1:]], ISSUES)
        found = self.extract(file_path=path, where=["id>=495", "state=open"], select=["id"])
        self.assertEqual([record["id"] for record in found["structuredContent"]["results"]], [496, 497, 499])

    def test_a_small_result_comes_back_as_it_is(self):
        self.assertEqual(self.post("/", '[{"a": 1}]'), (200, '[{"a": 1}]'))

    def test_nothing_outside_of_the_volume_is_reached(self):
        for path in ("/etc/passwd", "/results/../etc/passwd", "/results"):
            refused = self.extract(file_path=path, query=".")
            self.assertTrue(refused["isError"], refused)
            self.assertIn("outside", refused["content"][0]["text"])

    def test_another_path_is_told_what_there_is(self):
        status, text = self.post("/elsewhere", "")
        self.assertEqual(status, 404)
        self.assertIn("/extract", text)


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
