"""A server that makes tools of an API's description: a page of issues, as trackers send it."""

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
    member,
    only,
    onward,
    recipe,
    results,
    trap,
    whole,
)
from servers import script


def server(place):
    return Server(
        name="openapi",
        package="@ivotoby/openapi-mcp-server (npm)",
        command=script(place, "@ivotoby/openapi-mcp-server", "bin/mcp-server.js"),
        env={"API_BASE_URL": place.web, "OPENAPI_SPEC_PATH": f"{place.web}/openapi.json"},
        results=[page(place)],
    )


def has(issue, label):
    return any(each["name"] == label for each in issue["labels"])


def page(place):
    issues = place.issues
    opened = [issue for issue in issues if issue["state"] == "open"]
    redis = [issue for issue in issues if "Redis" in issue["title"]]
    commented = max(opened, key=lambda issue: issue["comments"])
    unassigned = sum(not issue["assignees"] for issue in issues)
    summary = {"where": ["state=open"], "select": ["number", "title", "user.login", "created_at", "comments"]}
    return Result("lst-issues", {}, [
        Question(
            "open-first-bugs", "How many open bugs have the priority p1?",
            sum(has(issue, "bug") and has(issue, "p1") for issue in opened),
            [{"where": ["state=open", "labels.name=bug", "labels.name=p1"], "count": True}], only,
        ),
        Question(
            "issues-on-redis", "How many open issues with more than 20 comments are about Redis?",
            sum(issue["comments"] > 20 and issue in opened for issue in redis),
            [{"where": ["state=open", "title~=redis", "comments>20"], "count": True}], only,
        ),
        Question(
            "issues-of-each-author", "Who opened how many issues?",
            dict(Counter(issue["user"]["login"] for issue in issues)), [{"group_by": "user.login"}],
            groups("user.login"),
        ),
        Question(
            "most-commented-open-issue", "Which open issue has the most comments?", commented["number"],
            [{"where": ["state=open"], "sort_by": "-comments", "limit": 1, "select": ["number", "comments"]}],
            field_of_first("number"),
        ),
        Question(
            "issues-of-nobody", "How many issues is nobody assigned to?", unassigned,
            [{"query": "select(.assignees == [])", "count": True}], only,
        ),
        Question(
            "all-open-issues", "Which issues are open, with title, author, date and comments?",
            [issue["number"] for issue in opened], [summary, onward(summary)], whole("number"),
        ),
        Question(
            "issues-of-the-second-half", "How many issues were opened in the second half of 2025?",
            sum(issue["created_at"] >= "2025-07" for issue in issues),
            [{"where": ["created_at>=2025-07-01"], "count": True}], only,
        ),
        Question(
            "labels", "How many issues have each label?",
            dict(Counter(each["name"] for issue in issues for each in issue["labels"])),
            [{"where": ["labels.name"], "group_by": "labels.name"}], groups("labels.name"),
        ),
        Question(
            "found-by-a-recipe", "How many issues are about Redis, by the recipe that searches titles?", len(redis),
            [recipe("(?i)search.*title|title.*keyword", params={"keyword": "redis"}, count=True)], only,
        ),
        trap(
            "condition-without-a-list", "Open issues, with a text where a list belongs.", len(opened),
            {"where": "state=open", "count": True}, only, r"where|list|array",
        ),
        trap(
            "condition-as-an-object", "Open issues, with an object where a list belongs.", len(opened),
            {"where": {"state": "open"}, "count": True}, only, r"where|list|array",
        ),
        trap(
            "values-as-texts", "The newest open issue, with texts where a number and a truth value belong.",
            opened[0]["number"],
            {"where": ["state=open"], "limit": "1", "slurp": "false"}, field_of_first("number"),
            r"limit|slurp|number|boolean",
        ),
        trap(
            "label-as-a-text", "Bugs, as if labels were texts.", sum(has(issue, "bug") for issue in issues),
            {"where": ["labels=bug"], "count": True}, only, r"labels\.name",
        ),
        trap(
            "no-labels", "Issues without a label.", sum(not issue["labels"] for issue in issues),
            {"where": ["!labels"], "count": True}, only, r"empty|\[\]",
        ),
        trap(
            "no-assignees", "Issues without an assignee.", unassigned, {"where": ["!assignees"], "count": True}, only,
            r"empty|\[\]",
        ),
        trap(
            "any-assignees", "Issues with an assignee.", len(issues) - unassigned,
            {"where": ["assignees"], "count": True}, only,
            r"empty|\[\]",
        ),
        trap(
            "title-is-a-word", "Issues on Redis, with an equals sign.", len(redis),
            {"where": ["title=redis"], "count": True}, only,
            rf"~=|contain|{NO_VALUE}",
        ),
        trap(
            "state-in-capitals", "Open issues, in the wrong letter case.", len(opened),
            {"where": ["state=Open"], "count": True}, only,
            rf"\bopen\b|{LETTER_CASE}",
        ),
        trap(
            "labels-in-parentheses", "Bugs and documentation, with parentheses around the list.",
            sum(has(issue, "bug") or has(issue, "docs") for issue in issues),
            {"where": ["labels.name in (bug, docs)"], "count": True}, only, r"parenthes|bracket|in a,b",
        ),
        trap(
            "milestone-as-a-text", "Issues of a milestone, as if it were a text.",
            sum(bool(issue["milestone"]) and issue["milestone"]["title"] == "v1.0" for issue in issues),
            {"where": ["milestone=v1.0"], "count": True}, only, r"milestone\.title|object",
        ),
        trap(
            "month-in-words", "Issues since July, with a date in words.",
            sum(issue["created_at"] >= "2025-07" for issue in issues),
            {"where": ["created_at>=July 2025"], "count": True}, only, r"date|2025-|ISO",
        ),
        trap(
            "number-in-quotes", "Issue 7, with its number as a text.", 1, {"where": ['number="7"'], "count": True},
            only, r"number|text|quote",
        ),
        trap(
            "index-of-a-label", "Bugs, by a filter that takes labels for texts.",
            sum(has(issue, "bug") for issue in issues),
            {"query": "select(.labels | index(\"bug\")) | .number"}, lambda answers: len(results(answers)),
            r"labels\.name|objects?|\.name",
        ),
        trap(
            "record-as-an-array", "Open issues, by a filter for the whole page.", len(opened),
            {"query": "[.[] | select(.state == \"open\")] | length"}, first, r"record|each|slurp",
        ),
        trap(
            "grouped-by-objects", "Issues of each label, by the array of labels.",
            dict(Counter(each["name"] for issue in issues for each in issue["labels"])), {"group_by": "labels"},
            lambda answers: {member(group, "labels.name"): group["count"] for group in results(answers)},
            r"labels\.name|array|object",
        ),
        trap(
            "sorted-by-author", "The first issue by author, by a field that is an object.",
            min(issue["user"]["login"] for issue in issues),
            {"sort_by": "user", "limit": 1}, field_of_first("user.login"), r"user\.login|object",
        ),
        trap(
            "field-of-another-tracker", "Open issues, by the name that another tracker gives to the field.",
            len(opened),
            {"where": ["status=open"], "count": True}, only, NO_FIELD,
        ),
    ])
