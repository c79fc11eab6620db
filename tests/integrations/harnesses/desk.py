"""Ten finished runs of a refund agent, their contract, and the judge's server: what every harness is tried with.

Seven are decided by rules (a refund number in the answer, no deletion of an account), one is decided by the judge, one
question the judge cannot answer, and for one its server answers 500: an evaluator fault.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CONTRACT = """
task_id: refund
success_criteria:
  must_include: [refund_id]
fields: {refund_id: {pattern: 'RF-\\d{4}'}}
sop:
  rules:
    - {id: keep_account, template: absence, activity: delete_account}
criteria:
  - {id: apology, question: Does the answer apologise to the customer?, gate: true, code: SYSTEM_PROMPT_VIOLATION}
"""
FORBIDDEN = "delete_account"
GATES = {
    "good-1": "pass",
    "good-2": "pass",
    "good-3": "pass",
    "good-4": "pass",
    "no-number-1": "fail",
    "no-number-2": "fail",
    "forbidden-1": "fail",
    "rude-1": "fail",
    "unclear-1": "undecided",
    "broken-1": "undecided",
}
SCORES = {"pass": 1.0, "fail": 0.0, "undecided": None}
PASS_RATE = 0.5
"""Four of eight that are decided; counting the undecided as failed would give 0.4."""


def question(case: str) -> str:
    return f"Refund order {case}, the kettle is broken."


def answer(case: str) -> str:
    number = "" if case.startswith("no-number") else " Your refund number is RF-1042."
    return f"We are sorry about order {case}.{number}"


def messages(case: str) -> list[dict[str, Any]]:
    """The conversation in the form of OpenAI's chat completions."""
    tool = FORBIDDEN if case.startswith("forbidden") else "create_refund"
    call = {"name": tool, "arguments": json.dumps({"order_id": case})}
    return [
        {"role": "user", "content": question(case)},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"ok": true}'},
        {"role": "assistant", "content": answer(case)},
    ]


def results() -> list[dict[str, Any]]:
    """The same as agent results of judgemesh."""
    return [
        {
            "result_id": case,
            "task_id": "refund",
            "output": answer(case),
            "trace": messages(case),
        }
        for case in GATES
    ]


# --- the judge's server ---


class _Judge(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "broken-1" in body:
            self._answer(500, {"error": {"message": "the model is on fire"}})
            return
        asked_to_apologise = "apologise" in body
        bad = "rude-1" if asked_to_apologise else "no-number"
        verdict = "no" if bad in body else "yes"
        if "unclear-1" in body:
            verdict = "cannot_assess"
        text = json.dumps({"reason": "As the answer reads.", "verdict": verdict})
        self._answer(
            200,
            {
                "id": "1",
                "object": "chat.completion",
                "model": "gpt-4.1-mini",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                "usage": {"prompt_tokens": 400, "completion_tokens": 20},
            },
        )

    def _answer(self, status: int, data: dict[str, Any]) -> None:
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def judge_server() -> Iterator[str]:
    """The base URL of the judge."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Judge)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def settings(folder: Path, judge_url: str) -> dict[str, str]:
    """The JUDGEMESH_* variables of a run in `folder`."""
    (folder / "contract.yaml").write_text(CONTRACT, encoding="utf-8")
    return {
        "JUDGEMESH_CONTRACTS": str(folder / "contract.yaml"),
        "JUDGEMESH_LEDGER": str(folder / "ledger.db"),
        "JUDGEMESH_JUDGE": "openai-compatible:gpt-4.1-mini",
        "JUDGEMESH_JUDGE_API_BASE": judge_url,
        "JUDGEMESH_MAX_RETRIES": "0",
        "JUDGEMESH_VOTES": "single",
    }


# --- the ledger ---


async def read_ledger(folder: Path) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    from judgemesh.contracts.report import report_to_json
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(str(folder / "ledger.db")) as ledger:
        runs = [(run.run_id, run.status) for run in await ledger.runs()]
        reports = {
            report.result_id: report_to_json(report)
            for run_id, _ in runs
            async for report in ledger.reports(run_id)
        }
    return runs, reports


def ledger_of(folder: Path) -> dict[str, Any]:
    """The reports by result id. There is exactly one run, it is `done`, and its gates are the expected ones."""
    runs, reports = asyncio.run(read_ledger(folder))
    assert [status for _, status in runs] == ["done"], runs
    gates = {case: report["gate"] for case, report in reports.items()}
    assert gates == GATES
    for case, report in reports.items():
        report["run_id"] = runs[0][0]
        judged = 0 if case == "broken-1" else 1
        assert (report["evaluator_cost"]["amount"] > 0) == bool(judged), report
    return reports


FACTS = (
    "result_id",
    "task_id",
    "run_id",
    "gate",
    "outcome_score",
    "outcome_class",
    "primary_failure_reason_code",
    "failure_reason_codes",
    "confidence",
    "evaluator_cost",
    "judge_calls",
)


def same_facts(shown: dict[str, Any], report: dict[str, Any]) -> None:
    """What a harness keeps of a report is what the ledger holds, field by field."""
    assert {key: shown[key] for key in FACTS} == {key: report[key] for key in FACTS}
    broken = report["result_id"] == "broken-1"
    assert bool(shown["evaluator_faults"]) == broken
    assert not broken or "the model is on fire" in shown["evaluator_faults"][0]


# --- a folder to run in ---

HERE = Path(__file__).parent
OFFLINE = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DO_NOT_TRACK": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "OPIK_SENTRY_ENABLE": "false",
    "OPIK_TRACK_DISABLE": "true",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PYTHONSAFEPATH": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""The harnesses stay on this machine."""


@dataclass(frozen=True)
class Desk:
    """A folder with a contract; `run` starts a program there with the settings of judgemesh in its environment."""

    folder: Path
    environment: dict[str, str]

    def run(self, *command: object, ok: tuple[int, ...] = (0,)) -> str:
        """Its standard output."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env={**os.environ, **OFFLINE, **self.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode in ok, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout

    def python(self, script: str, *arguments: object) -> str:
        """Run a script that can import `desk`."""
        path = self.folder / "harness_run.py"
        head = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport desk\n"
        path.write_text(head + script, encoding="utf-8")
        return self.run(sys.executable, path, *arguments)

    def ledger(self) -> dict[str, Any]:
        """See `desk.ledger_of`."""
        return ledger_of(self.folder)
