"""Several criteria in one call, whatever stands around the judge: nobody waits for who never comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped
from judgemesh.mesh import Mesh
from judgemesh.mesh.judging.gateways.simulated import Behaviour
from judgemesh.mesh.testing.fake_provider import FakeProvider

pytestmark = pytest.mark.anyio

TRUTH = {f"c{n}": "yes" if n % 3 else "no" for n in range(7)}
CONTRACT = EvalContract.model_validate(
    {
        "task_id": "t",
        "success_criteria": {"must_not_include": ["forbidden words"]},
        "criteria": [
            {
                "id": name,
                "question": f"Is {name} so? TRUTH:{truth}",
                "gate": name == "c1",
            }
            for name, truth in TRUTH.items()
        ],
    }
)


def result(number: int) -> dict[str, Any]:
    words = "forbidden words" if number % 3 == 0 else "honest words"
    return {
        "result_id": f"r{number}",
        "task_id": "t",
        "output": f"These are {words}, case {number}.",
    }


@pytest.mark.parametrize(
    ("accuracy", "provider", "options"),
    [
        (1.0, {}, {}),
        (1.0, {}, {"votes": "single"}),
        (0.8, {}, {"escalate": "openai-compatible:gpt-4.1"}),
        (0.8, {"decisions": True}, {"backend": "probability"}),
        (1.0, {"logprobs": "give"}, {"backend": "probability"}),
        (
            0.8,
            {"logprobs": "reject"},
            {"backend": "probability", "escalate": "openai-compatible:gpt-4.1"},
        ),
        (1.0, {}, {"mode": "economy", "audit_share": 0.3}),
        (0.8, {}, {"timeout_s": 20.0}),
        (0.8, {}, {"max_cost": "5", "batch_audit": 0.5}),
        (1.0, {"structured": False}, {"cache": False}),
        (
            1.0,
            {},
            {"judge": ["openai-compatible:gpt-4.1-mini", "openai-compatible:gpt-4.1"]},
        ),
        (0.8, {}, {"escalate": "openai-compatible:gpt-4.1", "escalate_audit": 0.5}),
    ],
    ids=[
        "lead",
        "single",
        "escalate",
        "decisions",
        "first_token",
        "no_logprobs",
        "economy",
        "strict",
        "audit",
        "tools",
        "panel",
        "pair",
    ],
)
async def test_every_criterion_comes_to_an_end_and_every_request_is_on_record(
    tmp_path: Path, provider: dict[str, Any], options: dict[str, Any], accuracy: float
) -> None:
    behaviour = Behaviour(sensitivity=accuracy, specificity=accuracy, seed=7)
    async with FakeProvider(behaviour, **provider) as server:
        async with Mesh.from_config(
            contracts=[CONTRACT],
            judge_api_base=server.base_url,
            ledger=tmp_path / "ledger.db",
            batch_criteria=4,
            **{"judge": "openai-compatible:gpt-4.1-mini", **options},
        ) as mesh:
            with anyio.fail_after(25):
                reports = [
                    report async for report in mesh.grade_many(map(result, range(6)))
                ]
            assert mesh.run is not None
            summary = await mesh.run.ledger.summary(mesh.run.run_id)
        bill = server.bill()
    assert summary.judge_calls == bill.requests
    assert summary.evaluator_cost_unknown == 0
    assert float(summary.evaluator_cost[0].amount) == pytest.approx(
        float(bill.cost or 0), abs=1e-9
    )
    rows = [
        row.verdict
        for report in reports
        for row in report.verdicts
        if row.validator_name == "criteria"
    ]
    assert len(rows) == 6 * len(TRUTH)
    assert all(isinstance(row, Pass | Fail | Abstain | Skipped) for row in rows)
    if accuracy == 1.0:
        graded = [row for row in rows if isinstance(row, Pass | Fail)]
        assert graded
        assert all(
            isinstance(row, Pass)
            == (TRUTH[row.check.removeprefix("criterion:")] == "yes")
            for row in graded
        )
