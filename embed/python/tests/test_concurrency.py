"""Threads, processes and an event loop on one directory."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from lro import LimitReached, Limits, Lro, Unusable
from lro.threads import off_the_loop

COUNT = 500


def records(number):
    return [{"id": i, "worker": number, "text": "x" * 20} for i in range(COUNT)]


def offload_and_read(lro, number):
    """A file's name, after its records were found to be those of this worker."""
    name = lro.offload(records(number), operation="rows").file_name
    found = lro.extract(name, query="[.worker] | unique[]", slurp=False).results
    assert found == [number] * COUNT
    return name


def in_a_process(directory, number):
    return offload_and_read(Lro(directory), number)


def stopped(lro, name):
    """The limit that ends an endless filter."""
    with pytest.raises(LimitReached) as raised:
        lro.extract(name, query="until(false; .)")
    return raised.value.limit


def test_threads_share_one_object(lro):
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(lambda number: offload_and_read(lro, number), range(40)))
    assert len(set(names)) == 40 == len(list(lro.output_dir.iterdir()))


def test_threads_have_time_limits_of_their_own(tmp_path):
    lro = Lro(tmp_path, limits=Limits(extract_seconds=2))
    name = lro.offload(records(0)).file_name

    def run(number):
        if number % 2:
            return lro.extract(name, query="select(.id == 1)").count
        return stopped(lro, name)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(run, range(8))) == ["timeout_ms", 1] * 4


def test_processes_share_one_directory(tmp_path):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(3, mp_context=context) as processes:
        names = list(processes.map(in_a_process, [tmp_path] * 9, range(9)))
    assert len(set(names)) == 9 == len(list(tmp_path.iterdir()))


FORKS = """
import os, signal, sys, threading
from lro import Lro
from lro.messages import Offloader

ROWS = [{"id": i} for i in range(3000)]

def is_usable():
    name = lro.offload(ROWS).file_name
    return lro.extract(name, query="select(.id == 7)").count == 1

def forked(work):
    "What a forked process ends with. One that hangs is killed."
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

lro = Lro(sys.argv[1], compiled_cache=sys.argv[2] == "cached")
offloader = Offloader(lro=lro)
"""

BEFORE = "print(forked(is_usable), is_usable())"

DURING = """
import time
first = threading.Thread(target=lro.ready)
first.start()
codes = set()
for milliseconds in (0, 5, 10, 20, 40):
    time.sleep(milliseconds / 1000)
    codes.add(forked(is_usable))
first.join()
print(*codes, is_usable())
"""

AFTER = """
print(is_usable())
busy = [threading.Thread(target=is_usable) for _ in range(4)]
for thread in busy: thread.start()
print(forked(is_usable), forked(lambda: is_usable() and forked(is_usable) == 0))
for thread in busy: thread.join()
print(is_usable())
"""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="forking")
needs_copies = pytest.mark.skipif(sys.platform != "linux", reason="a library can be loaded twice on Linux")


@pytest.mark.parametrize(
    ("program", "cache", "printed"),
    [
        pytest.param(BEFORE, "cached", "0 True", marks=needs_fork, id="before the first call"),
        pytest.param(DURING, "cached", "0 True", marks=needs_copies, id="during the first call"),
        pytest.param(AFTER, "cached", "True 0 0 True", marks=needs_copies, id="after the first call"),
        pytest.param(AFTER, "none", "True 0 0 True", marks=needs_copies, id="after it, without a cache"),
    ],
)
def test_a_forked_process_works(tmp_path, program, cache, printed):
    """As servers do that load an application and then fork their workers."""
    command = [sys.executable, "-W", "ignore", "-c", FORKS + program, str(tmp_path / "results"), cache]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert (done.stdout.split(), done.returncode) == (printed.split(), 0), done.stderr


@needs_copies
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("has_copies", [True, False])
def test_a_child_of_multiprocessing_works_or_is_told(lro, monkeypatch, has_copies):
    name = lro.offload(records(0)).file_name
    if not has_copies:
        monkeypatch.delattr(os, "memfd_create")
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def child():
        try:
            theirs.send(lro.extract(name, query=".id", limit=1).results)
        except Unusable as error:
            theirs.send(error.message)

    process = context.Process(target=child)
    process.start()
    try:
        assert ours.poll(120), "it hangs"
        told = ours.recv()
    finally:
        process.kill()
        process.join()
    assert told == [0] if has_copies else "forked after it had been loaded" in told


ENDLESS = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # A job in the background ignores it.
from lro import Limits, Lro
lro = Lro(sys.argv[1], limits=Limits(extract_seconds=300))
name = lro.offload([{"id": i} for i in range(3000)]).file_name
print("begun", flush=True)
lro.extract(name, query="until(false; .)")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_ends_an_extraction(tmp_path):
    command = [sys.executable, "-c", ENDLESS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "begun\n"
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        # Long before the filter has used up its time.
        _, told = program.communicate(timeout=120)
    assert "KeyboardInterrupt" in told and program.returncode == -signal.SIGINT


@pytest.mark.anyio
async def test_offloads_that_take_their_time_do_not_stop_a_server(tmp_path):
    """More of them than asyncio's own threads."""
    busy = threading.Event()
    hostile = [asyncio.create_task(off_the_loop("writing", busy.wait, 60)) for _ in range(14)]
    try:
        lro = Lro(tmp_path)
        answer = await lro.aoffload(records(0))
        assert (await lro.aextract(answer.file_name, query=".id", limit=1)).results == [0]
        await asyncio.to_thread(time.sleep, 0)
        assert not any(task.done() for task in hostile)
    finally:
        busy.set()
        await asyncio.gather(*hostile)


@pytest.mark.anyio
async def test_the_event_loop_goes_on_while_the_component_is_compiled(tmp_path):
    lro = Lro(tmp_path, compiled_cache=False)
    first = asyncio.create_task(lro.aoffload(records(0)))
    turns = 0
    while not first.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert (await first).outcome == "offloaded"
    assert turns > 10


@pytest.mark.anyio
async def test_calls_run_side_by_side(lro):
    answers = await asyncio.gather(*(lro.aoffload(records(number)) for number in range(8)))
    pages = await asyncio.gather(*(lro.aextract(answer.file_name, query=".worker", limit=1) for answer in answers))
    assert [page.results for page in pages] == [[number] for number in range(8)]
