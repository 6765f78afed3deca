"""Real machines on loopback: one nats-server with JetStream on disk, a registry, and hosts of wasmCloud with the application."""

import asyncio
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import nats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "embed" / "tools" / "tests"))

from registry import registry  # noqa: E402

# Each tenant has a bucket of its own.
TOKENS = {"lro-acme": "acme-0123456789abcdef", "lro-globex": "globex-0123456789abcdef"}
ACME, GLOBEX = TOKENS.values()

# One bucket is soon full, and one is not there.
FULL, FULL_BYTES, FULL_TOKEN = "lro-full", 1_000_000, "full-0123456789abcdef"
GONE, GONE_TOKEN = "lro-gone", "gone-0123456789abcdef"

# What expires is in a bucket of its own, so that nothing else does.
BRIEF, BRIEF_SECONDS = "lro-brief", 3
BRIEF_TOKEN = "brief-0123456789abcdef"

# A host finds a workload by the name that a request is for.
ADDRESS = "lro.localhost"

# Compiling the component takes some seconds, several times that on a machine with more to do.
STARTS_WITHIN_SECONDS = 240


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def wait_for(what, condition, seconds=30):
    """Waits until a condition is true, and returns what it gave."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if found := condition():
            return found
        time.sleep(0.05)
    raise RuntimeError(f"{what}: not within {seconds} s")


class Process:
    """A program with a log."""

    def __init__(self, folder, name, line, **options):
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(line, stdout=log, stderr=log, cwd=folder, **options)

    def is_running(self):
        return self.process.poll() is None

    def errors(self):
        """The last lines of the log that tell of a failure."""
        lines = [line for line in self.log.read_text().splitlines() if "ERROR" in line or "trap" in line or "panick" in line]
        return "\n".join(lines[-20:])

    def kill(self):
        """SIGKILL: it has no time to put anything in order."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.is_running():
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


