"""Each pattern is found where it is and not where it is not, with numbers that can be checked."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.bill.findings import (
    Finding,
    PatternTotals,
    findings_of,
)
from judgemesh.mesh.tracing.bill.patterns import PATTERNS
from judgemesh.mesh.tracing.bill.suggestions import SCHEMA, suggestions_of

D = Decimal
PRICE = PriceSnapshot("alpha", D(1), D(10), D("0.5"))


def step(
    number: int,
    state: StateType = StateType.THINK,
    usage: Usage | None = None,
    **fields: object,
) -> Step:
    base = Step(
        trace_id="t",
        step_id=number,
        state_type=state,
        model_name="alpha",
        usage=usage,
        usage_status=UsageStatus.NONE if usage is None else UsageStatus.OK,
        price=None if usage is None else PRICE,
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def context(**tokens: int) -> ContextBreakdown:
    fields = {f"{name}_tokens": number for name, number in tokens.items()}
    return ContextBreakdown(**fields)  # type: ignore[arg-type]


def tool(
    sent: int, raw: int = 4000, digest: str | None = None, cost: str | None = None
) -> ToolEvent:
    return ToolEvent(
        tool_name="search",
        response_tokens_raw=raw,
        tokens_sent_to_next_llm=sent,
        arguments_digest=digest,
        tool_cost=None if cost is None else Money(D(cost)),
    )


USED = Usage(4000, 6000, 0, 0)
FRESH = Usage(10_000, 0, 0, 0)
CASES: dict[str, tuple[list[Step], list[Step]]] = {
    "HIGH_SKILL_INSTRUCTION": (
        [step(1, usage=USED, context=context(skill_instruction=5000, history=1000))],
        [step(1, usage=USED, context=context(skill_instruction=2000, history=2000))],
    ),
    "HIGH_RETRIEVED_CONTEXT": (
        [step(1, usage=USED, context=context(retrieved_context=5000))],
        [step(1, usage=USED, context=context(retrieved_context=2000))],
    ),
    "HIGH_TOOL_RESULT": (
        [step(1, usage=USED, context=context(tool_result=5000))],
        [step(1, usage=Usage(900), context=context(tool_result=900))],
    ),
    "HIGH_HISTORY": (
        [step(1, usage=USED, context=context(history=5000))],
        [step(1, usage=USED, context=context(history=500))],
    ),
    "HIGH_VALIDATE_COST": (
        [
            step(1, usage=USED),
            step(2, StateType.VALIDATE, USED),
            step(3, StateType.VALIDATE, USED),
        ],
        [step(1, usage=Usage(90_000, 90_000)), step(2, StateType.VALIDATE, USED)],
    ),
    "HIGH_REFINE_COST": (
        [
            step(
                1,
                StateType.REFINE,
                Usage(0, 0, 0, 1000),
                details={"modified_content_tokens": 250},
            )
        ],
        [
            step(1, usage=Usage(90_000, 90_000)),
            step(2, StateType.REFINE, Usage(0, 0, 0, 100)),
        ],
    ),
    "LOW_CACHE_HIT_RATIO": (
        [step(1, usage=FRESH), step(2, usage=FRESH)],
        [step(1, usage=USED), step(2, usage=USED)],
    ),
    "HIGH_INPUT_AMPLIFICATION": (
        [
            step(1, usage=Usage(2000), context=context(user_instruction=100)),
            step(2, usage=Usage(10_000)),
            step(3, usage=Usage(1000)),
        ],
        [step(1, usage=Usage(2000), context=context(user_instruction=100))],
    ),
    "HIGH_TOOL_CONTEXT_RATIO": (
        [step(1, StateType.API_CALL, tools=(tool(3000),))],
        [
            step(1, StateType.API_CALL, tools=(tool(1000),)),
            step(2, StateType.API_CALL, tools=(tool(9, raw=10),)),
        ],
    ),
    "REPEATED_TOOL_CALL": (
        [
            step(number, StateType.API_CALL, tools=(tool(10, digest="a", cost="0.5"),))
            for number in (1, 2, 3)
        ],
        [
            step(number, StateType.API_CALL, tools=(tool(10, digest=str(number)),))
            for number in (1, 2)
        ],
    ),
    "COST_OF_FAILED_STEPS": (
        [step(1, usage=USED), step(2, usage=USED, status="error")],
        [step(1, usage=USED), step(2, usage=USED)],
    ),
}


def found(steps: list[Step]) -> dict[str, Finding]:
    return {
        finding.code: finding
        for finding in findings_of(
            priced(Trace(trace_id="t", steps=tuple(steps), skill_id="s"))
        )
    }


def test_every_pattern_has_a_case() -> None:
    assert {pattern.code for pattern in PATTERNS} == CASES.keys()


@pytest.mark.parametrize("code", CASES)
def test_a_pattern_is_found_where_it_is_and_only_there(code: str) -> None:
    shown, hidden = CASES[code]
    finding = found(shown)[code]
    assert finding.numbers
    assert finding.assumption
    assert finding.steps
    assert set(finding.steps) <= {step.step_id for step in shown}
    assert code not in found(hidden)


def test_savings_are_what_their_assumption_says() -> None:
    skill = found(CASES["HIGH_SKILL_INSTRUCTION"][0])["HIGH_SKILL_INSTRUCTION"]
    # Input 4,000 fresh at 1 and 6,000 cached at 0.5 a million: 0.007; half of the 50 % that are instructions.
    assert skill.saving == (Money(D("0.00175")),)
    assert skill.saving_tokens == 2500
    refine = found(CASES["HIGH_REFINE_COST"][0])["HIGH_REFINE_COST"]
    assert refine.saving == (
        Money(D("0.0075")),
    )  # 750 of 1,000 output tokens at 10 a million
    cache = found(CASES["LOW_CACHE_HIT_RATIO"][0])["LOW_CACHE_HIT_RATIO"]
    assert cache.saving == (
        Money(D("0.005")),
    )  # 10,000 tokens more from the cache, 0.5 cheaper a million
    wide = found(CASES["HIGH_INPUT_AMPLIFICATION"][0])["HIGH_INPUT_AMPLIFICATION"]
    assert wide.saving == (
        Money(D("0.008")),
    )  # the step of 10,000 held to the median of 2,000
    again = found(CASES["REPEATED_TOOL_CALL"][0])["REPEATED_TOOL_CALL"]
    assert (again.saving, again.numbers["repeated_calls"]) == ((Money(D("1.0")),), 2)
    rounds = found(CASES["HIGH_VALIDATE_COST"][0])["HIGH_VALIDATE_COST"]
    assert rounds.saving == (Money(D("0.007")),)  # the second round


def test_validation_rounds_that_found_nothing_are_the_saving() -> None:
    steps = [
        step(1, StateType.VALIDATE, USED, details={"issues_found": 3}),
        step(2, StateType.VALIDATE, Usage(1000), details={"issues_found": 0}),
    ]
    finding = found(steps)["HIGH_VALIDATE_COST"]
    assert finding.saving == (Money(D("0.001")),)
    assert finding.numbers["rounds_without_issue"] == 1


def test_without_prices_there_are_tokens_but_no_money() -> None:
    steps = [replace(step, price=None) for step in CASES["HIGH_SKILL_INSTRUCTION"][0]]
    finding = found(steps)["HIGH_SKILL_INSTRUCTION"]
    assert (finding.saving, finding.saving_tokens) == ((), 2500)


def test_patterns_over_many_runs() -> None:
    across = PatternTotals()
    for name, steps in (
        ("a", CASES["HIGH_SKILL_INSTRUCTION"][0]),
        ("b", CASES["COST_OF_FAILED_STEPS"][0]),
    ):
        across.add(findings_of(priced(Trace(trace_id=name, steps=tuple(steps)))))
    across.add(())
    totals = across.totals()
    assert [
        (total.code, total.runs, total.runs_seen, total.worst) for total in totals
    ] == [
        ("COST_OF_FAILED_STEPS", 1, 3, ("b",)),
        ("HIGH_SKILL_INSTRUCTION", 1, 3, ("a",)),
    ]
    assert totals[0].saving == (Money(D("0.007")),)


@pytest.mark.parametrize("code", CASES)
def test_every_finding_leads_to_a_patch_of_the_schema(code: str) -> None:
    trace = priced(Trace(trace_id="t", steps=tuple(CASES[code][0]), skill_id="s"))
    finding = {finding.code: finding for finding in findings_of(trace)}[code]
    patches = suggestions_of(finding, trace)
    assert patches
    assert patches == suggestions_of(finding, trace)
    assert len({patch["suggestion_id"] for patch in patches}) == len(patches)
    for patch in patches:
        assert set(patch) == {
            "schema",
            "suggestion_id",
            "kind",
            "finding",
            "trace_id",
            "target",
            "patch",
            "steps",
            "because",
            "expected_saving",
            "expected_saving_tokens",
            "assumption",
            "guard",
        }
        assert patch["schema"] == SCHEMA
        assert patch["target"]["layer"] in {"skill", "workflow", "context_policy"}
        assert patch["guard"] == {"metric": "hard_success_rate", "must_not_fall": True}
        (change,) = patch["patch"]
        assert change["op"] == "replace"
        assert change["path"].startswith("/")
        assert change["value"] != change["from"]


def test_top_k_is_halved_where_it_is_known() -> None:
    steps = [
        *CASES["HIGH_RETRIEVED_CONTEXT"][0],
        step(
            2, StateType.RETRIEVE, details={"top_k": 20}, costs=Costs(tool=Money(D(1)))
        ),
    ]
    trace = priced(Trace(trace_id="t", steps=tuple(steps)))
    finding = {finding.code: finding for finding in findings_of(trace)}[
        "HIGH_RETRIEVED_CONTEXT"
    ]
    changes = {
        patch["kind"]: patch["patch"][0] for patch in suggestions_of(finding, trace)
    }
    assert changes["reduce_top_k"] == {
        "op": "replace",
        "path": "/retrieval/top_k",
        "from": 20,
        "value": 10,
    }
