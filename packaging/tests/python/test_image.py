"""The image: loaded and run by the real buildah, which needs no daemon."""

import json
import os
import tarfile
import unittest

from built import artefact, new_folder, run, version
from empty import Empty, assert_served, served

# buildah starts itself again from a sealed copy in memory. Linux refuses the seal with EBUSY while it still holds a page of that
# copy, and buildah does not ask again. Nothing has been run or read by then, so the same command is started once more.
UNTIL_SEALED = """
errors=$(mktemp)
for _ in 1 2 3 4 5; do
  status=0
  "$@" 2>"$errors" || status=$?
  grep -q "sealing memfd copy: Device or resource busy" "$errors" || break
done
cat "$errors" >&2
rm "$errors"
exit "$status"
"""


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = new_folder()
        policy = cls.store / "policy.json"
        policy.write_text('{"default":[{"type":"insecureAcceptAnything"}]}')
        image = f"oci-archive:{artefact('*.image.tar')}"
        cls.container = cls.buildah("from", "--signature-policy", policy, image).strip()

    @classmethod
    def command(cls, *arguments) -> list:
        """buildah with a store of its own, as in packaging/artefacts/image.py."""
        words = ["buildah", "--storage-driver", "vfs", "--root", cls.store / "images", "--runroot", cls.store / "run", *arguments]
        return words if os.getuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount", *words]

    @classmethod
    def variables(cls) -> dict:
        """A user who is root already, or in a name space."""
        return {"_CONTAINERS_USERNS_CONFIGURED": "1", "HOME": str(cls.store), "XDG_RUNTIME_DIR": str(cls.store), "PATH": os.environ["PATH"]}

    @classmethod
    def buildah(cls, *arguments) -> str:
        """What buildah prints."""
        return run(*cls.command(*arguments), env=cls.variables())

    def lro(self, folder) -> list:
        """The command in the container, with a folder of ours as `/data`, as the user of the image."""
        if os.getuid() == 0:
            options = ["--isolation", "chroot", "--volume", f"{folder}:/data", self.container, "--"]
            variables = [f"{name}={value}" for name, value in self.variables().items()]
            return ["env", *variables, "sh", "-c", UNTIL_SEALED, "sh", *self.command("run", *options), "/usr/bin/lro"]
        # Without root there are no other users: the files of the image are the root of a name space.
        root = self.unpacked()
        enter = 'root="$1" folder="$2"; shift 2; mount --bind "$folder" "$root/data" && cd / && exec chroot "$root" /usr/bin/lro "$@"'
        return ["unshare", "--user", "--map-root-user", "--mount", "env", "HOME=/tmp", "sh", "-c", enter, "lro", root, folder]

    def unpacked(self):
        """The layer of the image as a folder."""
        root = new_folder()
        with tarfile.open(artefact("*.image.tar")) as image:
            blob = lambda described: image.extractfile(f"blobs/{described['digest'].replace(':', '/')}")
            index = json.load(image.extractfile("index.json"))
            [layer] = json.load(blob(index["manifests"][0]))["layers"]
            with tarfile.open(fileobj=blob(layer)) as files:
                files.extractall(root, filter="tar")
        return root

    def test_it_does_the_main_job(self):
        empty = Empty()
        empty.folder.chmod(0o777)
        lro = self.lro(empty.folder)
        self.assertTrue(empty.run(*lro, "--version").startswith(f"lro {version()}"))
        empty.main_job(*lro, seen_as="/data")

    def test_it_serves_what_it_has_offloaded(self):
        empty = Empty()
        empty.folder.chmod(0o777)
        lro = self.lro(empty.folder)
        line = ["offload", "/data/memories.json", "--operation", "recall", "--output-dir", "/data/results"]
        file = json.loads(empty.run(*lro, *line))["file_path"]
        assert_served(served(*lro, "mcp", "--output-dir", "/data/results", env=self.variables(), file=file))

    def test_nobody_is_root_in_it_and_nothing_else_is(self):
        about = json.loads(self.buildah("inspect", self.container))["OCIv1"]
        self.assertEqual(about["config"]["User"], "65532:65532")
        self.assertEqual(about["config"]["Entrypoint"], ["/usr/bin/lro"])
        self.assertEqual(about["config"]["Labels"]["io.modelcontextprotocol.server.name"], "io.github.OWNER/lro")
        [layer] = about["rootfs"]["diff_ids"]
        with tarfile.open(artefact("*.image.tar")) as image:
            index = json.load(image.extractfile("index.json"))
        self.assertEqual(len(index["manifests"]), 1, layer)
