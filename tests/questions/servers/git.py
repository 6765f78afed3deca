"""The reference server of git: logs and diffs as texts."""

from collections import Counter

from asking.rows import NO_FIELD, NO_VALUE, Question, Result, Server, column, field_of_first, first, groups, only, trap
from data import most, repository
from servers import program


def server(place):
    return Server(
        name="git",
        package="mcp-server-git (PyPI)",
        command=[*program(place.python, "mcp-server-git"), "--repository", place.repository],
        env=repository.ALONE,
        results=[log(place), changes(place)],
    )


def log(place):
    commits = place.commits
    authors = Counter(commit["name"] for commit in commits)
    okafor = authors["Nadia Okafor"]
    nan = [commit for commit in commits if repository.year(commit) == 2023 and "NaN" in commit["subject"]]
    newest = next(commit for commit in reversed(commits) if commit["subject"].startswith("cache:"))
    return Result("git_log", {"repo_path": str(place.repository), "max_count": len(commits)}, [
        Question(
            "commits-by-one-author", "How many commits are by Nadia Okafor?", okafor,
            [{"where": ["author=Nadia Okafor"], "count": True}], only,
        ),
        Question(
            "commits-on-nan-in-2023", "How many commits of 2023 are about NaN?", len(nan),
            [{"where": ["date^=2023", "message~=NaN"], "count": True}], only,
        ),
        Question(
            "commits-of-each-author", "How many commits are there of each author?",
            dict(authors), [{"where": ["author"], "group_by": "author"}], groups("author"),
        ),
        Question(
            "newest-on-the-cache", "Who made the newest commit on the cache?", newest["name"],
            [{"where": ["message^=cache:"], "limit": 1}], field_of_first("author"),
        ),
        trap(
            "heading-among-authors", "Commits of each author, with the heading among the records.", dict(authors),
            {"group_by": "author"}, groups("author"), r"`\.?author`",
        ),
        trap(
            "author-by-first-name", "Commits by Nadia Okafor, by a part of the name.", okafor,
            {"where": ["author=Nadia"], "count": True}, only, rf"~=|Nadia Okafor|{NO_VALUE}",
        ),
        trap(
            "author-of-another-name", "Commits by an author, by the name that other tools give to the field.", okafor,
            {"where": ["author_name=Nadia Okafor"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "commits-after-a-date", "Commits since July 2024, with a date in words.",
            sum(commit["time"] >= 1_719_792_000 for commit in commits),
            {"where": ["date>=July 1 2024"], "count": True}, only, r"date|20\d\d-|ISO",
        ),
        trap(
            "one-word-of-a-message", "Commits on NaN, by a filter on the record as if it were a text.",
            sum("NaN" in commit["subject"] for commit in commits),
            {"query": "select(test(\"NaN\"))", "count": True}, only, r"object|text|string|record",
        ),
    ])


def changes(place):
    """Each commit after the tag appends lines to one file."""
    after = place.commits[len(place.commits) // 2:]
    added = Counter()
    for commit in after:
        added[commit["file"]] += commit["lines"]
    file, lines = most(added)
    return Result("git_diff", {"repo_path": str(place.repository), "target": "halfway", "context_lines": 3}, [
        Question(
            "files-of-a-diff", "Which files are changed?", set(added), [{"where": ["file"], "select": ["file"]}],
            column("file"),
        ),
        Question(
            "lines-added-to-a-file", "Which file has the most added lines, and how many?", [file, lines],
            [{"sort_by": "-added", "limit": 1, "select": ["file", "added"]}],
            lambda answers: [first(answers)["file"], first(answers)["added"]],
        ),
        Question(
            "changed-files-of-the-cache", "How many files of the cache are changed?",
            sum("/cache_" in file for file in added), [{"where": ["file~=/cache_"], "count": True}], only,
        ),
        trap(
            "diff-by-a-line", "Added lines about NaN, as if the records were lines.",
            sum(commit["lines"] for commit in after if "NaN" in commit["subject"]),
            {"where": ["line~=NaN"], "count": True}, only, rf"{NO_FIELD}|line|text",
        ),
        trap(
            "diff-by-a-name-of-git", "The changes of one file, by the name that git gives to it.", lines,
            {"where": [f"file=b/{file}"], "select": ["added"]}, field_of_first("added"), NO_VALUE,
        ),
    ])
