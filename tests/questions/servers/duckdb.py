"""A server of DuckDB: rows as tuples of Python, without the names of their columns."""

from asking.rows import Question, Result, Server, first, only, trap
from servers import program


def server(place):
    return Server(
        name="duckdb",
        package="mcp-server-duckdb (PyPI)",
        command=[*program(place.python1, "mcp-server-duckdb"), "--db-path", place.folder / "birds.duckdb"],
        results=[strikes(place)],
    )


def strikes(place):
    rows = place.rows("birdstrikes.csv")
    # By their places: a tuple of rows has no names.
    large = sum(row["Wildlife Size"] == "Large" for row in rows)
    texas = sum(row["Origin State"] == "Texas" and row["Time of day"] == "Night" for row in rows)
    dearest = max(rows, key=lambda row: int(row["Cost Total $"] or 0))
    columns = '"Airport Name", "Origin State", "Wildlife Size", "Time of day", "Cost Total $"'
    query = f"SELECT {columns} FROM read_csv('{place.folder / 'files' / 'birdstrikes.csv'}')"
    return Result("query", {"query": query}, [
        Question(
            "strikes-by-large-animals", "How many strikes were by large animals?", large,
            [{"query": 'select(.[2] == "Large")', "count": True}], only,
        ),
        Question(
            "strikes-at-night-in-texas", "How many strikes were at night in Texas?", texas,
            [{"query": 'map(select(.[1] == "Texas" and .[3] == "Night")) | length', "slurp": True}], only,
        ),
        Question(
            "dearest-strike", "At which airport was the dearest strike, and what did it cost?",
            [dearest["Airport Name"], int(dearest["Cost Total $"])],
            [{"query": "max_by(.[4]) | {airport: .[0], cost: .[4]}", "slurp": True}],
            lambda answers: list(first(answers).values()),
        ),
        trap(
            "column-by-name", "Strikes by large animals, by the name of the column.", large,
            {"where": ["Wildlife Size=Large"], "count": True}, only, r"\barrays?\b|\.\[\d",
        ),
        trap(
            "rows-in-rows", "Strikes by large animals, by a filter for an array of rows.", large,
            {"query": "map(select(.[2] == \"Large\")) | length"}, only, r"record|slurp|each|cannot index|array",
        ),
    ])
