"""A knowledge graph as the reference server of memory keeps it: entities, and relations between them."""

import json
import random

KINDS = ("service", "team", "decision", "person")
NAMES = ("auth", "billing", "search", "mail", "export", "import", "queue", "cache", "report", "upload")


def made():
    """220 entities and 150 relations."""
    chance = random.Random(9)
    entities = [entity(chance, number) for number in range(220)]
    names = [each["name"] for each in entities]
    kinds = ("depends_on", "owns", "replaces")
    relations = []
    while len(relations) < 150:
        relation = {"from": chance.choice(names), "to": chance.choice(names), "relationType": chance.choice(kinds)}
        if relation not in relations and relation["from"] != relation["to"]:
            relations.append(relation)
    return {"entities": entities, "relations": relations}


def entity(chance, number):
    kind = chance.choice(KINDS)
    observations = [f"tag: {chance.choice(('architecture', 'security', 'cost'))}"]
    observations += [f"seen in sprint {chance.randint(1, 30)}" for _ in range(chance.randint(1, 3))]
    return {"name": f"{chance.choice(NAMES)}-{number}", "entityType": kind, "observations": observations}


def write(graph, path):
    """The file that the server keeps."""
    lines = [{"type": "entity", **each} for each in graph["entities"]]
    lines += [{"type": "relation", **each} for each in graph["relations"]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
