"""A server of grep: a JSON document in a JSON document in the text of a result."""

from asking.rows import NO_FIELD, Question, Result, Server, column, only, trap
from data import logs
from servers import program


def server(place):
    return Server(
        name="grep",
        package="mcp-grep (PyPI)",
        command=program(place.python1, "mcp-grep-server"),
        results=[timeouts(place)],
    )


def timeouts(place):
    lines = [logs.logfmt(request) for request in place.requests]
    found = [(number, line) for number, line in enumerate(lines, 1) if "status=503" in line]
    login = [number for number, line in found if "path=/login" in line]
    return Result("grep", {"pattern": "status=503", "paths": str(place.folder / "files" / "requests.log")}, [
        Question(
            "timeouts-of-logins", "Which lines are about /login?", set(login),
            [{"where": ["line~=path=/login"], "select": ["line_num"]}], column("line_num"),
        ),
        Question(
            "late-timeouts", "How many timeouts are behind line 400?", sum(number > 400 for number, _ in found),
            [{"where": ["line_num>400"], "count": True}], only,
        ),
        trap(
            "lines-by-another-name", "Timeouts behind line 400, by a field that does not exist.",
            sum(number > 400 for number, _ in found),
            {"where": ["line_number>400"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "path-of-a-request", "Timeouts of /login, by a field that is within the line.", len(login),
            {"where": ["path=/login"], "count": True}, only, rf"{NO_FIELD}|\bline\b",
        ),
    ])
