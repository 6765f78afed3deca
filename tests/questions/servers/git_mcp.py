"""A server of git with structured results: lists of commits, and a diff as a text in an object."""

from collections import Counter

from asking.rows import (
    LETTER_CASE,
    NO_FIELD,
    NO_VALUE,
    Question,
    Result,
    Server,
    field_of_first,
    first,
    groups,
    only,
    trap,
)
from data import most, repository
from servers import script


def server(place):
    return Server(
        name="git-mcp",
        package="@cyanheads/git-mcp-server (npm)",
        command=script(place, "@cyanheads/git-mcp-server", "dist/index.js"),
        env={**repository.ALONE, "MCP_LOG_LEVEL": "error"},
        results=[log(place), changes(place)],
    )


def log(place):
    commits = place.commits
    wei = sum(commit["name"] == "Li Wei" for commit in commits)
    in_2024 = sum(repository.year(commit) == 2024 for commit in commits)
    return Result("git_log", {"path": str(place.repository), "maxCount": len(commits)}, [
        Question(
            "commits-of-each-author", "How many commits are there of each author?",
            dict(Counter(commit["name"] for commit in commits)), [{"group_by": "author"}], groups("author"),
        ),
        Question(
            "commits-of-2024", "How many commits are of 2024?", in_2024,
            [{"where": ["timestamp>=1704067200", "timestamp<1735689600"], "count": True}], only,
        ),
        Question(
            "first-commit-on-docs", "When was the first commit on the documentation?",
            next(commit["time"] for commit in commits if commit["subject"].startswith("docs:")),
            [{"where": ["subject^=docs:"], "sort_by": "timestamp", "limit": 1, "select": ["timestamp", "subject"]}],
            field_of_first("timestamp"),
        ),
        trap(
            "author-in-lower-case", "Commits by Li Wei, in the wrong letter case.", wei,
            {"where": ["author=li wei"], "count": True}, only, rf"Li Wei|{LETTER_CASE}",
        ),
        trap(
            "time-as-a-date", "Commits since 2024, with a date for a number.",
            sum(repository.year(commit) >= 2024 for commit in commits),
            {"where": ["timestamp>=2024-01-01"], "count": True}, only, r"number|seconds|text",
        ),
        trap(
            "author-as-an-object", "Commits by Li Wei, as the name of an object.", wei,
            {"where": ["author.name=Li Wei"], "count": True}, only, rf"{NO_FIELD}|\bauthor\b",
        ),
    ])


def changes(place):
    after = place.commits[len(place.commits) // 2:]
    added = Counter()
    for commit in after:
        added[commit["file"]] += commit["lines"]
    file, lines = most(added)
    return Result("git_diff", {"path": str(place.repository), "source": "halfway", "target": "main"}, [
        Question(
            "file-with-most-added-lines", "Which file has the most added lines, and how many?", [file, lines],
            [{"sort_by": "-added", "limit": 1, "select": ["file", "added"]}],
            lambda answers: [first(answers)["file"], first(answers)["added"]],
        ),
        Question(
            "files-with-many-added-lines", "How many files have more than 30 added lines?",
            sum(count > 30 for count in added.values()),
            [{"where": ["added>30"], "count": True}], only,
        ),
        trap(
            "files-by-another-name", "Changed files of the cache, by the name of a field that other tools have.",
            sum("/cache_" in file for file in added), {"where": ["filename~=cache"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "file-without-its-folder", "The added lines of a file, by its name without the folder.", lines,
            {"where": [f"file={file.split('/')[1]}"], "select": ["added"]}, field_of_first("added"),
            rf"~=|contain|{NO_VALUE}",
        ),
    ])
