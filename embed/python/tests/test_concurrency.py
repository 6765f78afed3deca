"""Threads, processes and an event loop on one directory."""

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from lro import LimitReached, Limits, Lro, Unusable

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


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="forking")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_is_told_and_does_not_hang(lro):
    name = lro.offload(records(0)).file_name
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def child():
        with pytest.raises(Unusable):
            lro.extract(name, query=".id")
        theirs.send(lro.offload(records(0)).events[0].fields["error"])

    process = context.Process(target=child)
    process.start()
    assert ours.poll(60) and ours.recv() == "unusable"
    process.join()


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
