"""The manifests for Kubernetes: they have the fields that the operator's types have, and say the same as each other.

The operator's schema is in no package, so the fields that are used stand here, from `runtime.wasmcloud.dev_workloaddeployments`.
"""

import json
import unittest
from pathlib import Path

import jsonschema
import yaml

FOLDER = Path(__file__).parent.parent

TEXT = {"type": "string"}
TEXTS = {"type": "object", "additionalProperties": TEXT}


def members(required, **others):
    """An object that has these members and no other."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**required, **others},
    }


def listed(schema):
    return {"type": "array", "minItems": 1, "items": schema}


REFERENCES = listed(members({"name": TEXT}))
ENVIRONMENT = members({}, config=TEXTS, configFrom=REFERENCES, secretFrom=REFERENCES)
INTERFACE = members(
    {"namespace": TEXT, "package": TEXT, "interfaces": listed(TEXT)},
    version=TEXT,
    name=TEXT,
    config=TEXTS,
    configFrom=REFERENCES,
    secretFrom=REFERENCES,
)
COMPONENT = members(
    {"name": TEXT, "image": TEXT},
    localResources=members({}, environment=ENVIRONMENT, config=TEXTS, allowedHosts=listed(TEXT)),
    poolSize={"type": "integer"},
    maxInvocations={"type": "integer"},
)
WORKLOAD = members({"hostSelector": TEXTS, "hostInterfaces": listed(INTERFACE), "components": listed(COMPONENT)})
DEPLOYMENT = members(
    {
        "apiVersion": {"const": "runtime.wasmcloud.dev/v1alpha1"},
        "kind": {"const": "WorkloadDeployment"},
        "metadata": members({"name": TEXT}),
        "spec": members({"replicas": {"type": "integer"}, "template": members({"spec": WORKLOAD})}),
    }
)


def documents(file):
    return list(yaml.safe_load_all((FOLDER / file).read_text()))


class Manifests(unittest.TestCase):
    def setUp(self):
        self.secret, self.deployment = documents("workload.yaml")
        self.workload = self.deployment["spec"]["template"]["spec"]
        self.buckets = set(json.loads(self.secret["stringData"]["LRO_TENANTS"]))

    def test_the_workload_has_the_fields_of_the_operators_types(self):
        jsonschema.validate(self.deployment, DEPLOYMENT)
        (application, component) = self.workload["components"]
        secrets = application["localResources"]["environment"]["secretFrom"]
        self.assertEqual([secret["name"] for secret in secrets], [self.secret["metadata"]["name"]])
        json.loads(application["localResources"]["environment"]["config"]["LRO_SETTINGS"])
        self.assertEqual(component["name"], "lro")

    def test_tenants_are_those_whose_buckets_are_granted_and_created(self):
        blobstore = next(entry for entry in self.workload["hostInterfaces"] if entry["package"] == "blobstore")
        self.assertEqual(set(blobstore["config"]["buckets"].split(",")), self.buckets)
        job = next(document for document in documents("store.yaml") if document["kind"] == "Job")
        script = job["spec"]["template"]["spec"]["containers"][0]["args"][0]
        self.assertIn(f"for bucket in {' '.join(sorted(self.buckets))}; do", script)
        self.assertIn("--ttl 72h", script)

    def test_the_store_is_found_by_its_name(self):
        kinds = {document["kind"]: document for document in documents("store.yaml")}
        self.assertEqual(set(kinds), {"ConfigMap", "Service", "StatefulSet", "Job"})
        labels = kinds["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
        self.assertEqual(kinds["Service"]["spec"]["selector"], labels)
        self.assertEqual(kinds["StatefulSet"]["spec"]["selector"]["matchLabels"], labels)
        self.assertIn("jetstream", kinds["ConfigMap"]["data"]["nats.conf"])
        self.assertEqual({document["metadata"]["name"] for document in kinds.values()}, {"lro-store", "lro-buckets"})


if __name__ == "__main__":
    unittest.main()
