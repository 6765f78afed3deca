"""What is said about a release: its digests, what is in it, where it is registered, and that it can be built again."""

import json
import re
import unittest
from importlib import metadata
from importlib.resources import files
from pathlib import Path

import jsonschema
from referencing import Registry, Resource

from built import COMMIT, NODE, ROOT, artefact, both, dist, manifest, run, version
from packaging.version import Version


class Release(unittest.TestCase):
    def test_every_artefact_has_a_digest(self):
        self.assertNotIn("FAILED", run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist()))
        listed = {entry["name"] for entry in manifest()["artefacts"]}
        self.assertEqual(listed | {"MANIFEST.json", "SHA256SUMS"}, {file.name for file in dist().iterdir()})
        self.assertEqual(manifest()["commit"], COMMIT)

    def test_it_is_built_again_with_the_same_bytes(self):
        digests = [(folder / "SHA256SUMS").read_text().splitlines() for folder in both()]
        self.assertGreater(len(digests[0]), 10)
        self.assertEqual(*digests)

    def test_the_bills_are_of_the_form_of_cyclonedx(self):
        folder = files("cyclonedx.schema._res")
        named = {Path(file.name).name: json.loads(file.read_text()) for file in folder.iterdir() if file.name.endswith(".schema.json")}
        others = {"spdx.schema.json": "spdx.SNAPSHOT.schema.json", "jsf-0.82.schema.json": "jsf-0.82.SNAPSHOT.schema.json"}
        schema = named["bom-1.6.SNAPSHOT.schema.json"]
        base = schema["$id"].rsplit("/", 1)[0]
        registry = Registry().with_resources([(f"{base}/{name}", Resource.from_contents(named[file])) for name, file in others.items()])
        bills = sorted(dist().glob("*.cdx.json"))
        self.assertEqual(len(bills), 3)
        for bill in bills:
            jsonschema.Draft7Validator(schema, registry=registry).validate(json.loads(bill.read_text()))

    def test_the_bill_of_the_command_has_what_is_in_it(self):
        bill = json.loads(artefact(f"lro-{version()}-*.cdx.json").read_text())
        parts = {part["name"]: part for part in bill["components"]}
        self.assertLessEqual({"wasmtime", "jaq-core", "rmcp", "rustls", "lro-guest", "lro-tokens"}, set(parts))
        lock = (ROOT / "Cargo.lock").read_text()
        [wasmtime] = re.findall(r'name = "wasmtime"\n(?:.*\n)*?checksum = "(\w+)"', lock)
        self.assertEqual(parts["wasmtime"]["hashes"], [{"alg": "SHA-256", "content": wasmtime}])
        # Neither of the build nor of the tests.
        self.assertFalse({"proptest", "lro-tests", "divan"} & set(parts))
        self.assertGreaterEqual(Version(metadata.version("cyclonedx-python-lib")), Version("11"))

    def test_the_entry_of_the_registry_is_valid(self):
        entry = json.loads(artefact("server.json").read_text())
        published = metadata.distribution("skillsaw").locate_file("skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json")
        schema = json.loads(Path(published).read_text())
        self.assertEqual(entry["$schema"], schema["$id"])
        jsonschema.Draft7Validator(schema).validate(entry)
        by_type = {package["registryType"]: package for package in entry["packages"]}
        self.assertEqual(set(by_type), {"npm", "pypi", "mcpb", "oci"})
        digests = {each["name"]: each["sha256"] for each in manifest()["artefacts"]}
        self.assertEqual(by_type["mcpb"]["fileSha256"], digests[by_type["mcpb"]["identifier"].rsplit("/", 1)[1]])

    def test_the_workflow_of_a_release_has_no_fault(self):
        workflow = ROOT / ".github/workflows/release.yml"
        faults = json.loads(run("node", NODE / "lint.mjs", workflow))
        # The linter knows the machines of its own time only.
        machines = re.compile(r'label "(ubuntu-24.04(-arm)?|macos-15(-intel)?|windows-2025)" is unknown')
        self.assertEqual([fault for fault in faults if not machines.match(fault["message"])], [])
        self.assertEqual({fault["kind"] for fault in faults}, {"runner-label"})
        self.assertIn("packaging/build", workflow.read_text())
