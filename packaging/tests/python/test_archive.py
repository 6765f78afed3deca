"""The archive: unpacked anywhere, and found by cargo-binstall."""

import json
import re
import tarfile
import tomllib
import unittest

from built import ROOT, artefact, dist, manifest, run, version
from empty import Empty


class Archive(unittest.TestCase):
    def setUp(self):
        self.archive = artefact("lro-*.tar.gz")
        self.name = self.archive.name.removesuffix(".tar.gz")

    def test_it_works_where_it_is_unpacked(self):
        empty = Empty()
        empty.run("tar", "--extract", "--file", self.archive)
        command = empty.folder / self.name / "lro"
        self.assertTrue(empty.run(command, "--version").startswith(f"lro {version()}"))
        empty.main_job(command)

    def test_it_has_what_a_packager_needs(self):
        with tarfile.open(self.archive) as archive:
            entries = archive.getmembers()
        names = {entry.name.removeprefix(f"{self.name}/") for entry in entries}
        wanted = {"README.md", "LICENSE-MIT", "LICENSE-APACHE", "man/lro.1", "man/lro-extract.1"}
        self.assertLessEqual(wanted | {"completions/lro.bash", "completions/_lro", "completions/lro.fish"}, names)
        self.assertEqual({(entry.uid, entry.gid, entry.mtime) for entry in entries}, {(0, 0, manifest()["time"])})
        self.assertLessEqual({entry.mode for entry in entries}, {0o644, 0o755})

    def test_its_digest_stands_beside_it(self):
        self.assertIn("OK", run("sha256sum", "--check", f"{self.archive.name}.sha256", cwd=dist()))

    def test_binstall_finds_it(self):
        """The templates of the manifest, filled in as cargo-binstall does."""
        workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
        package = tomllib.loads((ROOT / "cli/Cargo.toml").read_text())["package"]
        rules = package["metadata"]["binstall"]
        target = self.name.removeprefix(f"lro-{version()}-")
        values = {"repo": workspace["repository"], "version": version(), "target": target, "bin": "lro", "binary-ext": ""}
        filled = {key: re.sub(r"\{ ([\w-]+) \}", lambda found: values[found[1]], rules[key]) for key in ["pkg-url", "bin-dir"]}
        self.assertEqual(filled["pkg-url"], f"{workspace['repository']}/releases/download/v{version()}/{self.archive.name}")
        self.assertEqual(rules["pkg-fmt"], "tgz")
        with tarfile.open(self.archive) as archive:
            self.assertTrue(archive.getmember(filled["bin-dir"]).isfile())
        self.assertEqual(json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1", cwd=ROOT))["packages"][0]["metadata"], {"binstall": rules})
