"""What the files of `servers` consist of: large results, and the questions and traps that are asked about each.

A *question* has an answer that the test computes from the raw data, and the calls, at most two, that a careful model
makes from the response it sees. A *trap* is a careless call: its result is right, or says why it is not.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    """A question, its right answer, and the way to it."""

    name: str
    text: str
    expected: object
    #: Arguments of `lro_extract`; `DESCRIBE` for `lro_describe`; or a function that makes them of the answers so far.
    calls: list
    #: Reads the answer out of the structured results of the calls.
    read: Callable


@dataclass(frozen=True)
class Trap:
    """A careless call. What makes it honest is the right answer, or words that match `says`."""

    name: str
    text: str
    expected: object
    calls: list
    read: Callable
    #: A regular expression for the remark or the error.
    says: str


@dataclass(frozen=True)
class Result:
    """A call of a server's tool whose result is large, with the rows that are asked about it."""

    tool: str
    arguments: dict
    rows: list


@dataclass(frozen=True)
class Server:
    """A server, how it is started, and what is asked."""

    name: str
    #: The package that it comes from, with its registry.
    package: str
    command: list
    results: list
    env: dict = field(default_factory=dict)


#: A call of `lro_describe` in place of arguments for `lro_extract`.
DESCRIBE = {"describe": True}


def trap(name, text, expected, call, read, says):
    return Trap(name, text, expected, [call], read, says)


def told(word, then, otherwise):
    """A call that depends on what the response tells: `then` where it names a field so."""
    return lambda answers: then if re.search(rf'(^|[{{ "]){word}"?\??:', answers[0].get("fields", "")) else otherwise


def recipe(pattern, **arguments):
    """A call of the first recipe of the response whose name matches."""

    def call(answers):
        # `1 title with state, 2 filter url (prefix), 3 search title (keyword)`
        recipes = re.findall(r"(\d+) (.*?)(?=, \d+ |$)", answers[0]["recipes"])
        return {"recipe": next(int(number) for number, text in recipes if re.search(pattern, text)), **arguments}

    return call


# What remarks and errors say, as regular expressions.

NO_FIELD = r"records? ha(s|ve) |no field|is not a field|does not exist"
NO_VALUE = r"no record has|match(es)? no |has the values?|values? (are|of)|holds? "
LETTER_CASE = r"case|upper|lower"


# How answers are read. Each gets the structured results of all calls of a row and gives what a reader takes from them.


def only(answers):
    """The only result of the last call, as after `count` or a filter that gives one value."""
    [value] = answers[-1]["results"]
    return value


def first(answers):
    """The first of the results of the last call, nothing where there is none."""
    results = answers[-1]["results"]
    return results[0] if results else None


def results(answers):
    """All results of the last call, which has to be whole."""
    assert not answers[-1].get("truncated"), "the page is cut"
    return answers[-1]["results"]


def field_of_first(name):
    """A field of the first record."""
    return lambda answers: member(first(answers), name)


def column(name):
    """A field of each of the results, in their order."""
    return lambda answers: [member(record, name) for record in results(answers)]


def whole(name):
    """A field of each of the results of all calls, which are pages of one answer."""

    def read(answers):
        assert not answers[-1].get("truncated"), "the last page is cut"
        return [member(record, name) for answer in answers for record in answer["results"]]

    return read


def onward(call):
    """The same call again, for the page after."""
    return lambda answers: {**call, "next": answers[-1]["next"]}


def groups(name):
    """What `group_by` counts, as a map."""
    return lambda answers: {member(group, name): group["count"] for group in results(answers)}


def how_many(answers):
    """How many results there are, whether they fit or not."""
    return answers[-1].get("total", answers[-1]["count"])


def member(record, path):
    """A member of a record, by its name or along its path."""
    if not isinstance(record, dict):
        return None
    if path in record:
        return record[path]
    head, _, rest = path.partition(".")
    return member(record.get(head), rest) if rest else None


def matched(pattern, convert=str):
    """What a group of a regular expression matches in the first result, written out."""

    def read(answers):
        found = re.search(pattern, text_of(first(answers)))
        return convert(found.group(1)) if found else None

    return read


def text_of(value):
    """A result as a reader sees it: a line of text, or the values of a record one after the other."""
    return " ".join(map(text_of, value.values())) if isinstance(value, dict) else str(value)
