"""A server of Excel: the cells of a range are arrays in an array, the names of the columns the first of them."""

from asking.rows import Question, Result, Server, first, only, told, trap
from servers import program


def server(place):
    return Server(
        name="excel",
        package="excel-mcp-server (PyPI)",
        command=[*program(place.python, "excel-mcp-server"), "stdio"],
        results=[days(place)],
    )


def days(place):
    rows = place.rows("seattle-weather.csv")
    rain = sum(row["weather"] == "rain" for row in rows)
    snow = sum(row["weather"] == "snow" and row["date"].startswith("2012") for row in rows)
    hottest = max(rows, key=lambda row: float(row["temp_max"]))
    hot = sum(float(row["temp_max"]) > 30 for row in rows)
    arguments = {"path": str(place.folder / "weather.xlsx"), "sheet": "days", "max_cells": 20_000}
    return Result("read_range", arguments, [
        Question(
            "days-of-rain", "On how many days did it rain?", rain,
            [told(
                "weather", {"where": ["weather=rain"], "count": True},
                {"query": 'select(.[5] == "rain")', "count": True},
            )], only,
        ),
        Question(
            "snow-in-2012", "On how many days of 2012 did it snow?", snow,
            [told(
                "weather", {"where": ["weather=snow", "date^=2012"], "count": True},
                {"query": 'map(select(.[5] == "snow" and (.[0] | startswith("2012")))) | length', "slurp": True},
            )], only,
        ),
        Question(
            "hottest-day", "When was the hottest day?", hottest["date"],
            [told(
                "weather", {"sort_by": "-temp_max", "limit": 1, "select": ["date"]},
                {"query": ".[1:] | max_by(.[2]) | .[0]", "slurp": True},
            )],
            lambda answers: first(answers)["date"] if isinstance(first(answers), dict) else first(answers),
        ),
        trap(
            "column-by-name", "Days of rain, by the name of the column.", rain,
            {"where": ["weather=rain"], "count": True}, only, r"\barrays?\b|\.\[\d",
        ),
        trap(
            "header-among-numbers", "Days above 30 degrees, without a look at the row of names.", hot,
            {"query": "select(.[2] > 30)", "count": True}, only, r"text|string|header|names",
        ),
    ])
