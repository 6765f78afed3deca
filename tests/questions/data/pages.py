"""Pages of a web server: an API's page of issues with its description, and a page for people."""

import html
import json


def write(issues, folder):
    folder.mkdir()
    (folder / "issues.json").write_text(json.dumps(issues), encoding="utf-8")
    (folder / "issues.html").write_text(page(issues), encoding="utf-8")
    (folder / "openapi.json").write_text(json.dumps(OPENAPI), encoding="utf-8")
    (folder / "robots.txt").write_text("User-agent: *\nAllow: /\n", encoding="utf-8")


def page(issues):
    """All issues as a table, between a heading and a sentence."""
    names = ("number", "title", "state", "author", "comments")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(row(issue) for issue in issues)
    return (
        "<!DOCTYPE html><html><head><title>Issues</title></head><body><main><article><h1>Issues of the tracker</h1>"
        "<p>This page lists every issue of the project, the newest first, with its state and its author.</p>"
        f"<table><tr>{head}</tr>{rows}</table>"
        "<p>The tracker shows closed issues too, and sorts by number.</p></article></main></body></html>"
    )


def row(issue):
    values = (issue["number"], issue["title"], issue["state"], issue["user"]["login"], issue["comments"])
    return "<tr>" + "".join(f"<td>{html.escape(str(value))}</td>" for value in values) + "</tr>"


OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "Tracker", "version": "1"},
    "paths": {
        "/issues.json": {
            "get": {
                "operationId": "listIssues",
                "summary": "List the issues of the project",
                "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "The issues"}},
            }
        }
    },
}
