"""A server that runs commands: a log of keys and values, git's own log, and a table with tabs."""

from collections import Counter

from asking.rows import LETTER_CASE, NO_FIELD, Question, Result, Server, field_of_first, first, only, trap
from data import most, repository, tables
from servers import script


def server(place):
    return Server(
        name="commands",
        package="mcp-server-commands (npm)",
        command=script(place, "mcp-server-commands", "build/index.js"),
        env=repository.ALONE,
        results=[requests(place), history(place), unemployment(place), parts(place)],
    )


def requests(place):
    made = place.requests
    failed = [request for request in made if request["status"] == 503]
    slow = [request for request in made if request["path"] == "/search" and request["ms"] > 500]
    arguments = {"command": "cat requests.log", "workdir": str(place.folder / "files")}
    return Result("run_command", arguments, [
        Question(
            "slow-searches", "How many requests to /search took more than 500 ms?", len(slow),
            [{"where": ["path=/search", "ms>500"], "count": True}], only,
        ),
        Question(
            "statuses", "How many requests ended with each status?",
            dict(Counter(str(request["status"]) for request in made)),
            [{"group_by": "status"}],
            lambda answers: {str(group["status"]): group["count"] for group in answers[-1]["results"]},
        ),
        Question(
            "path-with-most-timeouts", "Which path had the most upstream timeouts, and how many?",
            list(most(Counter(request["path"] for request in failed))),
            [{"where": ["msg=upstream timed out"], "group_by": "path", "limit": 1}],
            lambda answers: [first(answers)["path"], first(answers)["count"]],
        ),
        trap(
            "level-in-capitals", "Errors, in the wrong letter case.",
            sum(request["level"] == "error" for request in made),
            {"where": ["level=ERROR"], "count": True}, only, rf"\berror\b|{LETTER_CASE}",
        ),
        trap(
            "duration-with-a-unit", "Slow requests, with a unit behind the number.",
            sum(request["ms"] > 500 for request in made),
            {"where": ["ms>500ms"], "count": True}, only, r"number|text",
        ),
        trap(
            "status-class", "Failed requests, with letters for digits.",
            sum(request["status"] >= 500 for request in made),
            {"where": ["status=5xx"], "count": True}, only, r"number|no record has|values",
        ),
    ])


def history(place):
    commits = place.commits
    nan = sum("NaN" in commit["subject"] and commit["name"] == "Sofía Núñez" for commit in commits)
    return Result("run_command", {"command": "git log", "workdir": str(place.repository)}, [
        Question(
            "commits-on-nan-by-one-author", "How many commits on NaN are by Sofía Núñez?", nan,
            [{"where": ["author~=Sofía Núñez", "message~=NaN"], "count": True}], only,
        ),
        Question(
            "commits-of-2024", "How many commits are of 2024?",
            sum(repository.year(commit) == 2024 for commit in commits),
            [{"where": ["date^=2024"], "count": True}], only,
        ),
        trap(
            "author-without-address", "Commits by Sofía Núñez, without the address.",
            sum(commit["name"] == "Sofía Núñez" for commit in commits),
            {"where": ["author=Sofía Núñez"], "count": True}, only, r"~=|contain|\^=|no record has|example\.com",
        ),
        trap(
            "subject-of-a-commit", "Commits on the cache, by a field that other tools have.",
            sum(commit["subject"].startswith("cache:") for commit in commits),
            {"where": ["subject^=cache:"], "count": True}, only, NO_FIELD,
        ),
    ])


def unemployment(place):
    rows = place.rows("unemployment.tsv", "\t")
    highest = max(rows, key=lambda row: float(row["rate"]))
    arguments = {"command": "cat unemployment.tsv", "workdir": str(place.folder / "files")}
    return Result("run_command", arguments, [
        Question(
            "counties-above-a-fifth", "How many counties have a rate above 0.2?",
            sum(float(row["rate"]) > 0.2 for row in rows),
            [{"where": ["rate>0.2"], "count": True}], only,
        ),
        Question(
            "highest-rate", "Which county has the highest rate?", int(highest["id"]),
            [{"sort_by": "-rate", "limit": 1}], field_of_first("id"),
        ),
        trap(
            "rate-with-a-comma", "Counties with a high rate, with a comma in the number.",
            sum(float(row["rate"]) > 0.2 for row in rows),
            {"where": ["rate>0,2"], "count": True}, only, r"number|text|comma",
        ),
    ])


def parts(place):
    """Documents of JSON, one behind the other."""
    rows = place.orders[:tables.PARTS]
    cheapest = min((row for row in rows if row["status"] == "open"), key=lambda row: row["amount"])
    arguments = {"command": "cat orders/*.json", "workdir": str(place.folder / "files")}
    return Result("run_command", arguments, [
        Question(
            "paid-parts", "How many of the orders are paid?", sum(row["status"] == "paid" for row in rows),
            [{"where": ["status=paid"], "count": True}], only,
        ),
        Question(
            "cheapest-open-part", "Which open order is the cheapest?", cheapest["id"],
            [{"where": ["status=open"], "sort_by": "amount", "limit": 1, "select": ["id", "amount"]}],
            field_of_first("id"),
        ),
        trap(
            "parts-in-lower-case", "Orders from Japan, in the wrong letter case.",
            sum(row["country"] == "JP" for row in rows),
            {"where": ["country=jp"], "count": True}, only, rf"\bJP\b|{LETTER_CASE}",
        ),
    ])
