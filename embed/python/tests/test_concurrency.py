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
    found = lro.extract(name, query="[.worker] | unique[]", slurp=False).rows
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
    lro = Lro(tmp_path, limits=Limits(extract_seconds=0.5))
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


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="forking")


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_is_forked_late_is_told_and_does_not_hang(lro):
    name = lro.offload(records(0)).file_name
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def child():
        for call in (lambda: lro.extract(name, query=".id"), lambda: lro.offload(records(0)), Lro().ready):
            with pytest.raises(Unusable, match="forked"):
                call()
        theirs.send("told")

    process = context.Process(target=child)
    process.start()
    assert ours.poll(60) and ours.recv() == "told"
    process.join()


FORKS = """
import os, sys
from lro import Lro
from lro.messages import Offloader
lro = Lro(sys.argv[1])
offloader = Offloader(lro=lro)
children = [os.fork() for _ in range(2)]
if 0 not in children:
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children if child]
    print(codes, lro.offload([{"id": i} for i in range(3000)]).kind)
else:
    name = lro.offload([{"id": i} for i in range(3000)]).file_name
    os._exit(0 if lro.extract(name, query="select(.id == 7)").count == 1 else 1)
"""


@needs_fork
def test_processes_that_are_forked_before_the_first_call_work(tmp_path):
    """As servers do that load an application and then fork their workers."""
    command = [sys.executable, "-c", FORKS, str(tmp_path / "results")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # A child forks the second one, so there are three of them.
    assert done.stdout.splitlines()[-1] == "[0, 0] offloaded"


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
        assert (await lro.aextract(answer.file_name, query=".id", limit=1)).rows == [0]
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
    assert (await first).kind == "offloaded"
    assert turns > 10


@pytest.mark.anyio
async def test_calls_run_side_by_side(lro):
    answers = await asyncio.gather(*(lro.aoffload(records(number)) for number in range(8)))
    pages = await asyncio.gather(*(lro.aextract(answer.file_name, query=".worker", limit=1) for answer in answers))
    assert [page.rows for page in pages] == [[number] for number in range(8)]
