"""The DECLARE templates against pm4py's conformance checking, where somebody has installed it (it is no dependency:
400 MB with its own). Its `nonsuccession` is left out: it accepts `a` ... `b`, which the definition forbids."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import UNARY_TEMPLATES, Rule
from judgemesh.validators.sop.templates import TEMPLATES
from judgemesh.validators.sop.trace import Steps

NAMES = {
    "existence": "existence",
    "absence": "absence",
    "exactly": "exactly_one",
    "init": "init",
    "responded_existence": "responded_existence",
    "response": "response",
    "alternate_response": "altresponse",
    "chain_response": "chainresponse",
    "precedence": "precedence",
    "alternate_precedence": "altprecedence",
    "chain_precedence": "chainprecedence",
    "succession": "succession",
    "not_coexistence": "noncoexistence",
}
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("template", sorted(NAMES))
def test_pm4py_agrees(template: str) -> None:
    pm4py: Any = pytest.importorskip("pm4py", reason="pm4py is not installed")
    pandas: Any = pytest.importorskip("pandas")
    drawn = random.Random(7)  # noqa: S311 (the same traces every time)
    traces = [
        "".join(drawn.choice("abc") for _ in range(drawn.randint(1, 9)))
        for _ in range(400)
    ]
    rows = [
        (f"{number:05d}", letter, START + timedelta(minutes=minute))
        for number, trace in enumerate(traces)
        for minute, letter in enumerate(trace)
    ]
    log = pandas.DataFrame(
        rows, columns=["case:concept:name", "concept:name", "time:timestamp"]
    )
    unary = template in UNARY_TEMPLATES
    model = {
        NAMES[template]: {
            "a" if unary else ("a", "b"): {"support": 1.0, "confidence": 1.0}
        }
    }
    theirs = [
        case["no_dev_total"] == 0 for case in pm4py.conformance_declare(log, model)
    ]
    operands = {"activity": "a"} if unary else {"first": "a", "then": "b"}
    rule = Rule.model_validate({"id": "r", "template": template, **operands})
    ours = [
        TEMPLATES[template](
            rule, Steps([TraceStep(tool_name=letter) for letter in trace])
        )
        is None
        for trace in traces
    ]
    assert ours == theirs
