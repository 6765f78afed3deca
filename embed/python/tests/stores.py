"""Real servers of stores, and a load balancer, for tests."""

import itertools
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

_MOST_SECONDS = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port, process):
    """Waits until a process listens. An assertion fails where it does not."""
    until = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, f"`{process.args}` ended with {process.returncode}"
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on port {port}: `{process.args}`")


@contextmanager
def started(command, port, **options):
    """A program that listens on a port; it is killed at the end."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, **options)
    try:
        wait_for(port, process)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def redis_server(*more):
    """A `redis-server` that keeps everything in memory: its URL and its process."""
    port = free_port()
    options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning", *more]
    with started(["redis-server", "--port", port, *options], port) as process:
        yield f"redis://127.0.0.1:{port}/0", process


@contextmanager
def s3_server():
    """A server that speaks S3: its URL."""
    port = free_port()
    with started([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port], port, stderr=subprocess.DEVNULL):
        yield f"http://127.0.0.1:{port}"


class Balancer:
    """Hands each connection to the next server that takes it."""

    def __init__(self, ports):
        self._turns = itertools.cycle(ports)
        self._count = len(ports)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.served = []
        threading.Thread(target=self._run, daemon=True).start()

    def close(self):
        self._listener.close()

    def _run(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._connect(client)

    def _connect(self, client):
        for port in itertools.islice(self._turns, self._count):
            try:
                server = socket.create_connection(("127.0.0.1", port))
            except OSError:
                continue
            self.served.append(port)
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=_copy, args=(one, other), daemon=True).start()
            return
        client.close()


def _copy(one, other):
    try:
        while data := one.recv(1 << 16):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
