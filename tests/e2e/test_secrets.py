"""Canary secrets go in through every door of the command; none of them is in any file or stream that comes out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .command import judgemesh

KEY = "canary-key-0a1b2c3d"
USER = "canary-user-1b2c3d4e"
PASSWORD = "canary-password-2c3d4e5f"
QUERY = "canary-query-3d4e5f60"
SQL = "canary-sql-4e5f6071"
RECORDS = "canary-records-5f607182"
PUBMED = "canary-pubmed-60718293"
CANARIES = (KEY, PASSWORD, QUERY, SQL, RECORDS, PUBMED)


class _Echo(BaseHTTPRequestHandler):
    """Repeats the key and the address of every request: in an error, or as the words of the model."""

    fails = False

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self.rfile.read(length)
        seen = f"{self.headers.get('Authorization')} {self.path} {QUERY} {PASSWORD}"
        if self.fails:
            self._send(401, {"error": {"code": seen, "message": f"bad key {seen}"}})
            return
        content = json.dumps({"reason": f"I saw {seen}", "quote": "", "verdict": "yes"})
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": content},
        }
        usage = {"prompt_tokens": 3, "completion_tokens": 2, "note": seen}
        body = {"model": f"m {KEY}", "choices": [choice], "usage": usage}
        self._send(200, body)

    def do_GET(self) -> None:
        self._send(500, {"error": f"{self.path} {RECORDS}"})

    def _send(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("judge", ["openai-compatible:m", "openai/m"])
def test_no_secret_comes_out(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch, judge: str, fails: bool
) -> None:
    monkeypatch.setattr(_Echo, "fails", fails)
    contract = {
        "task_id": "t",
        "criteria": [{"id": "c", "question": "Is a date named?", "gate": True}],
        "evidence": {
            "sources": [
                {
                    "type": "sql",
                    "url": f"postgresql+psycopg://reader:{SQL}@127.0.0.1:1/none",
                    "query": "select 1",
                },
                {"type": "pubmed", "api_key": PUBMED, "base_url": "http://127.0.0.1:1"},
            ]
        },
        "execution": {
            "expected": [{"kind": "pay"}],
            "source": {
                "type": "http",
                "url": f"http://127.0.0.1:{port}/records?api-key={RECORDS}",
            },
        },
    }
    result = {
        "result_id": "r",
        "task_id": "t",
        "output": {"final_answer": "On 3 May [1].", "citations": ["PMID 12345678"]},
        "actions": [{"kind": "pay"}],
    }
    (tmp_path / "contract.yaml").write_text(json.dumps(contract))
    (tmp_path / "results.jsonl").write_text(json.dumps(result) + "\n")
    base = f"http://{USER}:{PASSWORD}@127.0.0.1:{port}/v1?api-key={QUERY}"
    canaries: tuple[str, ...] = CANARIES
    if judge == "openai/m":
        base = f"http://127.0.0.1:{port}/v1"
        canaries = tuple(each for each in CANARIES if each not in (PASSWORD, QUERY))
    keys = {"JUDGEMESH_JUDGE_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    streams: list[str] = []
    # A preflight asks the judge first, and its message says why nothing was graded.
    for preflight in ["--no-preflight", "--preflight"] if fails else ["--no-preflight"]:
        done = judgemesh(
            *("grade", "results.jsonl", "--contracts", "contract.yaml"),
            *("--ledger", "l.db", "--judge", judge, "--judge-api-base", base),
            *("-o", "report.json", "-o", "report.jsonl", "-o", "report.md"),
            *("--max-retries", "0", preflight, "--no-resume"),
            cwd=tmp_path,
            expect=None,
            **keys,
        )
        streams += [done.stdout, done.stderr]
    for command in (
        ("report", "r", "--ledger", "l.db"),
        ("config", "show", "--judge-api-base", base, "--json"),
    ):
        done = judgemesh(*command, cwd=tmp_path, expect=None, **keys)
        streams += [done.stdout, done.stderr]
    assert (tmp_path / "l.db").exists(), streams
    for canary in canaries:
        for stream in streams:
            assert canary not in stream
        for path in tmp_path.iterdir():
            if path.name != "contract.yaml":
                assert canary.encode() not in path.read_bytes(), path.name
