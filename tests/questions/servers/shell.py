"""A server that runs allowed commands: lists of files, and JSON that a command prints."""

from collections import Counter

from asking.rows import NO_FIELD, Question, Result, Server, field_of_first, first, groups, only, trap
from servers import program


def server(place):
    return Server(
        name="shell",
        package="mcp-shell-server (PyPI)",
        command=program(place.python1, "mcp-shell-server"),
        env={"ALLOW_COMMANDS": "cat,find"},
        results=[cars(place), sizes(place), names(place)],
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
            "cars-of-a-year", "Cars of 1982, with a number for a date.", sum(car["Year"].startswith("1982") for car in made),
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


def sizes(place):
    """Pairs of size and path, without names of columns."""
    files = [path for path in (place.folder / "files").rglob("*") if path.is_file()]
    large = [path for path in files if path.stat().st_size > 100_000]
    size = (place.folder / "files" / "ajv" / "package.json").stat().st_size
    return execute(place, ["find", ".", "-type", "f", "-printf", "%s %P\\n"], [
        Question(
            "large-files", "How many files are larger than 100,000 bytes?", len(large),
            [{"where": ["line=~^[0-9]{6,} "], "count": True}], only,
        ),
        Question(
            "size-of-a-file", "How large is ajv/package.json?", size,
            [{"where": ["line=~ ajv/package\\.json$"]}], lambda answers: text_of_line(first(answers)).split()[0],
        ),
        trap(
            "sizes-as-a-field", "Large files, by a field that lines do not have.", len(large),
            {"where": ["size>100000"], "count": True}, only, r"\bline|text",
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
