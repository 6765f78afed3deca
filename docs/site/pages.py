"""Gathers the pages of the site: `python pages.py ROOT PAGES`.

It begins with the front page, and goes on with what each page links to. A Markdown file becomes a page, with its links rewritten
to the places of other pages, and a source file becomes a page with its text. A link to a folder leads to the folder's README, or
becomes plain text.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

# The front page. Its sections are those of the menu, and its lists are their entries.
FRONT = "docs/README.md"
# Of a page that others link to and the menu does not have.
HIDDEN = "orphan: true\nnosearch: true\n"
FENCE = re.compile(r"\s*(```|~~~)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# What pages link to, where the site has a page that is generated from it.
GENERATED = {"cli": "reference/command", "wit/settings.schema.json": "reference/settings",
             "wit/request.schema.json": "reference/request", "wit": "reference/contract"}
LANGUAGES = {".rs": "rust", ".py": "python", ".js": "javascript", ".mjs": "javascript", ".json": "json", ".toml": "toml",
             ".yaml": "yaml", ".sh": "bash", ".jq": "jq"}


def place(path: str) -> str:
    """Where the page of a file is, without its extension."""
    if path == FRONT:
        return "index"
    if path in GENERATED or path.endswith(".wit") and path.startswith("wit/"):
        return GENERATED.get(path, GENERATED["wit"])
    if path == "README.md":
        return "overview"
    if path.endswith(".md"):
        path = path.removeprefix("docs/").removesuffix(".md")
        return path.lower() if "/" not in path or path.startswith("howto/") else path.removesuffix("/README")
    return f"source/{path}"


class Site:
    """The tree of pages."""

    def __init__(self, root: Path, pages: Path):
        self.root, self.pages = root, pages
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
        self.files = set(listed.stdout.splitlines())
        self.found: list[str] = []

    def build(self) -> None:
        (self.pages / "reference").mkdir()
        front = self.linked(FRONT, self.read(FRONT))
        menu = list(sections(front))
        in_menu = {name for _, entries in menu for _, name in entries}
        self.write("index", front + "".join(toctree(*section) for section in menu))
        # The list grows while pages are read.
        for path in self.found:
            text = self.linked(path, self.read(path)) if path.endswith(".md") else source_page(path, self.read(path))
            self.write(place(path), text if place(path) in in_menu else f"---\n{HIDDEN}---\n{text}")

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def write(self, name: str, text: str) -> None:
        file = self.pages / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def linked(self, path: str, text: str) -> str:
        """The text of a page, with its links rewritten outside of code."""
        lines, in_code = [], False
        for line in text.splitlines(keepends=True):
            if FENCE.match(line):
                in_code = not in_code
            lines.append(line if in_code else LINK.sub(lambda link: self.rewritten(path, link), line))
        return "".join(lines)

    def rewritten(self, path: str, link: re.Match) -> str:
        picture, text, target = link.groups()
        if re.match(r"[a-z]+:|#", target):
            return link.group()
        file, _, anchor = target.partition("#")
        file = os.path.normpath(PurePosixPath(path).parent / file)
        anchor = f"#{anchor}" if anchor else ""
        if f"{file}/README.md" in self.files:
            file += "/README.md"
        here = PurePosixPath(place(path)).parent
        if picture:
            shutil.copy(self.root / file, self.pages / PurePosixPath(file).name)
            return f"![{text}]({os.path.relpath(PurePosixPath(file).name, here)})"
        if file not in self.files and file not in GENERATED:
            return text
        if place(file) not in ("index", *GENERATED.values()) and file not in self.found:
            self.found.append(file)
        return f"[{text}]({os.path.relpath(place(file), here)}.md{anchor})"


def sections(front: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The sections of the front page, each with the pages that its lists begin with."""
    for section in front.split("\n## ")[1:]:
        title, *lines = section.splitlines()
        links = [re.findall(r"\[([^\]]+)\]\(([^)#]+)\.md\)", line.partition(":")[0]) for line in lines if line.startswith("- ")]
        yield title, [link for found in links for link in found]


def toctree(title: str, entries: list[tuple[str, str]]) -> str:
    lines = "\n".join(f"{text} <{name}>" for text, name in entries)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"


def source_page(path: str, text: str) -> str:
    """A page that shows a source file."""
    fence = "`" * 8
    language = LANGUAGES.get(PurePosixPath(path).suffix, "text")
    return f"# {PurePosixPath(path).name}\n\n`{path}`\n\n{fence}{language}\n{text}\n{fence}\n"


if __name__ == "__main__":
    Site(Path(sys.argv[1]), Path(sys.argv[2])).build()
