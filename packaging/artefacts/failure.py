"""Why an artefact cannot be built."""


class Failure(Exception):
    """One line: what failed, and what to do."""
