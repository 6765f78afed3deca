"""Names in the texts of a case, and expected values against found ones: the rules of `tests/cases/case.schema.json`."""

import re
from datetime import UTC, datetime, timedelta

ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NAME = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


class Names(dict):
    """What names stand for."""

    def fill(self, value):
        """A value with the names in its texts replaced; names that are not known stay."""
        if isinstance(value, str):
            return NAME.sub(lambda name: known if (known := self.value(name[1])) is not None else name[0], value)
        if isinstance(value, list):
            return [self.fill(element) for element in value]
        if isinstance(value, dict):
            return {key: self.fill(member) for key, member in value.items()}
        return value

    def value(self, name):
        if name in self:
            return self[name]
        if repetition := re.fullmatch(r"repeat (\d+) (.*)", name, re.DOTALL):
            return repetition[2] * int(repetition[1])
        if ago := re.fullmatch(r"(now|ulid)-(\d+)s", name):
            moment = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=int(ago[2]))
            return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if ago[1] == "now" else ulid(int(moment.timestamp()))
        return None

    def pattern(self, text):
        """An expected text as a pattern for a whole string."""
        meanings = {"any": ".*", "ulid": ULID, "timestamp": TIMESTAMP}
        pieces = NAME.split(text)
        for i in range(1, len(pieces), 2):
            pieces[i] = meanings.get(pieces[i]) or re.escape(self.value(pieces[i]) or "")
        pieces[::2] = map(re.escape, pieces[::2])
        return re.compile("".join(pieces), re.DOTALL)


def ulid(seconds):
    """A ULID of a moment, its random part being zero."""
    return "".join(CROCKFORD[seconds * 1000 >> 5 * place & 31] for place in reversed(range(10))) + "0" * 16


def mismatch(expected, found, names, path=""):
    """Says where and how `found` differs from `expected`, the first time that it does."""
    if expected == "{{any}}":
        return None
    differs = f"{path or '.'}: expected {expected!r}, found {found!r}"
    if isinstance(expected, dict) and isinstance(found, dict):
        return next(filter(None, (_member(found, names, f"{path}.{key}", key, at) for key, at in expected.items())), None)
    if isinstance(expected, list) and isinstance(found, (list, tuple)) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return next(filter(None, (mismatch(e, f, names, f"{path}[{i}]") for i, (e, f) in pairs)), None)
    if isinstance(expected, str) and isinstance(found, str):
        return None if names.pattern(expected).fullmatch(found) else differs
    # True equals 1 in Python, but not in JSON.
    is_equal = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return None if is_equal else differs


def _member(found, names, path, key, expected):
    if key in found:
        if expected == "{{absent}}":
            return f"{path}: expected nothing, found {found[key]!r}"
        return mismatch(expected, found[key], names, path)
    return None if expected == "{{absent}}" else f"{path}: expected {expected!r}, found nothing"
