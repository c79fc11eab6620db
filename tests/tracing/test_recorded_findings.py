"""Findings of recorded runs hold what can be computed from the files alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.findings.findings import findings_of
from judgemesh.mesh.tracing.readers.ingest import read_traces

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "trace_ledger"
MAX_DIFFERENCE = 3


@pytest.mark.data
def test_findings_of_recorded_runs_are_what_the_files_say() -> None:
    if not DATA.is_dir():
        pytest.skip("the recorded runs are not here")
    recorded = {run["run"]: run for run in _recorded()}
    found: set[str] = set()
    for trace in read_traces(
        sorted(DATA.glob("*.jsonl")), format="auto", on_malformed=pytest.fail
    ):
        run = priced(trace)
        bill = bill_of(run)
        assert bill.metrics.cache_hit_ratio is None
        whole = bill.totals.cost[0].amount
        findings = findings_of(run, bill)
        found.update(finding.code for finding in findings)
        assert sum(finding.saving[0].amount for finding in findings) <= whole / 2
        messages = recorded[trace.trace_id]["messages"]
        for finding in findings:
            if finding.code == "HIGH_FIXED_PROMPT":
                size = finding.numbers["fixed_tokens_a_call"]
                assert isinstance(size, int)
                assert abs(size - _smallest_unseen(messages)) <= MAX_DIFFERENCE
            else:
                errors = [message for message in messages if message.get("error")]
                assert len(errors) > len(finding.steps)
    assert found == {"HIGH_FIXED_PROMPT", "FAILED_TOOL_CALLS"}


def _recorded() -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = []
    for path in sorted(DATA.glob("*.jsonl")):
        runs += map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return runs


def _smallest_unseen(messages: list[dict[str, Any]]) -> int:
    """The least that a call has beyond a quarter of the bytes of the messages before."""
    size = 0
    unseen: list[int] = []
    for message in messages:
        if message["role"] == "assistant" and message["usage"]:
            unseen.append(message["usage"]["prompt_tokens"] - size // 4)
        size += len((message["content"] or "").encode())
        calls: list[dict[str, Any]] = message.get("tool_calls") or []
        for call in calls:
            size += len(json.dumps(call["args"])) + len(call["name"])
    return min(unseen)
