"""A scripted model API on loopback, for the real client of the Claude Agent SDK: it answers with what a script says and keeps
every request."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = list[dict[str, Any]]
"""Content blocks: `text(...)` and `call(...)`."""


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(identifier: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments}


class ModelApi:
    """A server that answers each request of a conversation with what `script` makes of its body."""

    def __init__(self, script: Callable[[dict[str, Any]], Turn]) -> None:
        self.requests: list[dict[str, Any]] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self._send(200, "application/json", b"")

            def do_GET(self) -> None:
                self._send(404, "application/json", b"{}")

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
                if "count_tokens" in self.path:
                    self._send(200, "application/json", b'{"input_tokens": 10}')
                elif not self.path.startswith("/v1/messages"):
                    self._send(404, "application/json", b"{}")
                elif not body.get("tools"):
                    # The client's own questions, such as the one for a title.
                    self._answer(body, [text("done")])
                else:
                    api.requests.append(body)
                    self._answer(body, script(body))

            def _answer(self, body: dict[str, Any], turn: Turn) -> None:
                if body.get("stream"):
                    self._send(200, "text/event-stream", events(turn).encode())
                else:
                    self._send(200, "application/json", json.dumps(message(turn)).encode())

            def _send(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ModelApi:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def message(turn: Turn) -> dict[str, Any]:
    reason = "tool_use" if any(block["type"] == "tool_use" for block in turn) else "end_turn"
    # The client takes messages with one id for one message.
    usage = {"input_tokens": 100, "output_tokens": 10}
    return {
        "id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": "claude-test", "content": turn,
        "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }


def events(turn: Turn) -> str:
    """The message as a stream."""
    whole = message(turn)
    told = [("message_start", {"message": {**whole, "content": [], "stop_reason": None}})]
    for index, block in enumerate(turn):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        told.append(("content_block_start", {"index": index, "content_block": empty}))
        told.append(("content_block_delta", {"index": index, "delta": delta}))
        told.append(("content_block_stop", {"index": index}))
    told.append(("message_delta", {"delta": {"stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 10}}))
    told.append(("message_stop", {}))
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in told)


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool results of the last message, as the model sees them."""
    content = body["messages"][-1]["content"]
    return [block for block in content if isinstance(block, dict) and block["type"] == "tool_result"]
