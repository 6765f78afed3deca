"""The servers that are asked: a file each, whose `server` gets the place of the data."""

import importlib
import pkgutil


def every(place):
    """All servers, in the order of their names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").server(place) for name in names]


def script(place, package, path):
    """The command of a server from npm."""
    return ["node", place.npm / "node_modules" / package / path]


def program(environment, name):
    """The command of a server from PyPI."""
    return [environment / "bin" / name]
