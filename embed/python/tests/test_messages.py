"""What both kinds of servers share, without a server."""

import gc
import json
import threading

import pytest

from lro import InvalidArgument, Lro
from lro.messages import Offloader, proxy_of_request, says_proxy

RESULT = {"content": [{"type": "text", "text": json.dumps([{"id": i} for i in range(2000)])}]}


@pytest.mark.anyio
async def test_a_result_of_an_unknown_shape_stands(lro):
    events = []
    offloader = Offloader(lro=lro, cleanup=False, on_event=events.append)
    assert await offloader.offload_result("rows", {}, "[]") is None
    assert [event.name for event in events] == ["OffloadFailed"]


@pytest.mark.anyio
async def test_events_are_logged(tmp_path, caplog):
    caplog.set_level("INFO", "lro")
    offloader = Offloader(tmp_path / "results", read_only=True, cleanup=False)
    message = json.loads(await offloader.offload_result("rows", {}, json.dumps(RESULT)))
    assert message["structuredContent"]["offloaded"] is False
    assert "OffloadWriteFailed" in caplog.text


def test_expired_files_are_deleted(tmp_path):
    events = []
    lro = Lro(tmp_path, ttl_seconds=0)
    assert lro.offload([{"id": i} for i in range(2000)]).outcome == "offloaded"
    Offloader(lro=lro, cleanup=False, on_event=events.append).clean_up()
    assert [event.name for event in events] == ["OffloadFileExpired"] and not list(tmp_path.iterdir())


def test_the_cleanup_ends_with_its_server(lro):
    def sweeping():
        return [thread for thread in threading.enumerate() if thread.name == "lro-cleanup"]

    before = set(sweeping())
    offloader = Offloader(lro=lro.ready())
    assert set(sweeping()) == before
    offloader.start()
    offloader.start()
    [thread] = set(sweeping()) - before
    del offloader
    gc.collect()
    thread.join(30)
    assert not thread.is_alive()


@pytest.mark.anyio
async def test_a_server_goes_on_where_the_directory_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    events = []
    offloader = Offloader(tmp_path / "file" / "results", cleanup=False, on_event=events.append)
    for _ in range(2):
        assert await offloader.leaves_alone(is_proxy=False, over_http=False)
    assert [event.name for event in events] == ["OffloadingUnavailable"]
    with pytest.raises(InvalidArgument):
        Offloader(tmp_path, cleanup=False, treshold_tokens=1)


def test_a_client_may_say_proxy_in_three_places():
    rows = [
        ({"name": "c", "proxy": True}, {}, True),
        ({"name": "c"}, {"experimental": {"proxy": {}}}, True),
        ({"name": "c", "proxy": "true"}, {"experimental": {}}, False),
        (None, None, False),
    ]
    for info, capabilities, expected in rows:
        assert says_proxy(info, capabilities) is expected
    assert proxy_of_request({"io.modelcontextprotocol/clientInfo": {"name": "c", "proxy": True}})
    assert not proxy_of_request(None)
