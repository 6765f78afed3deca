"""The application on two hosts that share one store: what one keeps, the other reads, and what dies in between loses nothing."""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import figures
from cluster import ACME, BRIEF_SECONDS, BRIEF_TOKEN, FULL_TOKEN, GLOBEX, GONE_TOKEN, Client, Cluster, wait_for

HERE = Path(__file__).parent
APPLICATION, COMPONENT, LRO = (os.environ[name] for name in ("LRO_APPLICATION", "LRO_COMPONENT", "LRO"))
CASES = HERE.parent / "cases"

ISSUES = [{"id": number, "state": "open" if number % 3 else "closed", "body": "x" * 90} for number in range(500)]

# A store that is away is told within this time; each request of a host to it ends after five seconds.
TOLD_WITHIN_SECONDS = 15

CLIENTS = 16


def setUpModule():
    global cluster, one, two
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    unittest.addModuleCleanup(folder.cleanup)
    cluster = Cluster(Path(folder.name).resolve(), APPLICATION, COMPONENT)
    unittest.addModuleCleanup(cluster.close)
    with ThreadPoolExecutor(2) as both:
        one, two = both.map(lambda name: cluster.host(name, LRO_CALL_SETTINGS="open"), ["one", "two"])


class Case(unittest.TestCase):
    def stored(self, host, payload=ISSUES, token=ACME):
        """The path of a result that a host has stored."""
        answer = Client(host, token).offload(payload)
        self.assertEqual((answer.status, answer.headers["lro-outcome"]), (201, "offloaded"), answer.text()[:500])
        return answer.json()["file_path"]

    def found(self, host, path, token=ACME):
        answer = Client(host, token).post(path, {"where": ["id>=495", "state=open"], "select": ["id"]})
        self.assertEqual(answer.status, 200, answer.text())
        return [record["id"] for record in answer.json()["results"]]

    def fails(self, answer, status, case, *words):
        problem = answer.json()
        self.assertEqual((answer.status, problem["case"]), (status, case), problem)
        said = f"{problem['message']} {problem.get('hint', '')}"
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("director", said)


class Answering(Case):
    def test_both_hosts_are_seen(self):
        beats = cluster.heartbeats.hosts
        self.assertLessEqual({"one", "two"}, set(beats))
        self.assertNotEqual(beats["one"]["id"], beats["two"]["id"])

    def test_what_one_stores_the_other_reads(self):
        path = self.stored(one)
        self.assertEqual(self.found(two, path), [496, 497, 499])
        client = Client(two)
        lines = client.get(path).text().splitlines()
        self.assertEqual([json.loads(line) for line in lines[1:]], ISSUES)
        self.assertEqual(client.post(f"{path}/read", {"lines": "2-2"}).json()["text"], lines[2] + "\n")
        self.assertEqual([hit["line"] for hit in client.post(f"{path}/search", {"pattern": '"id": 7,'}).json()["hits"]], [8])
        self.assertEqual(client.get(f"{path}/description").json()["kind"], "records")
        self.assertEqual(client.get(f"{path}/document").text(), json.dumps(ISSUES))

    def test_a_small_result_comes_back_as_it_is(self):
        answer = Client(two).offload('[{"a": 1}]')
        self.assertEqual((answer.status, answer.text(), answer.headers["lro-outcome"]), (200, '[{"a": 1}]', "unchanged"))

    def test_what_is_deleted_is_gone_everywhere(self):
        path = self.stored(one)
        self.assertEqual(Client(two).ask("DELETE", path).status, 204)
        self.fails(Client(one).get(path), 404, "not-found", "Run the operation again")
        self.fails(Client(one).ask("DELETE", path), 404, "not-found")

    def test_a_cleanup_deletes_by_age(self):
        old = self.stored(one, token=GLOBEX)
        time.sleep(2)
        young = self.stored(two, token=GLOBEX)
        cleaned = Client(two, GLOBEX).post("/cleanup", {"ttl_seconds": 2}).json()
        self.assertEqual((cleaned["deleted"], cleaned["kept"]), (1, 1))
        self.assertEqual([Client(one, GLOBEX).get(path).status for path in (old, young)], [404, 200])

    def test_large_results_come_back_whole(self):
        payload = json.dumps([{"id": number, "text": f"{number} é" * 10} for number in range(200_000)])
        path = self.stored(one, payload)
        self.assertEqual(Client(two).get(f"{path}/document").text(), payload)
        size = cluster.nats.objects("lro-acme")[path.removeprefix("/results/")]
        self.assertEqual(len(Client(two).get(path).body), size)

    def test_what_is_too_large_is_told_in_words(self):
        answer = Client(one).offload(b"x" * (64 * 1024 * 1024 + 1))
        self.fails(answer, 413, "limit-reached", "more than 67108864 bytes", "Send less at a time")


