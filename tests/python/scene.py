"""A conformance case on its way: what is given is set up, each step is called on an engine and compared.

An engine is a function from a `Call` to its answer, as `tests/cases/case.schema.json` has it; an error of the contract is
raised as `Failed`.
"""

import json
import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from matching import Names, mismatch

TESTS = Path(__file__).resolve().parents[1]
CASES = TESTS / "cases"
FIXTURES = TESTS / "fixtures"
FILES = sorted(path for path in CASES.rglob("*.json") if path.name != "case.schema.json")


def name_of(path):
    """The name of a case, as lists of gaps have it: `level-1/header`."""
    return path.relative_to(CASES).with_suffix("").as_posix()


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Failed(Exception):
    """An error of the contract: its case, message, hint, and what the case carries besides."""

    def __init__(self, found):
        super().__init__(found)
        self.found = found


@dataclass(frozen=True)
class Call:
    """One step as an engine is given it: names are filled in, the settings of case and step are one object."""

    function: str
    directory: Path
    kind: str
    """Of the directory: `writable`, `read-only`, `full`, `missing`."""
    request: dict
    settings: dict
    payload: str
    source: dict
    """`{"file": …}` or `{"content": …}`."""
    file_text: str
    environment: dict

    def disk(self):
        """What to make the call in, once the engine is open: where the case asks for it, the disk is full."""
        return full_disk() if self.kind == "full" else nullcontext()

    @property
    def tool(self):
        """Of the interface `mcp`."""
        return self.request.get("tool", "")

    @property
    def arguments(self):
        """Those of the tool, as JSON text; empty without them."""
        return compact(self.request["arguments"]) if "arguments" in self.request else ""

    def rewriting(self, message, **more):
        """The answer of a function that replaces a message or lets it stand (`None`)."""
        outcome = "unchanged" if message is None else "replaced"
        return {"outcome": outcome, "text": self.payload if message is None else message, **more}


def play(path, engine, gaps):
    """Plays a case in a folder. Fails where it does not hold; where it does and is listed as a gap, too."""
    # A short path, as most are: a response says less where the path in it is long.
    with tempfile.TemporaryDirectory(prefix="lro-case-") as root:
        difference = Scene(json.loads(path.read_text("utf-8")), Path(root).resolve(), engine).play()
    reason = gaps.get(name_of(path))
    if reason:
        assert difference, f"the gap has been closed: {reason}"
    else:
        assert not difference, difference


class Scene:
    """A case in a temporary directory of its own."""

    def __init__(self, case, root, engine):
        self.case, self.given, self.engine = case, case.get("given", {}), engine
        self.kind = self.given.get("directory", "writable")
        self.directory = root.resolve() / "output"
        self.names = Names(directory=str(self.directory), outside=str(self.directory.with_name("outside")))
        if self.kind != "missing":
            self.directory.mkdir()
        for file in self.given.get("files", []):
            self.place(file)

    def place(self, file):
        path = self.directory / self.names.fill(file["name"])
        path.parent.mkdir(parents=True, exist_ok=True)
        if "lines" in file:
            lines = [line if isinstance(line, str) else compact(line) for line in file["lines"]]
            path.write_text("".join(self.names.fill(line) + "\n" for line in lines))
        elif "link" in file:
            path.symlink_to(self.names.fill(file["link"]))
        else:
            path.mkdir(parents=True, exist_ok=True)

    def play(self):
        """The first difference, with its step; `None` when there is none."""
        for number, step in enumerate(self.case["steps"], 1):
            if difference := self.step(step):
                return f"step {number} ({step['call']}): {difference}"
        return None

    def step(self, step):
        then = step["then"]
        call = self.call(step)
        try:
            answer = self.engine(call)
        except Failed as error:
            found = error.found
            return mismatch(then["error"], found, self.names, "error") if "error" in then else f"unexpected {found}"
        if "error" in then:
            return f"expected the error {then['error']}, found {answer}"
        answer = self.derived(step["call"], answer)
        found = {"answer": lambda: answer, "files": self.files, "file": self.last_file}
        checks = (mismatch(then[what], found[what](), self.names, what) for what in found if what in then)
        return next(filter(None, checks), None)

    def call(self, step):
        explicit = self.names.fill(step.get("settings", {}))
        # Settings are what `resolve` is about: it gets those of the step alone.
        is_resolve = step["call"] == "resolve"
        return Call(
            function=step["call"],
            directory=self.directory,
            kind=self.kind,
            request=self.names.fill(step.get("request", {})),
            settings=explicit if is_resolve else {**self.names.fill(self.given.get("settings", {})), **explicit},
            payload=self.payload(step),
            source=self.names.fill(step.get("source", {"file": self.names.get("file", "")})),
            file_text=step.get("file_text", ""),
            environment=step.get("environment", {}),
        )

    def payload(self, step):
        for source in (step, self.given):
            if "payload" in source:
                return self.names.fill(source["payload"])
            if "records" in source:
                return self.names.fill(compact(source["records"]))
            if "fixture" in source:
                return (FIXTURES / source["fixture"]).read_text("utf-8")
            if "message" in source:
                return compact(self.names.fill(source["message"]))
        return ""

    def derived(self, function, answer):
        """The answer with what follows from it, and the names that later steps may use."""
        text = answer.get("text", "")
        if function == "offload":
            answer["response"] = parsed(text)
            self.named(answer["response"], answer)
        elif function == "describe":
            answer["description"] = parsed(text)
        elif function == "extract":
            lines = [parsed(line) for line in text.split("\n") if line]
            answer["results"] = lines
            self.names["next"] = answer["next"] or ""
            response = lines[0] if lines and isinstance(lines[0], dict) else {}
            if response.get("offloaded") is True:
                name = response["file_path"].removeprefix(str(self.directory)).lstrip("/")
                self.named(response, {"file_name": name})
                answer["response"] = response
        elif function.startswith("mcp-"):
            answer["message"] = message = parsed(text)
            result = message.get("result", message) if isinstance(message, dict) else {}
            structured = result.get("structuredContent") or {}
            self.named(structured, answer)
            self.names["next"] = structured.get("next") or ""
        return answer

    def named(self, response, answer):
        if isinstance(response, dict) and response.get("file_path") and answer.get("file_name"):
            self.names.update(file=response["file_path"], name=answer["file_name"], content=answer.get("content") or "")

    def files(self):
        below = (path for path in self.directory.rglob("*") if path.is_symlink() or not path.is_dir())
        return sorted(path.relative_to(self.directory).as_posix() for path in below)

    def last_file(self):
        name = self.names.get("name", "")
        header, _, rest = (self.directory / name).read_bytes().decode().partition("\n")
        lines = rest.removesuffix("\n").split("\n") if rest else []
        return {
            "name": name,
            "header": parsed(header),
            "header_text": header,
            "lines": [line.removesuffix("\r") for line in lines],
            "ends_with_newline": (rest or header).endswith("\n"),
        }


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


@contextmanager
def full_disk():
    """Files can be created, and nothing can be written to them."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
