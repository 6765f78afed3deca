"""The reference server of fetching: a page with a table as Markdown, and a JSON document behind a heading."""

from collections import Counter

from asking.rows import LETTER_CASE, NO_FIELD, Question, Result, Server, field_of_first, groups, only, trap
from servers import program

#: The most that the server lets a call ask for.
MOST = 900_000


def server(place):
    return Server(
        name="fetch",
        package="mcp-server-fetch (PyPI)",
        command=[*program(place.python, "mcp-server-fetch"), "--allow-private-ips"],
        results=[table(place), document(place)],
    )


def table(place):
    issues = place.issues
    redis = sum("Redis" in issue["title"] and issue["state"] == "open" for issue in issues)
    commented = max(issues, key=lambda issue: issue["comments"])
    return Result("fetch", {"url": f"{place.web}/issues.html", "max_length": MOST}, [
        Question(
            "open-issues-on-redis", "How many open issues are about Redis?", redis,
            [{"where": ["state=open", "title~=redis"], "count": True}], only,
        ),
        Question(
            "issues-of-each-author", "Who opened how many issues?",
            dict(Counter(issue["user"]["login"] for issue in issues)),
            [{"where": ["author"], "group_by": "author"}], groups("author"),
        ),
        Question(
            "most-comments", "How many comments has the issue with the most?", commented["comments"],
            [{"sort_by": "-comments", "limit": 1, "select": ["number", "comments"]}], field_of_first("comments"),
        ),
        trap(
            "state-in-capitals", "Open issues, in the wrong letter case.",
            sum(issue["state"] == "open" for issue in issues),
            {"where": ["state=OPEN"], "count": True}, only, rf"\bopen\b|{LETTER_CASE}",
        ),
        trap(
            "author-by-login", "Issues of one author, by the name that the API gives to the field.",
            sum(issue["user"]["login"] == "amara" for issue in issues),
            {"where": ["user.login=amara"], "count": True}, only, NO_FIELD,
        ),
    ])


def document(place):
    issues = place.issues
    return Result("fetch", {"url": f"{place.web}/issues.json", "max_length": MOST}, [
        Question(
            "open-bugs", "How many open issues are bugs?",
            sum(issue["state"] == "open" and "bug" in [label["name"] for label in issue["labels"]] for issue in issues),
            [{"where": ["state=open", "labels.name=bug"], "count": True}], only,
        ),
        Question(
            "issues-of-a-milestone", "How many issues are of the milestone v2.0?",
            sum((issue["milestone"] or {}).get("title") == "v2.0" for issue in issues),
            [{"where": ["milestone.title=v2.0"], "count": True}], only,
        ),
        trap(
            "issues-without-a-milestone", "Issues without a milestone, as a text.",
            sum(not issue["milestone"] for issue in issues),
            {"where": ["milestone=null"], "count": True}, only, r"!milestone|null|exist|no record",
        ),
    ])