class Authorization(Case):
    def test_no_tenant_reads_what_is_anothers(self):
        path = self.stored(one)
        stranger = Client(two, GLOBEX)
        for answer in (stranger.get(path), stranger.post(path, {"recipe": 1}), stranger.ask("DELETE", path)):
            self.fails(answer, 404, "not-found")
        called = stranger.post("/mcp", call("lro_extract", file_path=path, recipe=1)).json()["result"]
        self.assertTrue(called["isError"], called)
        self.assertEqual(stranger.post("/cleanup", {"ttl_seconds": 0}).status, 200)
        self.assertEqual(self.found(two, path), [496, 497, 499])

    def test_a_token_is_needed(self):
        for token in (None, "", "wrong-0123456789abcdef", ACME[:-1], ACME + "0"):
            answer = Client(one, token).get("/")
            self.fails(answer, 401, "other", "token")
            self.assertEqual(answer.headers["www-authenticate"], "Bearer")
        self.fails(Client(one, "wrong-0123456789abcdef").offload("x" * 1_000_000), 401, "other")

    def test_without_tenants_nobody_is_let_in(self):
        for number, tenants in enumerate(["", "{}", '{"lro-acme": "short"}', '{"lro-acme": "TOKEN", "lro-globex": "TOKEN"}']):
            address = f"closed-{number}.localhost"
            workload = two.start(address, LRO_TENANTS=tenants.replace("TOKEN", ACME))
            answer = Client(two, address=address).get("/")
            two.stop(workload)
            self.fails(answer, 500, "other", "LRO_TENANTS", "operator")

    def test_a_name_leads_nowhere(self):
        for name in ("../lro-globex/x", "..%2Fx", "a/b/c.jsonl", ".hidden", "a b"):
            self.fails(Client(one).post(f"/results/{name}".replace(" ", "%20"), {"recipe": 1}), 403, "outside")


def call(tool, **arguments):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


