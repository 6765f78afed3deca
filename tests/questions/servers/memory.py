"""The reference server of memory: a graph of two lists, of which one is the bulk."""

from collections import Counter

from asking.rows import (
    LETTER_CASE,
    NO_FIELD,
    NO_VALUE,
    Question,
    Result,
    Server,
    column,
    field_of_first,
    first,
    groups,
    only,
    trap,
)
from data import most
from servers import script


def server(place):
    return Server(
        name="memory",
        package="@modelcontextprotocol/server-memory (npm)",
        command=script(place, "@modelcontextprotocol/server-memory", "dist/index.js"),
        env={"MEMORY_FILE_PATH": str(place.folder / "memory.jsonl")},
        results=[whole(place)],
    )


def whole(place):
    entities, relations = place.graph["entities"], place.graph["relations"]
    architecture = sum("tag: architecture" in entity["observations"] for entity in entities)
    kinds = Counter(relation["relationType"] for relation in relations)
    needed, _ = most(Counter(relation["to"] for relation in relations))
    observed = next(entity for entity in entities if entity["name"] == needed)
    return Result("read_graph", {}, [
        Question(
            "tagged-architecture", "How many entities have the tag architecture?", architecture,
            [{"where": ["observations=tag: architecture"], "count": True}], only,
        ),
        Question(
            "entities-of-each-type", "How many entities are there of each type?",
            dict(Counter(entity["entityType"] for entity in entities)), [{"group_by": "entityType"}],
            groups("entityType"),
        ),
        Question(
            "relations-of-dependence", "How many relations say that something depends on something?",
            kinds["depends_on"],
            [{"records": ".relations", "where": ["relationType=depends_on"], "count": True}], only,
        ),
        Question(
            "most-pointed-at", "What do most relations lead to, and what has been observed of it?",
            observed["observations"],
            [
                {"records": ".relations", "group_by": "to", "limit": 1},
                lambda answers: {"where": [f"name={first(answers)['to']}"], "select": ["observations"]},
            ],
            field_of_first("observations"),
        ),
        Question(
            "who-depends-on", "Which relations come from entities of billing?",
            [relation["to"] for relation in relations if relation["from"].startswith("billing-")],
            [{"records": ".relations", "where": ["from^=billing-"], "select": ["to"]}], column("to"),
        ),
        trap(
            "relations-among-entities", "Relations of dependence, asked of the entities.", kinds["depends_on"],
            {"where": ["relationType=depends_on"], "count": True}, only, rf"relations|{NO_FIELD}",
        ),
        trap(
            "part-of-an-observation", "Entities with the tag architecture, by a part of the observation.", architecture,
            {"where": ["observations=architecture"], "count": True}, only, rf"~=|contain|{NO_VALUE}",
        ),
        trap(
            "type-in-upper-case", "Services, in the wrong letter case.",
            sum(entity["entityType"] == "service" for entity in entities),
            {"where": ["entityType=Service"], "count": True}, only, rf"\bservice\b|{LETTER_CASE}",
        ),
        trap(
            "relations-that-are-called-otherwise", "Relations, by a name that does not exist.", len(relations),
            {"records": ".edges", "where": ["from"], "count": True}, only, r"relations",
        ),
    ])
