"""The reference of the contract: reads WIT as JSON, as the program `contract` prints it, and prints a page."""

import json
import sys


class Contract:
    """Everything of one package, as wit-parser has resolved it."""

    def __init__(self, resolved: dict):
        self.types, self.interfaces, self.worlds = (resolved[key] for key in ("types", "interfaces", "worlds"))
        self.package = resolved["packages"][0]

    def page(self) -> str:
        name = self.package["name"]
        parts = [f"# The contract\n\nThe WIT package `{name}`: what the component exports, and what a host calls."]
        parts += [self.world(self.worlds[index]) for index in self.package["worlds"].values()]
        parts += [self.interface(self.interfaces[index]) for index in self.package["interfaces"].values()]
        return "\n\n".join(parts) + "\n"

    def world(self, world: dict) -> str:
        names = [self.interfaces[item["interface"]["id"]]["name"] for item in world["exports"].values() if "interface" in item]
        links = ", ".join(f"[`{name}`](#interface-{name})" for name in names)
        return f"## World `{world['name']}`\n\n{docs(world)}It exports {links}."

    def interface(self, interface: dict) -> str:
        parts = [f"## Interface `{interface['name']}`\n\n{docs(interface)}"]
        parts += [self.function(function) for function in interface["functions"].values()]
        own = [self.types[index] for index in interface["types"].values()]
        parts += [self.definition(item) for item in own if not is_use(item)]
        return "\n\n".join(parts)

    def function(self, function: dict) -> str:
        params = ", ".join(f"{param['name']}: {self.shown(param['type'])}" for param in function["params"])
        result = function.get("result")
        returns = f" -> {self.shown(result)}" if result is not None else ""
        return f"### `{function['name']}`\n\n```text\n{function['name']}: func({params}){returns}\n```\n\n{docs(function)}"

    def definition(self, item: dict) -> str:
        kind = item["kind"]
        word, body = next(iter(kind.items()))
        head = f"### {word.capitalize()} `{item['name']}`\n\n{docs(item)}"
        members = body.get("fields") or body.get("cases") or body.get("flags") or [] if isinstance(body, dict) else []
        rows = "\n".join(f"| `{member['name']}` | {self.typed(member)} | {cell(docs(member))} |" for member in members)
        columns = "field" if word == "record" else "case"
        return f"{head}| {columns} | type | meaning |\n|---|---|---|\n{rows}" if rows else f"{head}`{self.shown(body)}`"

    def typed(self, member: dict) -> str:
        return f"`{self.shown(member['type'])}`" if member.get("type") is not None else ""

    def shown(self, of) -> str:
        """A type as WIT writes it."""
        if isinstance(of, str):
            return of
        item = self.types[of]
        if item["name"]:
            return item["name"]
        word, body = next(iter(item["kind"].items()))
        if word in ("list", "option"):
            return f"{word}<{self.shown(body)}>"
        if word == "tuple":
            return f"tuple<{', '.join(self.shown(each) for each in body['types'])}>"
        if word == "result":
            ok, err = ("_" if body[side] is None else self.shown(body[side]) for side in ("ok", "err"))
            return f"result<{ok}, {err}>"
        raise ValueError(f"the page cannot show the type {item}")


def is_use(item: dict) -> bool:
    """A type that an interface takes from another one."""
    return "type" in item["kind"] and isinstance(item["kind"]["type"], int)


def docs(item: dict) -> str:
    text = (item.get("docs") or {}).get("contents") or ""
    return f"{text.strip()}\n\n" if text else ""


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(Contract(json.load(sys.stdin)).page(), end="")
