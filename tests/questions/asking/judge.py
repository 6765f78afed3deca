"""Whether an answer is right, and whether a wrong one says so."""

import math
import re
from dataclasses import dataclass, field

from .rows import DESCRIBE, Trap
from .talk import Turn

#: Calls of a row beside the one of the server's tool.
MOST_CALLS = 2


@dataclass
class Verdict:
    """How a row went."""

    server: str
    row: object
    opening: Turn
    turns: list = field(default_factory=list)
    answer: object = None
    #: Why the row fails; empty where it passes.
    reason: str = ""

    @property
    def name(self):
        return f"{self.server}/{self.row.name}"

    @property
    def is_trap(self):
        return isinstance(self.row, Trap)

    @property
    def is_right(self):
        return self.answer is not None and same(self.answer, self.row.expected)

    @property
    def errors(self):
        return sum(turn.reply.failed for turn in self.turns)

    @property
    def remarks(self):
        return sum(len(turn.reply.remarks) for turn in self.turns)

    @property
    def is_silent(self):
        """True for a wrong answer that nothing warns of."""
        return not self.is_right and not self.errors and not self.remarks


async def judged(talk, server, opening, row):
    """Asks a row."""
    verdict = Verdict(server, row, opening)
    try:
        for call in row.calls:
            await asked(talk, verdict, call)
            if verdict.turns[-1].reply.failed:
                break
        else:
            verdict.answer = row.read([turn.reply.structured for turn in verdict.turns])
    except (AssertionError, KeyError, LookupError, TypeError, ValueError) as error:
        # The response has another shape than a careful reader would need: that is what the row finds out.
        verdict.reason = f"cannot be read: {type(error).__name__}: {error}"
    verdict.reason = fault(verdict)
    return verdict


async def asked(talk, verdict, call):
    """Makes one of the calls of a row."""
    response = verdict.opening.reply.structured
    if callable(call):
        call = call([response, *(turn.reply.structured for turn in verdict.turns)])
    tool = "describe" if call == DESCRIBE else "extract"
    arguments = {} if call == DESCRIBE else dict(call)
    arguments.setdefault("file_path", response["file_path"])
    verdict.turns.append(await talk.call(talk.prefix + tool, arguments))


def fault(verdict):
    """Why a row fails."""
    row, said = verdict.row, words(verdict)
    if verdict.is_right:
        return "" if verdict.is_trap else too_many(verdict) or unfounded(verdict)
    if verdict.is_trap:
        if said and re.search(row.says, said, re.IGNORECASE):
            return ""
        if said:
            return f"the remark or error does not say why: nothing matches /{row.says}/"
        return "silent: wrong, without a remark or an error"
    if verdict.errors:
        return "the call is refused"
    return verdict.reason or ("wrong" if said else "silent: wrong, without a remark or an error")


def words(verdict):
    """Remarks and errors of a row."""
    replies = [turn.reply for turn in verdict.turns]
    return "\n".join(
        [*(reply.text for reply in replies if reply.failed), *(remark for reply in replies for remark in reply.remarks)]
    )


def too_many(verdict):
    return f"more than {MOST_CALLS} calls" if len(verdict.turns) > MOST_CALLS else ""


def unfounded(verdict):
    """Fields that nothing told of before they were asked for: a model could only guess them."""
    seen = verdict.opening.reply.text
    for turn in verdict.turns:
        for name in names(turn.arguments):
            if name not in seen:
                return f"nothing that was read before names the field `{name}`"
        seen += turn.reply.text
    return ""


def names(arguments):
    """The last names of the fields that criteria are about. `line` is the criteria's own word for a line of text."""
    asked = [*arguments.get("select", []), arguments.get("group_by", ""), arguments.get("sort_by", "")]
    asked += [re.split(r"[=<>~^!]| in ", condition.lstrip("!"))[0] for condition in arguments.get("where", [])]
    last = {name.lstrip("-").split(".")[-1].strip().strip('"') for name in asked}
    return sorted(last - {"", "line", "key", "path"})


def same(answer, expected):
    """True for equal values. A number may be written as a text, and a set has no order."""
    if isinstance(expected, bool) or expected is None:
        return answer is expected
    if isinstance(expected, (int, float)):
        number = as_number(answer)
        return number is not None and math.isclose(number, expected, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(expected, (set, frozenset)):
        return (
            isinstance(answer, (list, set))
            and len(answer) == len(expected)
            and set(map(str, answer)) == set(map(str, expected))
        )
    if isinstance(expected, (list, tuple)):
        return isinstance(answer, (list, tuple)) and len(answer) == len(expected) and all(map(same, answer, expected))
    if isinstance(expected, dict):
        return (
            isinstance(answer, dict)
            and answer.keys() == expected.keys()
            and all(same(answer[key], expected[key]) for key in expected)
        )
    return answer == expected


def as_number(value):
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
