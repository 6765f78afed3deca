"""The reference server of SQLite: rows as literals of Python."""

from collections import defaultdict

from asking.rows import LETTER_CASE, Question, Result, Server, column, field_of_first, first, only, trap
from servers import program


def server(place):
    return Server(
        name="sqlite",
        package="mcp-server-sqlite (PyPI)",
        command=[*program(place.python1, "mcp-server-sqlite"), "--db-path", place.folder / "shop.db"],
        results=[orders(place)],
    )


def orders(place):
    rows = place.orders
    paid = [row for row in rows if row["status"] == "paid"]
    sums = defaultdict(float)
    for row in paid:
        sums[row["country"]] += row["amount"]
    most = max(sums, key=sums.get)
    largest = max(rows, key=lambda row: row["amount"])
    urgent = [row["id"] for row in rows if row["note"] == "it's urgent" and row["country"] == "JP"]
    return Result("read_query", {"query": "SELECT * FROM orders"}, [
        Question(
            "paid-orders", "How many orders are paid?", len(paid), [{"where": ["status=paid"], "count": True}], only,
        ),
        Question(
            "revenue-by-country", "Which country has the most revenue of paid orders, and how much?",
            [most, round(sums[most], 2)], [{"query": REVENUE, "slurp": True}],
            lambda answers: [first(answers)["country"], round(first(answers)["sum"], 2)],
        ),
        Question(
            "largest-order", "Who made the largest order?", largest["customer"],
            [{"sort_by": "-amount", "limit": 1, "select": ["customer", "amount"]}], field_of_first("customer"),
        ),
        Question(
            "orders-with-a-note", "How many orders have a note?", sum(row["note"] is not None for row in rows),
            [{"where": ["note"], "count": True}], only,
        ),
        Question(
            "urgent-orders", "Which orders from Japan are urgent, by their notes?", urgent,
            [{"where": ["country=JP", "note~=it's urgent"], "select": ["id"]}], column("id"),
        ),
        trap(
            "paid-in-upper-case", "Paid orders, in the wrong letter case.", len(paid),
            {"where": ["status=PAID"], "count": True}, only, rf"\bpaid\b|{LETTER_CASE}",
        ),
        trap(
            "orders-without-a-note", "Orders without a note, as SQL writes it.",
            sum(row["note"] is None for row in rows),
            {"where": ["note=NULL"], "count": True}, only, r"!note|null",
        ),
        trap(
            "orders-of-a-column-in-brackets", "Orders from Germany or France, with brackets around the list.",
            sum(row["country"] in ("DE", "FR") for row in rows),
            {"where": ["country in [\"DE\", \"FR\"]"], "count": True}, only, r"bracket|in a,b|quote",
        ),
        trap(
            "orders-by-a-german-date", "Orders since June, with a date in another notation.",
            sum(row["ordered_at"] >= "2026-06-01" for row in rows),
            {"where": ["ordered_at>=01.06.2026"], "count": True}, only, r"date|2026-0|ISO|notation",
        ),
        trap(
            "amount-with-a-currency", "Orders above 500, with a currency behind the number.",
            sum(row["amount"] > 500 for row in rows),
            {"where": ["amount>500 EUR"], "count": True}, only, r"number|text",
        ),
    ])


REVENUE = (
    'map(select(.status == "paid")) | group_by(.country)'
    " | map({country: .[0].country, sum: (map(.amount) | add)}) | max_by(.sum)"
)
