"""What a run prints: a table with a row for each server, whole conversations, and the closing line."""

import json

from .talk import shown

COLUMNS = ("server", "questions", "right", "traps", "held", "calls", "characters", "errors", "remarks", "silent")

#: A table is sorted and read like code where it is written to a file; the meaning of its columns stands above it.
MEANING = """\
# Results

`BLESS=1 bash tests/questions/ask` asks all questions and writes this file.

- *right*: questions whose answer is the one that the test computes from the raw data.
- *held*: traps, that is careless calls, whose result is right or says why it is not.
- *calls*: what the questions take, with the call of the server's tool.
- *characters*: what a model reads for the questions, with the response of the server's tool.
- *errors*, *remarks*: of questions and traps.
- *silent*: wrong answers without a remark or an error.
"""


def table(verdicts):
    """The table, as Markdown."""
    servers = sorted({verdict.server for verdict in verdicts})
    rows = [counted(name, [verdict for verdict in verdicts if verdict.server == name]) for name in servers]
    rows.append(("sum", *(sum(row[place] for row in rows) for place in range(1, len(COLUMNS)))))
    widths = [max(len(str(row[place])) for row in [COLUMNS, *rows]) for place in range(len(COLUMNS))]
    lines = [line(COLUMNS, widths), "|" + "|".join(f" {'-' * width} " for width in widths) + "|"]
    return "\n".join(lines + [line(row, widths) for row in rows]) + "\n"


def line(cells, widths):
    return "| " + " | ".join(str(cell).ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def counted(name, verdicts):
    questions = [verdict for verdict in verdicts if not verdict.is_trap]
    traps = [verdict for verdict in verdicts if verdict.is_trap]
    return (
        name,
        len(questions),
        sum(not verdict.reason for verdict in questions),
        len(traps),
        sum(not verdict.reason for verdict in traps),
        sum(1 + len(verdict.turns) for verdict in questions),
        sum(characters(verdict) for verdict in questions),
        sum(verdict.errors for verdict in verdicts),
        sum(verdict.remarks for verdict in verdicts),
        sum(verdict.is_silent for verdict in verdicts),
    )


def characters(verdict):
    """What is read for a row. Paths are part of it, so that the machine has some share in it."""
    replies = [verdict.opening.reply, *(turn.reply for turn in verdict.turns)]
    return sum(len(reply.text) for reply in replies)


def told(verdict, most):
    """A row with its conversation."""
    lines = [
        f"{verdict.name}: {verdict.reason or 'passes'}",
        f"  question  {verdict.row.text}",
        f"  expected  {shown(plain(verdict.row.expected), most)}",
        f"  read      {shown(plain(verdict.answer), most)}",
    ]
    for turn in [verdict.opening, *verdict.turns]:
        lines.append(f"  > {turn.tool} {shown(turn.arguments, most)}")
        lines.append(f"  < {'error: ' if turn.reply.failed else ''}{shown(turn.reply.text, most)}")
    return "\n".join(lines)


def plain(value):
    """A value as JSON has it."""
    return json.loads(
        json.dumps(value, default=lambda other: sorted(other) if isinstance(other, (set, frozenset)) else str(other))
    )


def closing(verdicts, gaps):
    """The lines at the end, and whether the run passes: a gap that passes, or names no row, is stale."""
    failing = {verdict.name for verdict in verdicts if verdict.reason}
    known = {verdict.name for verdict in verdicts}
    stale = [name for name in gaps if name not in failing]
    unlisted = sorted(failing - gaps.keys())
    lines = [
        f"gaps.json lists `{name}`, which {'passes' if name in known else 'does not exist'}: take it off"
        for name in stale
    ]
    failed = len(unlisted) + len(stale)
    lines.append(f"{len(failing & gaps.keys())} rows fail as gaps.json says")
    lines.append(f"{len(known) - len(failing)} passed, {failed} failed")
    return "\n".join(lines), failed == 0
