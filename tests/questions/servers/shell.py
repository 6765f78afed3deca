"""A server that runs allowed commands: lists of files, and JSON that a command prints."""

from collections import Counter

from asking.rows import NO_FIELD, Question, Result, Server, field_of_first, first, groups, only, recipe, trap
from data import repository
from servers import program


def server(place):
    return Server(
        name="shell",
        package="mcp-shell-server (PyPI)",
        command=program(place.python1, "mcp-shell-server"),
        env={**repository.ALONE, "ALLOW_COMMANDS": "cat,find,git"},
        results=[cars(place), commits(place), names(place)],
    )


def cars(place):
    made = place.json("cars.json")
    japan = [car for car in made if car["Origin"] == "Japan" and car["Year"] == "1982-01-01"]
    strongest = max(made, key=lambda car: car["Horsepower"] or 0)
    return execute(place, ["cat", "cars.json"], [
        Question(
            "cars-from-japan", "How many cars of 1982 are from Japan?", len(japan),
            [{"where": ["Origin=Japan", "Year^=1982"], "count": True}], only,
        ),
        Question(
            "strongest-car", "Which car has the most horsepower?", strongest["Name"],
            [{"sort_by": "-Horsepower", "limit": 1, "select": ["Name", "Horsepower"]}], field_of_first("Name"),
        ),
        trap(
            "cars-of-a-year", "Cars of 1982, with a number for a date.",
            sum(car["Year"].startswith("1982") for car in made),
            {"where": ["Year=1982"], "count": True}, only, r"date|\^=|1970-01-01|1982-01-01|no record has|text",
        ),
        trap(
            "cars-grouped-by-null", "Cars by country, by a field in the wrong letter case.",
            dict(Counter(car["Origin"] for car in made)), {"group_by": "origin"}, groups("origin"), NO_FIELD,
        ),
        trap(
            "cars-by-a-short-name", "The strongest car, by a field that does not exist.", strongest["Name"],
            {"sort_by": "-hp", "limit": 1, "select": ["Name"]}, field_of_first("Name"), NO_FIELD,
        ),
    ])


def commits(place):
    """Lines of several fields, without the names of these."""
    made = place.commits
    wei = sum(commit["name"] == "Li Wei" and repository.year(commit) == 2024 for commit in made)
    middle = made[-1 - len(made) // 2]
    command = ["git", "-C", str(place.repository), "log", "--date=short", "--format=%ad|%an|%s"]
    return execute(place, command, [
        Question(
            "commits-of-a-year-by-one-author", "How many commits of 2024 are by Li Wei?", wei,
            [{"where": ["line=~^2024-.*\\|Li Wei\\|"], "count": True}], only,
        ),
        Question(
            "all-commits", "How many commits are there?", len(made), [{"where": ["line~=|"], "count": True}], only,
        ),
        Question(
            "author-of-the-halfway-commit", "Who made the commit in the middle of the list?", middle["name"],
            # The first line of the text is line 2 of the file, as the tool's definition says.
            [{"line": 2 + len(made) // 2}], lambda answers: text_of_line(first(answers)).split("|")[1],
        ),
        Question(
            "commits-by-a-recipe", "How many lines are about NaN, by the recipe that searches lines?",
            sum("NaN" in commit["subject"] for commit in made),
            [recipe("(?i)search.*keyword", params={"keyword": "NaN"}, count=True)], only,
        ),
        trap(
            "recipe-without-its-parameter",
            "Lines about NaN, by the recipe that searches lines, which is not told for what.",
            sum("NaN" in commit["subject"] for commit in made),
            recipe("(?i)search.*keyword", count=True), only, r"param|keyword|placeholder",
        ),
        trap(
            "author-as-a-field", "Commits by Li Wei, by a field that lines do not have.",
            sum(commit["name"] == "Li Wei" for commit in made),
            {"where": ["author=Li Wei"], "count": True}, only, r"\bline|text",
        ),
    ])


def names(place):
    """Paths alone."""
    root = place.folder / "files" / "ajv"
    sources = [path for path in root.rglob("*.ts") if not path.name.endswith(".d.ts")]
    return execute(place, ["find", "ajv", "-name", "*.ts"], [
        Question(
            "sources", "How many files end in .ts, but not in .d.ts?", len(sources),
            [{"query": "select(endswith(\".d.ts\") | not)", "count": True}], only,
        ),
        trap(
            "everything-matches", "Files by a criterion that only asks for a field.", len(sources),
            {"where": ["name"], "count": True}, only, r"\bline|text|no record has",
        ),
    ])


def text_of_line(value):
    """A line of text, however it is given."""
    return value.get("line", "") if isinstance(value, dict) else str(value)


def execute(place, command, rows):
    return Result("shell_execute", {"command": command, "directory": str(place.folder / "files")}, rows)
