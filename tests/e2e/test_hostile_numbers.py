"""Numbers that are none, or too large, in every numeric place of a result: the neighbours are graded, reports are JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from .command import judgemesh

NUMBERS = {
    "text exponent": '"1e999999"',
    "text digits": f'"{"9" * 4000}"',
    "digits": "9" * 5000,
    "1e300": "1e300",
    "1.7e308": "1.7e308",
    "1e400": "1e400",
    "NaN": "NaN",
    "infinity": "-Infinity",
    "minus zero": "-0.0",
    "negative": "-1",
    "2^63": str(2**63),
    "2^64": str(2**64),
    "true": "true",
    "text": '"12"',
    "tiny": "1e-400",
    "text NaN": '"NaN"',
    "many digits": "0.1234567890123456789012345678901234567890",
}
OUTPUT = '"output": {"final_answer": "The total is 5.", "outputs": {"total": 5}}'
PLACES = {
    "cost": '"cost": N',
    "amount": '"cost": {"amount": N, "currency": "USD"}',
    "latency": '"latency_ms": N',
    "time": '"started_at": N',
    "metadata": '"metadata": {"n": N}',
    "outputs": '"output": {"final_answer": "x", "outputs": {"total": N}}',
    "answer": '"output": {"final_answer": N}',
    "action": '"actions": [{"kind": "pay", "parameters": {"amount": N}, "confirmation_id": N}]',
    "record": '"records": [{"kind": "pay", "parameters": {"amount": N}, "target": N}]',
    "state": '"state": {"before": {"n": 1}, "after": {"n": N}}',
    "diff": '"state": {"diff": [{"path": "/n", "before": 1, "after": N}]}',
    "step": '"trace": {"steps": [{"step_id": N, "tool_name": "pay", "arguments": {"amount": N}, "result": N}]}',
    "usage": '"trace": [{"role": "assistant", "content": "x", "usage": {"prompt_tokens": N, "completion_tokens": N}}]',
    "plan": '"plan": {"steps": [{"action": "pay", "amount": N}]}',
    "claim": '"output": {"final_answer": "x", "claims": [{"text": "n", "citations": [N]}]}',
}
CONTRACT = {
    "task_id": "t",
    "success_criteria": {"must_include": ["total"]},
    "fields": {"total": {"equals": 5}},
    "execution": {"expected": [{"kind": "pay", "parameters": {"amount": {"ge": 5}}}]},
    "state": {"expected": [{"path": "/n", "after": 2}]},
    "budget": {"ceiling": 2, "gate": True, "max_latency_ms": 1000},
    "plan": {"allowed": ["pay"]},
}
REPORTS = (
    ("report", "--ledger", "l.db", "--json"),
    ("asr", "--ledger", "l.db", "--json"),
    ("trace", "list", "--ledger", "l.db", "--json"),
)


def _lines() -> Iterator[str]:
    for place, form in PLACES.items():
        for name, number in NUMBERS.items():
            body = form.replace("N", number)
            if '"output"' not in body:
                body = f"{body}, {OUTPUT}"
            yield f'{{"result_id": "{place}: {name}", "task_id": "t", {body}}}\n'
            yield f'{{"result_id": "after {place}: {name}", "task_id": "t", {OUTPUT}, "cost": 0.1}}\n'


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def test_a_neighbour_is_always_graded(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("".join(_lines()))
    (tmp_path / "contract.yaml").write_text(json.dumps(CONTRACT))
    done = judgemesh(
        *("grade", "results.jsonl", "--contracts", "contract.yaml"),
        *("--ledger", "l.db", "-o", "report.jsonl", "--rejects", "rejects.jsonl"),
        "--no-preflight",
        cwd=tmp_path,
        expect=None,
    )
    assert done.returncode in (1, 3), done.stderr
    lines = (tmp_path / "report.jsonl").read_text().splitlines()
    reports = [json.loads(line, parse_constant=_no_number) for line in lines]
    graded = {report["result_id"] for report in reports}
    names = {f"{place}: {name}" for place in PLACES for name in NUMBERS}
    assert {f"after {name}" for name in names} <= graded
    rejected = len((tmp_path / "rejects.jsonl").read_text().splitlines())
    assert len(names - graded) == rejected
    # What is a number to nobody is refused, not read as one.
    assert {
        "cost: true",
        "latency: true",
        "latency: NaN",
        "cost: 1e300",
    } <= names - graded
    for command in REPORTS:
        shown = judgemesh(*command, cwd=tmp_path, expect=None)
        if shown.stdout:
            json.loads(shown.stdout, parse_constant=_no_number)
