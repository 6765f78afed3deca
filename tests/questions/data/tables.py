"""A shop's orders in SQLite, and a workbook of Excel."""

import json
import random
import sqlite3

COUNTRIES = ("DE", "FR", "IN", "JP", "US", "BR")
STATUSES = ("paid", "open", "refunded", "cancelled")
#: Orders that have a file of their own.
PARTS = 150

COLUMNS = ("id", "customer", "country", "status", "amount", "ordered_at", "note")


def orders(count=1500):
    """Rows of the table `orders`."""
    chance = random.Random(4)
    made = []
    for number in range(1, count + 1):
        note = None if chance.random() < 0.7 else chance.choice(("gift", "it's urgent", 'say "hello"', "call before"))
        made.append(
            {
                "id": number,
                "customer": f"customer {chance.randint(1, 90)}",
                "country": chance.choice(COUNTRIES),
                "status": chance.choices(STATUSES, (70, 15, 10, 5))[0],
                "amount": chance.randint(500, 90_000) / 100,
                "ordered_at": f"2026-{chance.randint(1, 6):02}-{chance.randint(1, 28):02}",
                "note": note,
            }
        )
    return made


def write(made, airports, path):
    """A database with the tables `orders` and `airports`."""
    database = sqlite3.connect(path)
    database.execute(f"CREATE TABLE orders ({', '.join(COLUMNS)})")
    marks = ", ".join("?" for _ in COLUMNS)
    database.executemany(f"INSERT INTO orders VALUES ({marks})", [tuple(row.values()) for row in made])
    database.execute("CREATE TABLE airports (iata, name, city, state, country, latitude REAL, longitude REAL)")
    database.executemany("INSERT INTO airports VALUES (?, ?, ?, ?, ?, ?, ?)", [tuple(row.values()) for row in airports])
    database.commit()
    database.close()


def write_parts(made, folder):
    """A file of JSON for each of the first orders."""
    folder.mkdir()
    for row in made[:PARTS]:
        (folder / f"{row['id']:04}.json").write_text(json.dumps(row, indent=2) + "\n", encoding="utf-8")


def write_workbook(rows, path):
    """A workbook with one sheet: the names of the columns, then a row for each day."""
    import openpyxl

    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "days"
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append([value if name in ("date", "weather") else float(value) for name, value in row.items()])
    workbook.save(path)
