"""A page of issues as a tracker's API sends it."""

import random

LABELS = ("bug", "docs", "performance", "p1", "p2", "good first issue")
SUBJECTS = (
    "Redis cache is never emptied",
    "Timeout while uploading",
    "README has a broken link",
    "Crash on an empty list",
    "Login fails behind a proxy",
    "Slow start with a cold cache",
    "Dark mode ignores the sidebar",
    "Retry after the connection to Redis is lost",
)
PEOPLE = ("amara", "bruno", "chidi", "dagny", "eline")


def made(count=120):
    """The issues, newest first."""
    chance = random.Random(15)
    return [issue(chance, number) for number in range(count, 0, -1)]


def issue(chance, number):
    labels = chance.sample(LABELS, chance.choice((0, 1, 1, 2, 3)))
    assignees = chance.sample(PEOPLE, chance.choice((0, 0, 0, 1, 1, 2)))
    subject = chance.choice(SUBJECTS)
    body = f"{subject}. " + " ".join(chance.choice(("It happens", "I see this", "We need a fix")) for _ in range(12))
    return {
        "number": number,
        "title": subject,
        "state": "open" if chance.random() < 0.6 else "closed",
        "user": {"login": chance.choice(PEOPLE), "type": "User"},
        "labels": [{"name": name, "color": f"{abs(hash_of(name)):06x}"} for name in labels],
        "assignees": [{"login": login} for login in assignees],
        "milestone": {"title": f"v{chance.randint(1, 3)}.0"} if chance.random() < 0.3 else None,
        "comments": chance.randint(0, 40),
        "created_at": f"2025-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:15:00Z",
        "body": body,
    }


def hash_of(name):
    """A number of six hexadecimal digits that depends on nothing but the name."""
    return sum(ord(letter) * 257 * (place + 1) for place, letter in enumerate(name)) % 0x1000000