class Nats:
    """The store. After a kill it is started again on the same files and the same port."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        store = json.dumps(str(folder / "jetstream"))
        (folder / "nats.conf").write_text(f"listen: 127.0.0.1:{self.port}\njetstream {{ store_dir: {store} }}\n")
        self.start()

    def start(self):
        program = shutil.which("nats-server") or "nats-server"
        self.server = Process(self.folder, "nats", [program, "-c", "nats.conf"])
        wait_for("nats-server listens", lambda: self.server.is_running() and is_listening(self.port))

    def kill(self):
        self.server.kill()

    def pause(self):
        self.server.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.server.process.send_signal(signal.SIGCONT)

    def run(self, use):
        """What a coroutine on a connection returns."""

        async def run():
            connection = await nats.connect(self.url, connect_timeout=5)
            try:
                return await use(connection)
            finally:
                await connection.close()

        return asyncio.run(run())

    def request(self, subject, body, seconds=60):
        async def ask(connection):
            return (await connection.request(subject, json.dumps(body).encode(), timeout=seconds)).data

        return json.loads(self.run(ask))

    def bucket(self, name, **config):
        """Creates a bucket, as an operator does: with a TTL and a limit on its size."""

        async def create(connection):
            await connection.jetstream().create_object_store(name, **config)

        self.run(create)

    def objects(self, name):
        """Names of the objects in a bucket, with their sizes."""

        async def listed(connection):
            store = await connection.jetstream().object_store(name)
            with contextlib.suppress(nats.js.errors.NotFoundError):
                return {entry.name: entry.size for entry in await store.list(ignore_deletes=True)}
            return {}

        return self.run(listed)

    def purge(self, name):
        async def purge(connection):
            await connection.jetstream().purge_stream(f"OBJ_{name}")

        self.run(purge)


class Heartbeats:
    """Who has joined: hosts tell it when they start, and every half a minute."""

    def __init__(self, url):
        self.hosts, self.loop, self.ready = {}, asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=lambda: self.loop.run_until_complete(self.listen(url)))
        self.thread.start()
        self.ready.wait(10)

    async def listen(self, url):
        self.ends = asyncio.Event()
        connection = await nats.connect(url, max_reconnect_attempts=-1, reconnect_time_wait=0.2, error_cb=silent)

        async def heard(message):
            beat = json.loads(message.data)
            self.hosts[beat["hostname"]] = beat

        await connection.subscribe("runtime.operator.heartbeat.>", cb=heard)
        await connection.flush()
        self.ready.set()
        await self.ends.wait()
        await connection.close()

    def close(self):
        self.loop.call_soon_threadsafe(self.ends.set)
        self.thread.join(10)


async def silent(_error):
    """The store is killed on purpose."""


def is_listening(port):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False


class Host:
    """A host of wasmCloud that has joined the others, and the workload on it."""

    def __init__(self, cluster, name):
        self.cluster, self.name, self.port = cluster, name, free_port()
        wash = Path(sys.executable).with_name("wash")
        folder = cluster.folder / name
        folder.mkdir(exist_ok=True)
        homes = {key: str(folder) for key in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        line = [
            *(wash, "--non-interactive", "host", "--host-name", name, "--http-addr", f"127.0.0.1:{self.port}"),
            *("--scheduler-nats-url", cluster.nats.url, "--data-nats-url", cluster.nats.url),
            *("--oci-ca-path", cluster.registry.certificate, "--oci-cache-dir", folder / "oci"),
        ]
        environment = {"PATH": os.environ["PATH"], **homes}
        self.process = Process(cluster.folder, name, line, env=environment)
        self.id, self.workload, self.is_killed = None, None, False

    def join(self, **environment):
        """Waits for the host's heartbeat, and starts the workload on it."""
        ends = time.monotonic() + STARTS_WITHIN_SECONDS
        while self.id is None:
            if not self.process.is_running() or time.monotonic() > ends:
                raise RuntimeError(f"{self.name} does not join:\n{self.process.log.read_text()[-4000:]}")
            beat = self.cluster.heartbeats.hosts.get(self.name)
            self.id = beat and beat["id"]
            time.sleep(0.05)
        self.workload = self.start(**environment)
        return self

    def start(self, address=ADDRESS, **environment):
        """Starts the workload for an address, and returns its id."""
        workload = f"lro-{self.name}-{time.monotonic_ns()}"
        request = {"workloadId": workload, "workload": self.cluster.workload(address, **environment)}
        answer = self.cluster.nats.request(f"runtime.host.{self.id}.workload.start", request, STARTS_WITHIN_SECONDS)
        state = answer["workloadStatus"]
        if state.get("workloadState") not in ("WORKLOAD_STATE_RUNNING", "WORKLOAD_STATE_STARTING"):
            raise RuntimeError(f"{answer}\n{self.process.log.read_text()[-4000:]}")
        wait_for("the workload answers", lambda: self.answers(address), STARTS_WITHIN_SECONDS)
        return workload

    def stop(self, workload):
        self.cluster.nats.request(f"runtime.host.{self.id}.workload.stop", {"workloadId": workload})

    def answers(self, address):
        """Whether the application answers, and not the host in its place."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return "json" in Client(self, address=address).get("/").headers.get("content-type", "")
        return False

    def kill(self):
        self.is_killed = True
        self.process.kill()


class Cluster:
    """All of it, in a folder."""

    def __init__(self, folder, application, component):
        self.folder, self.hosts = folder, []
        with contextlib.ExitStack() as stack:
            self.nats = Nats(folder)
            stack.callback(lambda: self.nats.server.stop())
            for bucket in TOKENS:
                self.nats.bucket(bucket, max_bytes=2 << 30)
            self.nats.bucket(BRIEF, ttl=BRIEF_SECONDS)
            self.nats.bucket(FULL, max_bytes=FULL_BYTES)
            self.heartbeats = Heartbeats(self.nats.url)
            stack.callback(self.heartbeats.close)
            self.registry = stack.enter_context(registry(folder))
            self.images = {"lro": component, "application": application}
            wash = Path(sys.executable).with_name("wash")
            for name, file in self.images.items():
                line = [wash, "oci", "push", "--ca-path", self.registry.certificate, self.image(name), file]
                subprocess.run(line, check=True, capture_output=True)
            stack.callback(lambda: [host.process.stop() for host in self.hosts])
            self.stack = stack.pop_all()

    def image(self, name):
        return f"{self.registry.address}/lro/{name}:0.1.0"

    def host(self, name, **environment):
        """Adds a host with the workload on it."""
        host = Host(self, name)
        self.hosts.append(host)
        return host.join(**environment)

    def workload(self, address, **environment):
        """The workload of workload.yaml, as hosts take it."""
        tenants = {**TOKENS, BRIEF: BRIEF_TOKEN, FULL: FULL_TOKEN, GONE: GONE_TOKEN}
        environment = {"LRO_TENANTS": json.dumps(tenants), **environment}
        buckets = ",".join(tenants)
        return {
            "namespace": "default",
            "name": "lro",
            "witWorld": {
                "components": [
                    {
                        "name": "application",
                        "image": self.image("application"),
                        "localResources": {"environment": environment},
                    },
                    {"name": "lro", "image": self.image("lro")},
                ],
                "hostInterfaces": [
                    interface("http", "", ["incoming-handler"], host=address),
                    interface("blobstore", "0.2.0-draft", ["blobstore", "container", "types"], buckets=buckets),
                ],
            },
        }

    def close(self):
        self.stack.close()


def interface(package, version, interfaces, **config):
    return {"namespace": "wasi", "package": package, "version": version, "interfaces": interfaces, "config": config}


class Answer:
    """A response."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


class Client:
    """A client of one host, which keeps its connection."""

    def __init__(self, host, token=ACME, timeout=60, address=ADDRESS):
        self.token, self.address = token, address
        self.connection = http.client.HTTPConnection("127.0.0.1", host.port, timeout=timeout)

    def ask(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        headers["host"] = self.address
        body = body if body is None or isinstance(body, bytes) else body.encode()
        try:
            self.connection.request(method, path, body, headers)
            return Answer(self.connection.getresponse())
        except BaseException:
            self.connection.close()
            raise

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def post(self, path, body, **headers):
        return self.ask("POST", path, body if isinstance(body, (str, bytes)) else json.dumps(body), **headers)

    def offload(self, payload, operation="list_issues", **headers):
        payload = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        return self.post("/offload", payload, lro_request=json.dumps({"operation": operation}), **headers)
