"""The wheels, as pip and uv install them without a network."""

import sysconfig
import unittest
import zipfile
from importlib import metadata
from pathlib import Path

from built import artefact, dist, new_folder, run, version
from empty import Empty, assert_served, served

UV = Path(sysconfig.get_path("scripts")) / "uv"


def dependency(folder: Path) -> None:
    """A wheel of `wasmtime`, made again of the files that were installed from one."""
    installed = metadata.distribution("wasmtime")
    wheel = folder / f"wasmtime-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for file in installed.files:
            # What pip has added is not of the wheel.
            if not file.name.endswith(".pyc") and file.name not in ["INSTALLER", "REQUESTED", "direct_url.json"]:
                archive.write(file.locate(), file.as_posix())


class Wheel(unittest.TestCase):
    def setUp(self):
        self.native = artefact("lro_component-*linux*.whl")
        self.pure = artefact("lro_component-*-py3-none-any.whl")

    def test_uvx_runs_the_command(self):
        empty, wheels = Empty(), new_folder()
        dependency(wheels)
        where = ["--offline", "--no-index", "--find-links", dist(), "--find-links", wheels, "--no-config", "--no-python-downloads"]
        uvx = [UV, "tool", "run", *where, "--python", python(), "--from", "lro-component", "lro"]
        self.assertTrue(empty.run(*uvx, "--version").startswith(f"lro {version()}"))
        empty.main_job(*uvx)
        # As MCP's registry starts it: by the name of the package.
        file = empty.offloaded(*uvx)
        by_name = [*uvx[: uvx.index("--from")], "lro-component", "mcp", "--output-dir", file.parent]
        assert_served(served(*by_name, env=empty.environment(), file=str(file)))

    def test_pip_installs_the_command_and_the_package(self):
        empty = Empty()
        environment = empty.folder / "environment"
        empty.run(python(), "-m", "venv", environment)
        pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
        empty.run(*pip, self.native)
        empty.main_job(environment / "bin/lro")
        self.assertIn("lro_component", empty.run(environment / "bin/python", "-c", "import importlib.metadata as m; print(m.files('lro-component'))"))

    def test_the_platform_is_the_one_that_the_command_needs(self):
        """auditwheel's own judgement of the file."""
        judged = run(UV.with_name("auditwheel"), "show", self.native)
        platforms = self.native.stem.split("-")[-1].split(".")
        if any(platform.startswith("musllinux") for platform in platforms):
            # A static command needs nothing of a system, however old.
            self.assertIn("The wheel references no external versioned symbols", " ".join(judged.split()))
        else:
            self.assertIn(f'"{platforms[0]}"', judged)

    def test_the_other_wheel_is_for_every_platform(self):
        scripts = [name for name in zipfile.ZipFile(self.pure).namelist() if "/scripts/" in name]
        self.assertEqual(scripts, [])
        [script] = [entry for entry in zipfile.ZipFile(self.native).infolist() if "/scripts/" in entry.filename]
        self.assertEqual(script.external_attr >> 16 & 0o111, 0o111)

    def test_without_the_command_it_says_what_to_do(self):
        empty = Empty()
        environment = empty.folder / "environment"
        empty.run(UV, "venv", "--quiet", "--offline", "--python", python(), environment)
        empty.run(UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", environment, self.pure)
        told = empty.run("sh", "-c", f"{environment}/bin/lro-component mcp 2>&1", status=1)
        self.assertRegex(told, r"cannot start `lro`: this wheel has no native command, .*\(`npx lro-component`")

    def test_the_metadata_names_the_server(self):
        with zipfile.ZipFile(self.pure) as wheel:
            [about] = [name for name in wheel.namelist() if name.endswith("/METADATA")]
            self.assertIn("mcp-name: io.github.OWNER/lro", wheel.read(about).decode())


def python() -> Path:
    """The interpreter that environments are made of."""
    return Path(sysconfig.get_config_var("BINDIR")) / "python3"
