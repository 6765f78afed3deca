"""The npm packages, installed without a network into an empty folder and an empty cache."""

import json
import shutil
import tarfile
import unittest
from pathlib import Path

from built import artefact, version
from empty import COUNT, Empty, assert_served, served

INTERPRETER = Path(shutil.which("node")).resolve().parent

# The package as a library.
PROGRAM = """
import { readFileSync } from "node:fs";
import { Lro } from "lro-component";
const lro = await Lro.open({ outputDir: "results" });
const { response } = await lro.offload({ payload: readFileSync("memories.json", "utf8"), operation: "recall", detail: "full" });
const { results } = await lro.extract({ filePath: response.file_path, recipe: 1 });
console.log(JSON.stringify([response.summary.count, results.length]));
"""


class Npm(unittest.TestCase):
    def setUp(self):
        self.portable = artefact(f"lro-component-{version()}.tgz")
        self.native = artefact(f"lro-component-linux-*-{version()}.tgz")
        self.empty = Empty()
        self.programs = [INTERPRETER, Path(shutil.which("npm")).parent]
        self.bin = self.empty.folder / "node_modules/.bin/lro"

    def install(self, *packages):
        """What a user does, with nothing in reach but the files."""
        options = ["--offline", "--no-audit", "--no-fund", "--cache", self.empty.home / "cache"]
        self.empty.run("npm", "install", *options, *packages, programs=self.programs)

    def test_the_command_is_native_where_its_package_is_installed(self):
        self.install(self.portable, self.native)
        self.assertTrue(self.empty.run(self.bin, "--version", programs=self.programs).startswith(f"lro {version()}\n"))
        self.empty.main_job(self.bin, programs=self.programs)

    def test_the_command_is_javascript_elsewhere(self):
        self.install(self.portable)
        self.assertFalse((self.empty.folder / "node_modules/lro-component-linux-x64").exists())
        self.empty.main_job(self.bin, programs=self.programs)

    def test_it_serves_what_it_has_offloaded(self):
        self.install(self.portable)
        file = self.empty.offloaded("env", f"PATH={INTERPRETER}:/usr/bin:/bin", self.bin)
        server = ["node", self.bin, "mcp", "--output-dir", file.parent]
        assert_served(served(*server, env=self.empty.environment(*self.programs), file=str(file)))

    def test_it_is_a_library(self):
        self.install(self.portable)
        (self.empty.folder / "program.mjs").write_text(PROGRAM)
        counts = self.empty.run("node", "program.mjs", programs=self.programs)
        self.assertEqual(json.loads(counts), [COUNT, COUNT])

    def test_the_packages_know_each_other(self):
        manifests = [self.manifest(package) for package in (self.portable, self.native)]
        self.assertEqual(manifests[0]["optionalDependencies"][manifests[1]["name"]], manifests[1]["version"])
        self.assertEqual(manifests[1]["os"], ["linux"])

    def manifest(self, package: Path) -> dict:
        """The package.json of a package."""
        with tarfile.open(package) as archive:
            return json.load(archive.extractfile("package/package.json"))
