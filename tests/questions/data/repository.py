"""A git repository with a history of several people, made by one stream of git's."""

import os
import random
import subprocess
from datetime import datetime, timezone

AUTHORS = (
    ("Nadia Okafor", "nadia@example.com"),
    ("Nadia Petrov", "petrov@example.com"),
    ("Li Wei", "li@example.com"),
    ("Sofía Núñez", "sofia@example.com"),
)
AREAS = ("parser", "cache", "server", "docs")
WORK = ("fix a crash on NaN", "read options from a file", "speed up the first call", "explain the limits", "add a test")
FIRST = 1_672_700_000


def commits(count=160):
    """What each commit changes: oldest first. `lines` is how many lines it adds to its file."""
    chance = random.Random(3)
    made = []
    for number in range(count):
        name, email = chance.choice(AUTHORS)
        area = chance.choice(AREAS)
        made.append(
            {
                "number": number,
                "name": name,
                "email": email,
                "time": FIRST + number * 400_000,
                "subject": f"{area}: {chance.choice(WORK)}",
                "file": f"src/{area}_{chance.randint(1, 4)}.txt",
                "lines": chance.randint(1, 9),
            }
        )
    return made


def year(commit):
    return datetime.fromtimestamp(commit["time"], timezone.utc).year


def write(made, folder):
    """Makes the repository: every commit appends lines to one file. The tag `halfway` is on the middle one."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    contents, stream = {}, []
    for commit in made:
        text = contents.get(commit["file"], "")
        text += "".join(f"{commit['subject']}, line {line}\n" for line in range(commit["lines"]))
        contents[commit["file"]] = text
        stream.append(entry(commit, text))
    git(folder, "fast-import", "--quiet", stdin="".join(stream).encode())
    git(folder, "tag", "halfway", f"main~{len(made) // 2}")
    git(folder, "reset", "--quiet", "--hard", "main")


def entry(commit, text):
    """A commit in the language of `git fast-import`."""
    person = f"{commit['name']} <{commit['email']}> {commit['time']} +0000"
    return (
        f"commit refs/heads/main\nauthor {person}\ncommitter {person}\n{data(commit['subject'])}"
        f"M 100644 inline {commit['file']}\n{data(text)}\n"
    )


def data(text):
    return f"data {len(text.encode())}\n{text}\n"


#: No settings of the user or of the machine.
ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder, *arguments, stdin=None):
    """What a command of git prints."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(
        command, input=stdin, check=True, capture_output=True, env={**os.environ, **ALONE}
    ).stdout.decode()
