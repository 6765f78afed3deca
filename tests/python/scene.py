"""A conformance case on its way: what is given is set up, each step is called on this package and compared."""

import json
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from lro import Content, Lro, LroError
from matching import Names, mismatch

CASES = Path(__file__).parents[3] / "tests" / "cases"
FIXTURES = Path(__file__).parents[3] / "tests" / "fixtures"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Scene:
    """A case in a temporary directory of its own."""

    def __init__(self, case, root):
        self.case, self.given = case, case.get("given", {})
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
        try:
            answer = self.call(step)
        except LroError as error:
            found = {"case": error.case, **error.as_dict()}
            return mismatch(then["error"], found, self.names, "error") if "error" in then else f"unexpected {found}"
        if "error" in then:
            return f"expected the error {then['error']}, found {answer}"
        answer = self.derived(step["call"], answer)
        found = {"answer": lambda: answer, "files": self.files, "file": self.last_file}
        checks = (mismatch(then[what], found[what](), self.names, what) for what in found if what in then)
        return next(filter(None, checks), None)

    def call(self, step):
        request = self.names.fill(step.get("request", {}))
        explicit = self.names.fill(step.get("settings", {}))
        if step["call"] == "resolve":
            return Lro().resolve(step.get("file_text", ""), step.get("environment", {}), **explicit)
        settings = {**self.names.fill(self.given.get("settings", {})), **explicit}
        lro = Lro(self.directory, create=False, read_only=self.kind == "read-only", **settings).ready()
        with full_disk() if self.kind == "full" else nothing_special():
            return CALLS[step["call"]](lro, self, step, request)

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

    def source(self, step):
        source = self.names.fill(step.get("source", {}))
        return Content(source["content"]) if "content" in source else source.get("file", self.names.get("file", ""))

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
def nothing_special():
    yield


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


def offload(lro, scene, step, request):
    done = lro.offload(scene.payload(step), **{"operation": None, **request})
    answer = {"outcome": done.kind, "text": done.text, "estimated_tokens": done.estimated_tokens}
    answer["events"] = [asdict(event) for event in done.events]
    if done.kind == "offloaded":
        answer |= {"file_name": done.file_name, "content": done.content}
    return answer


def rewriting(scene, step, message, **more):
    outcome = "unchanged" if message is None else "replaced"
    return {"outcome": outcome, "text": scene.payload(step) if message is None else message, **more}


def offload_result(lro, scene, step, request):
    done = lro.mcp_offload_result(request.get("tool", ""), arguments(request), scene.payload(step))
    events = [asdict(event) for event in done.events]
    return rewriting(scene, step, done.message, file_name=done.file_name, events=events)


def arguments(request):
    return compact(request["arguments"]) if "arguments" in request else ""


CALLS = {
    "estimate": lambda lro, scene, step, request: {
        "tokens": lro.estimate(scene.payload(step), **{"operation": None, **request})
    },
    "offload": offload,
    "extract": lambda lro, scene, step, request: asdict(lro.extract(scene.source(step), **request)),
    "cleanup": lambda lro, scene, step, request: asdict(lro.cleanup(**request)),
    "describe": lambda lro, scene, step, request: {"text": compact(lro.describe(scene.source(step)))},
    "rebuild": lambda lro, scene, step, request: {"text": lro.rebuild(scene.source(step))},
    "mcp-tools": lambda lro, scene, step, request: {"text": lro.mcp_tools()},
    "mcp-call": lambda lro, scene, step, request: {"text": lro.mcp_call(request.get("tool", ""), arguments(request))},
    "mcp-offload-result": offload_result,
    "mcp-offload-tools": lambda lro, scene, step, request: rewriting(
        scene, step, lro.mcp_offload_tools(scene.payload(step))
    ),
}