class Mcp(Case):
    def ask(self, host, message, **headers):
        return Client(host).post("/mcp", message, content_type="application/json", **headers)

    def test_clients_with_a_handshake_are_served_by_any_host(self):
        path = self.stored(one)
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
        self.assertEqual(self.ask(one, hello).json()["result"]["protocolVersion"], "2025-06-18")
        told = self.ask(two, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.assertEqual((told.status, told.body), (202, b""))
        tools = self.ask(one, {"jsonrpc": "2.0", "id": "x", "method": "tools/list"}).json()
        self.assertEqual(tools["id"], "x")
        names = ["lro_describe", "lro_extract", "lro_read", "lro_search"]
        self.assertEqual([tool["name"] for tool in tools["result"]["tools"]], names)
        result = self.ask(two, call("lro_extract", file_path=path, where=["id>=498"], select=["id"])).json()["result"]
        self.assertEqual(result["structuredContent"]["results"], [{"id": 498}, {"id": 499}])
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])

    def test_clients_without_one_are_too(self):
        path = self.stored(two)
        message = call("lro_search", file_path=path, pattern='"id": 7,')
        message["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "lro_search"}
        result = self.ask(one, message, **headers).json()["result"]
        self.assertEqual((result["resultType"], result["structuredContent"]["count"]), ("complete", 1))
        other = self.ask(one, message, **{**headers, "mcp_name": "lro_read"})
        self.assertEqual((other.status, other.json()["error"]["code"]), (400, -32020))
        discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": message["params"]["_meta"]}}
        found = self.ask(two, discover, mcp_protocol_version="2026-07-28", mcp_method="server/discover").json()["result"]
        self.assertIn("2026-07-28", found["supportedVersions"])
        discover["params"] = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
        unknown = self.ask(two, discover)
        self.assertEqual((unknown.status, unknown.json()["error"]["code"]), (400, -32022))

    def test_an_id_of_null_is_an_error_and_no_notification(self):
        answer = self.ask(one, {"jsonrpc": "2.0", "id": None, "method": "ping"})
        self.assertEqual((answer.status, answer.json()["id"], answer.json()["error"]["code"]), (400, None, -32600))

    def test_every_answer_of_a_tool_is_small(self):
        path = self.stored(one, [{"id": number, "text": "word " * 400} for number in range(100)])
        arguments = {"file_path": path, "query": "."}
        seen, pages = [], 0
        while True:
            result = self.ask([one, two][pages % 2], call("lro_extract", **arguments)).json()["result"]
            self.assertLessEqual(len(result["content"][0]["text"]), 8192)
            seen += [record["id"] for record in result["structuredContent"]["results"]]
            pages += 1
            if "next" not in result["structuredContent"]:
                break
            arguments["next"] = result["structuredContent"]["next"]
        self.assertEqual(seen, list(range(100)))
        path = self.stored(one, [{"id": 1, "text": "word " * 4000}])
        result = self.ask(two, call("lro_extract", file_path=path, query=".")).json()["result"]
        self.assertTrue(result["isError"])
        self.assertIn("Ask for less of it", result["content"][0]["text"])

    def test_what_is_no_request_is_refused(self):
        for body, code in [("{", -32700), ("[]", -32600), ("7", -32600), ('{"jsonrpc":"2.0","id":1,"method":7}', -32600)]:
            self.assertEqual(self.ask(one, body).json()["error"]["code"], code, body)
        unknown = self.ask(one, {"jsonrpc": "2.0", "id": 5, "method": "resources/list"}).json()
        self.assertEqual((unknown["id"], unknown["error"]["code"]), (5, -32601))
        self.assertEqual(self.ask(one, call("rm")).json()["error"]["code"], -32602)
        missing = self.ask(one, call("lro_extract", file_path="/etc/passwd", recipe=1)).json()["result"]
        self.assertTrue(missing["isError"], missing)


class Conformance(Case):
    """The cases of the contract that need no directory, over HTTP on each host."""

    # A failure names every case.
    maxDiff = None

    def test_on_both_hosts(self):
        cases = {file.relative_to(CASES).with_suffix("").as_posix(): json.loads(file.read_text()) for file in CASES.rglob("*.json")}
        listed = json.loads((HERE / "not-over-http.json").read_text())
        expected = set(listed) | {name for name, case in cases.items() if "steps" in case and needs_files(case)}
        with ThreadPoolExecutor(2) as both:
            reports = list(both.map(conformance, [one, two]))
        for host, report in zip(("one", "two"), reports):
            failed = {failure["case"]: failure["difference"] for failure in report["failures"]}
            new = {name: failed[name] for name in failed.keys() - expected}
            self.assertEqual(new, {}, host)
            self.assertEqual(set(listed) - failed.keys(), set(), f"{host}: these pass, so they are not to be listed")
            passed = report["cases"] - len(failed)
            figures.note(f"conformance on host {host}: {passed} cases pass over HTTP, {len(failed)} need what it does not have")
            self.assertGreaterEqual(passed, 178)


def needs_files(case):
    """Whether a case begins with files in a directory, or gives a text that is not stored."""
    return "files" in case.get("given", {}) or any("content" in step.get("source", {}) for step in case["steps"])


def conformance(host):
    engine = f"{sys.executable} {HERE / 'adapter.py'}"
    done = subprocess.run(
        [LRO, "conformance", "--engine", engine, "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "LRO_FRONT_PORT": str(host.port)},
    )
    if not done.stdout.startswith("{"):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


class Failing(Case):
    """A store that has lost a key, is full, away, slow or dead: an answer says so, in time."""

    def truncated(self, answer, *words):
        self.assertEqual((answer.status, answer.headers["lro-outcome"]), (200, "truncated"), answer.text()[:500])
        said = answer.json()
        self.assertFalse(said["offloaded"])
        for word in words:
            self.assertIn(word, said["warning"])
        self.assertNotIn("director", said["warning"])

    def test_what_has_expired_is_not_found(self):
        path = self.stored(one, token=BRIEF_TOKEN)
        self.assertEqual(self.found(two, path, token=BRIEF_TOKEN), [496, 497, 499])
        time.sleep(BRIEF_SECONDS + 1.5)
        self.fails(Client(two, BRIEF_TOKEN).post(path, {"recipe": 1}), 404, "not-found", "expired", "Run the operation again")

    def test_a_full_store_truncates(self):
        began = time.monotonic()
        self.truncated(Client(one, FULL_TOKEN).offload(ISSUES * 40), "cannot store", "maximum bytes")
        self.assertLess(time.monotonic() - began, TOLD_WITHIN_SECONDS)

    def test_a_bucket_that_is_gone_truncates(self):
        self.truncated(Client(one, GONE_TOKEN).offload(ISSUES), "cannot open the bucket `lro-gone`")
        answer = Client(two, GONE_TOKEN).post("/results/atlatl-x-01M80T1QEH6HDBF8Z5XZ995XKF.jsonl", {"recipe": 1})
        self.fails(answer, 503, "io", "lro-gone", "Try again later")

    def test_a_store_that_stands_still_is_told_in_time(self):
        path = self.stored(one)
        cluster.nats.pause()
        try:
            began = time.monotonic()
            with ThreadPoolExecutor(2) as both:
                offloading = both.submit(lambda: Client(one).offload(ISSUES))
                extraction = both.submit(lambda: Client(two).post(path, {"recipe": 1}))
                self.truncated(offloading.result(), "cannot open the bucket")
                self.fails(extraction.result(), 503, "io", "Try again later")
            seconds = time.monotonic() - began
        finally:
            cluster.nats.resume()
        figures.note(f"a store that stands still is told after {seconds:.1f} s")
        self.assertLess(seconds, TOLD_WITHIN_SECONDS)
        wait_for("the store is back", lambda: Client(two).post(path, {"recipe": 1}).status == 200, 60)

    def test_nothing_stored_is_lost_when_the_store_is_killed(self):
        path = self.stored(one)
        load = Load(self, [one, two], CLIENTS // 2, store_dies=True)
        with load:
            time.sleep(2)
            cluster.nats.kill()
            began = time.monotonic()
            answer = Client(two).post(path, {"recipe": 1})
            self.fails(answer, 503, "io", "Try again later")
            self.assertLess(time.monotonic() - began, TOLD_WITHIN_SECONDS)
            cluster.nats.start()
            wait_for("the store is back", lambda: Client(one).post(path, {"recipe": 1}).status == 200, 60)
            figures.note(f"a store that was killed serves again after {time.monotonic() - began:.1f} s")
            time.sleep(2)
        self.assertEqual(self.found(two, path), [496, 497, 499])
        load.check(two)


class Load:
    """Clients that offload on one host and extract on the next, and compare every answer."""

    def __init__(self, test, hosts, clients=CLIENTS, store_dies=False):
        self.test, self.hosts, self.clients, self.store_dies = test, list(hosts), clients, store_dies
        self.stored, self.wrong, self.refused, self.calls = {}, [], 0, 0
        self.lock, self.ends = threading.Lock(), threading.Event()

    def __enter__(self):
        self.pool = ThreadPoolExecutor(self.clients)
        self.running = [self.pool.submit(self.go, number) for number in range(self.clients)]
        return self

    def __exit__(self, *_):
        self.ends.set()
        for running in self.running:
            running.result()
        self.pool.shutdown()

    def go(self, client):
        turn = client
        while not self.ends.is_set():
            turn += 1
            numbers = list(range(turn * 1000, turn * 1000 + 300))
            payload = json.dumps([{"id": number, "client": client, "text": "word " * 8} for number in numbers])
            path = self.ask(turn, lambda ask: ask.offload(payload), payload)
            if path:
                self.ask(turn + 1, lambda ask: ask.post(path, {"query": ".id", "limit": 1000}), numbers)

    def ask(self, turn, ask, expected):
        """A call of one host: its answer is right, or says that it is none."""
        host = self.hosts[turn % len(self.hosts)]
        try:
            answer = ask(Client(host))
        except (OSError, http.client.HTTPException) as error:
            # A host that is killed breaks off in the middle.
            return self.count(refused=True, wrong=None if host.is_killed else repr(error))
        if answer.status == 201:
            path = answer.json()["file_path"]
            with self.lock:
                self.stored[path] = expected
            self.count()
            return path
        if self.store_dies and (answer.headers["lro-outcome"] == "truncated" or answer.status == 503):
            return self.count(refused=True)
        right = answer.status == 200 and isinstance(expected, list) and answer.json()["results"] == expected
        return self.count(wrong=None if right else f"{answer.status} {answer.text()[:300]}")

    def count(self, refused=False, wrong=None):
        with self.lock:
            self.calls += 1
            self.refused += refused
            self.wrong += [wrong] if wrong else []

    def check(self, host):
        """Nothing is wrong, and all that was stored is there."""
        self.test.assertEqual(self.wrong, [], "\n".join(host.process.errors() for host in cluster.hosts))
        self.test.assertGreater(len(self.stored), self.clients)
        for path, payload in self.stored.items():
            answer = Client(host).get(f"{path}/document")
            self.test.assertEqual((answer.status, answer.text()), (200, payload), path)


class Growing(Case):
    """From two hosts to one and back while calls go on. The first host dies here, so this comes last."""

    def test_hosts_come_and_go_and_nothing_is_lost(self):
        path = self.stored(one)
        load = Load(self, [two, one])
        with load:
            time.sleep(3)
            one.kill()
            load.hosts = [two]
            self.assertEqual(self.found(two, path), [496, 497, 499])
            alone = load.calls
            three = cluster.host("three")
            alone = load.calls - alone
            load.hosts = [two, three]
            time.sleep(4)
            load.hosts = [three]
            time.sleep(1)
            two.stop(two.workload)
            time.sleep(2)
        load.check(three)
        self.assertEqual(self.found(three, path), [496, 497, 499])
        self.assertGreater(alone, 0)
        figures.note(f"{load.calls} calls while hosts came and went, {load.refused} of them broken off with a host, none wrong")
        # What the shipped configuration does not open stays closed.
        answer = Client(three).post("/offload", json.dumps(ISSUES), lro_request='{"operation":"x"}', lro_settings='{"enabled":false}')
        self.assertEqual(answer.status, 201, answer.text()[:300])


class Measuring(Case):
    def test_figures(self):
        figures.measure(cluster, one, two, Load, self)


def tearDownModule():
    figures.table()


def load_tests(loader, _tests, _pattern):
    """In this order: what measures comes after what fails, and what kills a host comes last."""
    classes = [Answering, Authorization, Mcp, Conformance, Failing, Measuring, Growing]
    return unittest.TestSuite(loader.loadTestsFromTestCase(one) for one in classes)


if __name__ == "__main__":
    unittest.main()
