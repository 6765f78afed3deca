"""A server of databases that prints rows with a column a line."""

from collections import Counter

from asking.rows import LETTER_CASE, NO_FIELD, Question, Result, Server, field_of_first, groups, only, trap
from servers import program


def server(place):
    return Server(
        name="alchemy",
        package="mcp-alchemy (PyPI)",
        command=program(place.python, "mcp-alchemy"),
        env={"DB_URL": f"sqlite:///{place.folder / 'shop.db'}", "EXECUTE_QUERY_MAX_CHARS": "1000000"},
        results=[orders(place)],
    )


def orders(place):
    rows = place.orders[:400]
    refunded = sum(row["status"] == "refunded" for row in rows)
    largest = max(rows, key=lambda row: row["amount"])
    return Result("execute_query", {"query": "SELECT * FROM orders ORDER BY id LIMIT 400"}, [
        Question(
            "refunded-orders", "How many orders are refunded?", refunded,
            [{"where": ["status=refunded"], "count": True}], only,
        ),
        Question(
            "largest-order", "Which order is the largest?", largest["id"],
            [{"sort_by": "-amount", "limit": 1, "select": ["id", "amount"]}], field_of_first("id"),
        ),
        Question(
            "orders-of-each-country", "How many orders are there from each country?",
            dict(Counter(row["country"] for row in rows)),
            [{"where": ["country"], "group_by": "country"}], groups("country"),
        ),
        Question(
            "orders-of-a-customer", "How many orders are customer 7's?",
            sum(row["customer"] == "customer 7" for row in rows),
            [{"where": ["customer=customer 7"], "count": True}], only,
        ),
        trap(
            "country-in-lower-case", "Orders from Germany, in the wrong letter case.",
            sum(row["country"] == "DE" for row in rows),
            {"where": ["country=de"], "count": True}, only, rf"\bDE\b|{LETTER_CASE}",
        ),
        trap(
            "price-for-amount", "Orders above 500, by a field that does not exist.",
            sum(row["amount"] > 500 for row in rows),
            {"where": ["price>500"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "rows-as-an-array", "Refunded orders, by a filter for an array of rows.", refunded,
            {"query": "map(select(.status == \"refunded\")) | length"}, only, r"record|slurp|each",
        ),
    ])
