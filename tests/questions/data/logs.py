"""Requests to a server, as logs of several notations."""

import json
import random

PATHS = ("/login", "/cart", "/search", "/export", "/health")


def requests(count=800):
    """One request after the other, one a minute."""
    chance = random.Random(27)
    made = []
    for number in range(count):
        status = chance.choices((200, 201, 304, 404, 500, 503), (60, 8, 12, 10, 6, 4))[0]
        made.append(
            {
                "time": f"2026-03-{1 + number // 100:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
                "level": "error" if status >= 500 else "warn" if status == 404 else "info",
                "path": chance.choice(PATHS),
                "status": status,
                "ms": chance.randint(2, 900),
                "user": f"u{chance.randint(1, 30)}",
                "msg": "upstream timed out"
                if status == 503
                else "internal error"
                if status == 500
                else "request served",
            }
        )
    return made


def logfmt(request):
    return " ".join(f'{key}="{value}"' if " " in str(value) else f"{key}={value}" for key, value in request.items())


def write(made, folder):
    """The same requests as key-value lines, as lines of JSON whose last one is broken, and as a text in UTF-16."""
    (folder / "requests.log").write_text("".join(logfmt(each) + "\n" for each in made), encoding="utf-8")
    lines = [json.dumps(each) for each in made]
    lines[-1] = lines[-1][:40]
    (folder / "requests.ndjson").write_text("\n".join(lines), encoding="utf-8")
    table = "\n".join(f"{each['time']}\t{each['path']}\t{each['status']}" for each in made)
    (folder / "requests-utf16.tsv").write_text("time\tpath\tstatus\n" + table + "\n", encoding="utf-16")
