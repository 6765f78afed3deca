"""The HTTP front of a host as an engine of `lro conformance` (docs/CONFORMANCE.md): results go to its store, not to a directory.

The host is opened for settings of each call, which no shipped configuration does.
"""

import http.client
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from cluster import ACME, Client

UNABLE = {
    **dict.fromkeys(["read-only", "full", "missing"], "there is no directory"),
    **dict.fromkeys(["list-files", "copies", "cleanup"], "the front has no route for files"),
    **dict.fromkeys(["estimate", "resolve"], "the front has no route for it"),
    **dict.fromkeys(
        ["mcp-offload-result", "mcp-offload-tools", "mcp-resolve-arguments"], "they are for hosts between a client and a server"
    ),
}


class Front:
    """One host."""

    def __init__(self, port):
        self.client = Client(SimpleNamespace(port=port), token=ACME)
        self.shown = set()

    def reply(self, asked):
        if asked["call"] == "hello":
            return {"answer": {"name": "wasmcloud", "unable": UNABLE}}
        if "content" in asked.get("source", {}):
            return {"trap": "a text that is not stored has no route"}
        directory = Path(asked["directory"])
        if any(file not in self.shown for file in directory.rglob("*") if not file.is_dir()):
            return {"trap": "files in a directory cannot be reached"}
        # The front's own default is `tool`. Paths of responses are those that the case expects.
        settings = {"guidance": "shell", **asked["settings"], "public_dir": asked["directory"]}
        self.settings = json.dumps(settings)
        try:
            return getattr(self, asked["call"].replace("-", "_"))(asked)
        except (OSError, http.client.HTTPException) as error:
            return {"trap": f"{type(error).__name__}: {error}"}

    def post(self, path, body, **headers):
        return self.client.post(path, body, lro_settings=self.settings, **headers)

    def offload(self, asked):
        answer = self.post("/offload", asked["payload"], lro_request=json.dumps(asked["request"]))
        if answer.status not in (200, 201):
            return error(answer)
        found = {"outcome": answer.headers["lro-outcome"], "text": answer.text()}
        found["estimated_tokens"] = int(answer.headers["lro-estimated-tokens"])
        if answer.status == 201:
            found["file_name"] = answer.headers["location"].removeprefix("/results/")
            found["content"] = self.show(found["file_name"], asked["directory"])
            for section in answer.json().get("sections", []):
                self.show(section["file_path"].removeprefix(asked["directory"]).removeprefix("/"), asked["directory"])
        return {"answer": found}

    def show(self, name, directory):
        """Copies what the store has to where the runner looks, and returns it."""
        content = self.client.get(f"/results/{name}").text()
        file = Path(directory) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
        self.shown.add(file)
        return content

    def extract(self, asked):
        answer = self.post(path(asked), asked["request"])
        if answer.status != 200:
            return error(answer)
        page = answer.json()
        # The bytes of each result, as they came.
        page["results"] = "".join(line + "\n" for line in elements(answer.text()))
        return {"answer": page}

    def read(self, asked):
        return answered(self.post(path(asked) + "/read", asked["request"]))

    def search(self, asked):
        return answered(self.post(path(asked) + "/search", asked["request"]))

    def describe(self, asked):
        return text(self.client.get(path(asked) + "/description", lro_settings=self.settings))

    def rebuild(self, asked):
        return text(self.client.get(path(asked) + "/document", lro_settings=self.settings))

    def mcp_tools(self, _):
        answer = self.mcp("tools/list", {})
        if "result" not in answer:
            return {"trap": json.dumps(answer)}
        return {"answer": json.dumps(answer["result"]["tools"])}

    def mcp_call(self, asked):
        arguments = asked["call_arguments"]
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        if isinstance(arguments, dict) and isinstance(arguments.get("file_path"), str):
            arguments["file_path"] = "/results/" + Path(arguments["file_path"]).name
        answer = self.mcp("tools/call", {"name": asked["name"], "arguments": arguments})
        if "error" in answer:
            message, _, hint = answer["error"]["message"].partition("\n")
            return {"error": {"case": "invalid-argument", "message": message, "hint": hint}}
        return {"answer": json.dumps(answer["result"], ensure_ascii=False)}

    def mcp(self, method, params):
        return self.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()


def path(asked):
    return "/results/" + str(asked["source"]["file"]).removeprefix(asked["directory"]).removeprefix("/")


def elements(page):
    """The texts of the JSON values in `results`."""
    decoder, place = json.JSONDecoder(), page.index('"results":[') + len('"results":[')
    while page[place] != "]":
        _, end = decoder.raw_decode(page, place)
        yield page[place:end]
        place = end + (page[end] == ",")


def error(answer):
    problem = answer.json()
    return {"error": {"case": problem.get("case"), **{key: problem[key] for key in problem if key != "status"}, "hint": problem.get("hint", "")}}


def answered(answer):
    return {"answer": answer.json()} if answer.status == 200 else error(answer)


def text(answer):
    return {"answer": answer.text()} if answer.status == 200 else error(answer)


def main():
    front = Front(int(os.environ["LRO_FRONT_PORT"]))
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **front.reply(asked)}), flush=True)


if __name__ == "__main__":
    main()
