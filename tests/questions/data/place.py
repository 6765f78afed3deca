"""A folder with everything that the servers read, and the raw data that the answers are computed from."""

import csv
import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import graph, issues, logs, pages, repository, tables


@dataclass
class Place:
    """Where the data of a run lies, and where the packages are that bring servers and data."""

    folder: Path
    npm: Path
    python: Path
    python1: Path
    web: str = ""

    @property
    def vega(self):
        return self.npm / "node_modules" / "vega-datasets" / "data"

    def json(self, name):
        """A JSON file of the package vega-datasets."""
        return json.loads((self.vega / name).read_text(encoding="utf-8"))

    def rows(self, name, delimiter=","):
        """The rows of a CSV file of the package vega-datasets, each value a text."""
        with open(self.vega / name, encoding="utf-8-sig", newline="") as lines:
            return list(csv.DictReader(lines, delimiter=delimiter))

    @cached_property
    def issues(self):
        return issues.made()

    @cached_property
    def orders(self):
        return tables.orders()

    @cached_property
    def graph(self):
        return graph.made()

    @cached_property
    def requests(self):
        return logs.requests()

    @cached_property
    def commits(self):
        return repository.commits()

    @property
    def repository(self):
        return self.folder / "repository"

    @property
    def package_lock(self):
        return json.loads((self.npm / "package-lock.json").read_text(encoding="utf-8"))


#: Files of vega-datasets that servers are asked for.
FILES = (
    "airports.csv",
    "birdstrikes.csv",
    "cars.json",
    "earthquakes.json",
    "flare.json",
    "github.csv",
    "movies.json",
    "seattle-weather.csv",
    "stocks.csv",
    "unemployment.tsv",
    "us-10m.json",
    "weather.csv",
    "gapminder.json",
)


def filled(place):
    """Puts the data into the folder of the place."""
    files = place.folder / "files"
    files.mkdir()
    for name in FILES:
        shutil.copyfile(place.vega / name, files / name)
    shutil.copyfile(place.npm / "package-lock.json", files / "package-lock.json")
    shutil.copytree(place.npm / "node_modules" / "ajv", files / "ajv")
    logs.write(place.requests, files)
    graph.write(place.graph, place.folder / "memory.jsonl")
    tables.write(place.orders, place.rows("airports.csv"), place.folder / "shop.db")
    tables.write_parts(place.orders, files / "orders")
    tables.write_workbook(place.rows("seattle-weather.csv"), place.folder / "weather.xlsx")
    pages.write(place.issues, place.folder / "web")
    repository.write(place.commits, place.repository)
    return place
