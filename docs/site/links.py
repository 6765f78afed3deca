"""Checks the links of a built site without a network: `python links.py OUT`.

Each link to a page, an anchor or a file leads somewhere, each page is reachable from the first one, and nothing that a browser
loads comes from another host. Links to other hosts are checked for their form alone.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself.
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The anchors of a page, and what it links to and loads."""

    def __init__(self, file: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.anchors.update(value for value in (named.get("id"), named.get("name") if tag == "a" else None) if value)
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
        elif named.get(LOADED.get(tag, "")):
            self.loaded.append(named[LOADED[tag]])


def fault(link: str, page: Path, pages: dict[Path, Page], is_loaded: bool) -> str | None:
    """What is wrong with a link."""
    parts = urlsplit(link)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        if is_loaded:
            return "is loaded from another host"
        return None if parts.scheme in ("http", "https") and "." in parts.netloc else "is not an address of the web"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "leads to a page that is missing"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "leads to an anchor that is missing"
    return None


def reached(start: Path, pages: dict[Path, Page]) -> set[Path]:
    """The pages that a reader comes to."""
    found, todo = {start}, [start]
    while todo:
        page = todo.pop()
        for link in pages[page].links:
            target = (page.parent / unquote(urlsplit(link).path)).resolve()
            if not urlsplit(link).scheme and target in pages and target not in found:
                found.add(target)
                todo.append(target)
    return found


def main(out: Path) -> None:
    pages = {file: Page(file) for file in sorted(out.resolve().rglob("*.html"))}
    faults, seen = [], 0
    for file, page in pages.items():
        for links, is_loaded in ((page.links, False), (page.loaded, True)):
            for link in links:
                seen += 1
                reason = fault(link, file, pages, is_loaded)
                if reason:
                    faults.append(f"{file.relative_to(out.resolve())}: `{link}` {reason}")
    # A form leads to the page of the search.
    lost = set(pages) - reached(out.resolve() / "index.html", pages) - {out.resolve() / "search.html"}
    faults += [f"{file.relative_to(out.resolve())}: no page leads here" for file in sorted(lost)]
    print("\n".join(dict.fromkeys(faults)))
    if faults or len(pages) < 50:
        raise SystemExit(f"{len(faults)} links are wrong in {len(pages)} pages")
    print(f"# links: {seen} in {len(pages)} pages, all of them lead somewhere")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
