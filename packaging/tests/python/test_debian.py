"""The package of Debian, installed by the real dpkg into an empty root and removed again."""

import os
import shutil
import unittest

from built import artefact, run, version
from empty import Empty


class Debian(unittest.TestCase):
    def setUp(self):
        self.package = artefact("lro_*.deb")
        self.empty = Empty()
        self.root = self.empty.folder / "root"

    def dpkg(self, *arguments) -> str:
        """dpkg with a root of its own, and what this system has installed: dependencies are those of this system."""
        known = self.root / "var/lib/dpkg"
        if not known.exists():
            (known / "info").mkdir(parents=True)
            (known / "updates").mkdir()
            shutil.copyfile("/var/lib/dpkg/status", known / "status")
            (known / "available").touch()
        folders = [f"--instdir={self.root}", f"--admindir={known}", f"--log={self.root}/log"]
        # It wants to find them, also where nothing is configured.
        path = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
        return run("dpkg", "--force-not-root", "--force-script-chrootless", *folders, *arguments, env=path)

    def test_it_is_installed_used_and_removed(self):
        self.dpkg("--install", self.package)
        command = self.root / "usr/bin/lro"
        self.assertTrue(self.empty.run(command, "--version").startswith(f"lro {version()}"))
        self.empty.main_job(command)
        self.assertEqual(self.dpkg("--verify", "lro"), "")
        self.dpkg("--purge", "lro")
        self.assertFalse((self.root / "usr/bin/lro").exists())
        self.assertFalse((self.root / "usr/share/doc/lro").exists())

    def test_it_says_what_it_is(self):
        fields = run("dpkg-deb", "--field", self.package, "Package", "Version", "Architecture")
        self.assertIn(f"Package: lro\nVersion: {version()}-1\n", fields)
        listed = run("dpkg-deb", "--contents", self.package)
        for file in ["man/man1/lro.1.gz", "bash-completion/completions/lro", "doc/lro/copyright", "doc/lro/changelog.gz", "doc/lro/changelog.Debian.gz"]:
            self.assertIn(f"./usr/share/{file}\n", listed)
        self.assertNotRegex(listed, r"(?m)^\S+ (?!root/root)")
