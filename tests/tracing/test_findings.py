"""Each pattern is found where it is and not where it is not, with numbers that can be checked."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.sections.tools import Tool
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.bill.implied_prices import implied_prices
from judgemesh.mesh.tracing.findings.access import access_of_name
from judgemesh.mesh.tracing.findings.findings import Finding, findings_of
from judgemesh.mesh.tracing.findings.pattern import Kind
from judgemesh.mesh.tracing.findings.patterns import PATTERNS
from judgemesh.mesh.tracing.findings.registry import accesses_of, with_accesses
from judgemesh.mesh.tracing.findings.suggestions import SCHEMA, Suggestions
from judgemesh.mesh.tracing.findings.totals import PatternTotals
from judgemesh.mesh.tracing.readers.ingest import read_traces

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


def calls(*tools: ToolEvent) -> list[Step]:
    """Each tool call after a model call, and a last model call."""
    steps: list[Step] = []
    for one in tools:
        steps.append(step(len(steps) + 1, usage=Usage(1000)))
        steps.append(step(len(steps) + 1, StateType.API_CALL, tools=(one,)))
    return [*steps, step(len(steps) + 1, usage=Usage(1000))]


def call(name: str, digest: str, result: str = "r", **fields: object) -> ToolEvent:
    base = ToolEvent(tool_name=name, arguments_digest=digest, result_digest=result)
    return replace(base, **fields)  # type: ignore[arg-type]


def source_case(name: str) -> tuple[list[Step], list[Step]]:
    """A source that is half of the input, and one that is a fifth."""
    shown = step(1, usage=USED, context=context(**{name: 5000}))
    return [shown], [step(1, usage=FRESH, context=context(**{name: 2000}))]


READ = call("get_customer", "a")
PAY = call("create_payment", "a")
JOBS = [call("get_job", "a", str(number)) for number in range(4)]
GROWN = [step(number, usage=Usage(3000 * number)) for number in (1, 2, 3, 4, 5)]
CASES: dict[str, tuple[list[Step], list[Step]]] = {
    "HIGH_SKILL_INSTRUCTION": source_case("skill_instruction"),
    "HIGH_RETRIEVED_CONTEXT": source_case("retrieved_context"),
    "HIGH_TOOL_RESULT": source_case("tool_result"),
    "HIGH_HISTORY": source_case("history"),
    "HIGH_MEMORY": source_case("memory"),
    "HIGH_ARTIFACT_CONTEXT": source_case("artifact_context"),
    "HIGH_FIXED_PROMPT": (
        [step(n, usage=FRESH, context=context(system_prompt=6000)) for n in (1, 2, 3)],
        [step(1, usage=FRESH, context=context(system_prompt=6000))],
    ),
    "HIGH_VALIDATE_COST": (
        [step(n, StateType.VALIDATE, USED) for n in (1, 2)],
        [
            step(1, StateType.VALIDATE, USED, details={"issues_found": 2}),
            step(2, StateType.REFINE, USED),
            step(3, StateType.VALIDATE, USED, details={"issues_found": 0}),
        ],
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
        [step(1, StateType.REFINE, Usage(0, 0, 0, 1000))],
    ),
    "LOW_CACHE_HIT_RATIO": (
        [step(1, usage=FRESH), step(2, usage=FRESH)],
        [step(n, usage=replace(FRESH, cache_reported=False)) for n in (1, 2)],
    ),
    "HIGH_INPUT_AMPLIFICATION": (GROWN, GROWN[:3]),
    "HIGH_TOOL_CONTEXT_RATIO": (
        [step(1, StateType.API_CALL, tools=(tool(3000),))],
        [
            step(1, StateType.API_CALL, tools=(tool(1000),)),
            step(2, StateType.API_CALL, tools=(tool(4000, raw=3000),)),
        ],
    ),
    "REPEATED_WRITE": (
        calls(replace(PAY, status="timeout"), PAY),
        calls(replace(PAY, status="error"), PAY),
    ),
    "REPEATED_TOOL_CALL": (
        calls(READ, READ),
        calls(READ, call("update_customer", "b"), READ),
    ),
    "REPEATED_UNKNOWN_CALL": (
        calls(call("acme", "a"), call("acme", "a")),
        calls(call("acme", "a"), call("acme", "a", "other")),
    ),
    "POLLING": (calls(*JOBS), calls(*JOBS[:2])),
    "SAME_RESULT": (
        calls(
            call("search", "a", tokens_sent_to_next_llm=600),
            call("search", "b", tokens_sent_to_next_llm=600),
        ),
        calls(call("search", "a"), call("search", "b", "other")),
    ),
    "FAILED_TOOL_CALLS": (
        calls(*(call("get", str(n), status="error") for n in (1, 2))),
        calls(call("get", "1", status="error"), call("get", "2")),
    ),
    "COST_OF_FAILED_STEPS": (
        [step(1, usage=USED), step(2, usage=USED, status="error")],
        [step(1, usage=USED), step(2, usage=USED)],
    ),
    "USAGE_MISSING": (
        [step(1, usage_status=UsageStatus.MISSING)],
        [step(1)],
    ),
    "UNPRICED_MODEL": (
        [step(1, usage=USED), step(2, usage=USED, price=None)],
        [step(1, usage=USED, price=None)],
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
    # 5,000 instructions of 10,000 tokens at 1 a million; of the 6,000 cached ones at 0.5,
    # half are theirs: the rest stands at the beginning too. Half of 0.0035.
    assert skill.saving == (Money(D("0.00175")),)
    assert skill.saving_tokens == 2500
    refine = found(CASES["HIGH_REFINE_COST"][0])["HIGH_REFINE_COST"]
    # 750 of 1,000 output tokens at 10 a million
    assert refine.saving == (Money(D("0.0075")),)
    cache = found(CASES["LOW_CACHE_HIT_RATIO"][0])["LOW_CACHE_HIT_RATIO"]
    # The second call had sent nothing new: 10,000 tokens, 0.5 cheaper a million.
    assert cache.saving == (Money(D("0.005")),)
    grown = found(GROWN)["HIGH_INPUT_AMPLIFICATION"]
    # Calls of 12,000 and 15,000 held to the median of 9,000, at 1 a million.
    assert grown.saving == (Money(D("0.009")),)
    again = found(CASES["POLLING"][0])["POLLING"]
    # Three model calls of 1,000 tokens that only ask again.
    assert again.saving == (Money(D("0.003")),)
    rounds = found(CASES["HIGH_VALIDATE_COST"][0])["HIGH_VALIDATE_COST"]
    assert rounds.saving == (Money(D("0.007")),)  # the second round


def test_the_cost_of_a_source_respects_what_was_read_from_the_cache() -> None:
    """8,000 of 10,000 tokens are cached: the instructions, which stand first."""
    usage = Usage(2000, 8000, 0, 0)
    parts = context(system_prompt=8000, tool_result=2000)
    bill = bill_of(
        priced(Trace(trace_id="t", steps=(step(1, usage=usage, context=parts),)))
    )
    costs = {row.name: row.cost for row in bill.by_context}
    assert costs["system_prompt"] == (Money(D("0.004")),)
    assert costs["tool_result"] == (Money(D("0.002")),)
    assert {row.name: row.cached_tokens for row in bill.by_context} == {
        "system_prompt": 8000,
        "tool_result": 0,
    }


def test_what_an_earlier_call_sent_is_cached_before_what_is_new() -> None:
    first = step(1, usage=Usage(4000), context=context(history=4000))
    second = step(
        2,
        usage=Usage(3000, 4000, 0, 0),
        context=context(history=4000, tool_result=3000),
    )
    bill = bill_of(priced(Trace(trace_id="t", steps=(first, second))))
    cached = {row.name: row.cached_tokens for row in bill.by_context}
    assert cached == {"history": 4000, "tool_result": 0}


def test_costs_without_prices_imply_them() -> None:
    """Three calls at list price tell what input and output cost; a fourth had a discount."""
    used = [
        (1000, 100, "0.0004"),
        (2000, 50, "0.000575"),
        (3000, 10, "0.000765"),
        (4000, 10, "0.0005"),
    ]
    steps: list[Step] = []
    for number, (sent, written, cost) in enumerate(used, start=1):
        steps.append(
            step(
                number,
                usage=Usage(sent, 0, 0, written, cache_reported=False),
                price=None,
                reported_cost=Money(D(cost)),
            )
        )
    trace = priced(Trace(trace_id="t", steps=tuple(steps)))
    (price,) = implied_prices(trace.steps).values()
    assert (price.input, price.output) == (D("2.5e-7"), D("1.5e-6"))
    assert (price.calls, price.discounted) == (3, 1)


def test_without_any_price_or_cost_there_are_tokens_but_no_money() -> None:
    steps = [replace(step, price=None) for step in CASES["HIGH_SKILL_INSTRUCTION"][0]]
    finding = found(steps)["HIGH_SKILL_INSTRUCTION"]
    assert (finding.saving, finding.saving_tokens) == ((), 2500)


def test_a_danger_comes_first_and_saves_nothing() -> None:
    (first, *_) = findings_of(
        priced(Trace(trace_id="t", steps=tuple(CASES["REPEATED_WRITE"][0])))
    )
    assert (first.code, first.kind, first.saving) == ("REPEATED_WRITE", Kind.DANGER, ())
    assert "cache" in first.direction


@pytest.mark.parametrize(
    ("name", "access"),
    [
        ("get_order_update", "read"),
        ("order_status", "read"),
        ("update_status", "write"),
        ("mcp__shop__place_order", "write"),
        ("stripe.payment", "write"),
        ("exchange_rate", "read"),
        ("issueRefund", "write"),
        ("acme_widget", None),
        ("bash", None),
        ("file_read", "read"),
        ("search_direct_flight", "read"),
        ("transfer_to_human_agents", None),
        ("transfer_to_savings", "write"),
        ("slack_post_message", "write"),
        ("store_locator", "read"),
        ("check_in_guest", "write"),
        ("book_search", "read"),
    ],
)
def test_the_verb_of_a_tool_says_whether_it_writes(
    name: str, access: str | None
) -> None:
    assert access_of_name(name) == access


def test_a_registry_of_tools_says_what_writes() -> None:
    steps = CASES["REPEATED_UNKNOWN_CALL"][0]
    trace = Trace(trace_id="t", steps=tuple(steps))
    for access, code in (("write", "REPEATED_WRITE"), ("read", "REPEATED_TOOL_CALL")):
        tool = Tool.model_validate({"name": "x", "aliases": ["acme"], "access": access})
        known = with_accesses(trace, accesses_of([tool]))
        assert [one.code for one in findings_of(priced(known))] == [code]
    destructive = Tool(name="acme", risk="destructive")
    assert accesses_of([destructive, Tool(name="acme", access="read")]) == {
        "acme": "write"
    }


def test_a_finding_belongs_to_the_agent_of_its_steps() -> None:
    steps = [replace(one, agent_id="payer") for one in CASES["REPEATED_WRITE"][0]]
    assert found(steps)["REPEATED_WRITE"].agent_id == "payer"


def at(one: Step, start: float, end: float) -> Step:
    """The step at these seconds of the run."""
    began = datetime(2026, 3, 2, tzinfo=UTC)
    return replace(
        one,
        start_time=began + timedelta(seconds=start),
        end_time=began + timedelta(seconds=end),
    )


def test_a_call_that_two_instrumentations_recorded_is_one_call() -> None:
    ask, outer = calls(PAY)[:2]
    inner = replace(outer, step_id=3)
    nested = [ask, at(outer, 1, 5), at(inner, 2, 4)]
    assert "REPEATED_WRITE" not in found(nested)
    below = [ask, outer, replace(inner, parent_step_id=2)]
    assert "REPEATED_WRITE" not in found(below)
    same_id = replace(PAY, call_id="c1")
    twice = [replace(one, tools=(same_id,)) for one in (outer, inner)]
    assert "REPEATED_WRITE" not in found([ask, *twice])
    one_after_other = [ask, at(outer, 1, 3), at(inner, 4, 6)]
    assert "REPEATED_WRITE" in found(one_after_other)


def test_a_read_after_the_context_was_compacted_is_no_waste() -> None:
    steps = calls(READ, call("get_order", "b"), READ)
    sizes = {1: 9000, 3: 20_000, 5: 3000, 7: 4000}
    shrunk = [
        replace(one, usage=Usage(sizes[one.step_id])) if one.usage else one
        for one in steps
    ]
    assert "REPEATED_TOOL_CALL" in found(steps)
    assert "REPEATED_TOOL_CALL" not in found(shrunk)


def test_failing_tests_of_a_coding_agent_are_its_work() -> None:
    def shell(digest: str) -> ToolEvent:
        return call("bash", digest, status="error")

    def run(*tools: ToolEvent) -> list[Step]:
        return [
            replace(one, state_type=StateType.SCRIPT_EXEC) if one.tools else one
            for one in calls(*tools)
        ]

    assert "FAILED_TOOL_CALLS" not in found(run(shell("a"), shell("b")))
    assert "FAILED_TOOL_CALLS" in found(run(shell("a"), shell("a")))
    edited = calls(shell("a"), call("edit_file", "p"), shell("a"))
    assert "FAILED_TOOL_CALLS" not in found(edited)


def test_a_call_that_failed_has_no_usage_to_record() -> None:
    failed = step(1, usage_status=UsageStatus.MISSING, status="error")
    assert "USAGE_MISSING" not in found([failed, step(2, usage=USED)])


def test_documents_of_a_batch_are_no_conversation() -> None:
    """Each call has another document of about the same size: no cache would serve them."""
    steps = [
        step(number, usage=Usage(8000 - 100 * number, 0, 0, 500))
        for number in range(1, 7)
    ]
    assert "LOW_CACHE_HIT_RATIO" not in found(steps)


def test_tools_without_an_agent_belong_to_the_agent_that_calls_models() -> None:
    steps = [replace(one, agent_id="a") if one.usage else one for one in calls(*JOBS)]
    assert found(steps)["POLLING"].saving == (Money(D("0.003")),)


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


WITHOUT_A_PATCH = {"USAGE_MISSING", "UNPRICED_MODEL", "REPEATED_UNKNOWN_CALL"}


@pytest.mark.parametrize("code", sorted(CASES.keys() - WITHOUT_A_PATCH))
def test_findings_of_several_runs_lead_to_one_patch(code: str) -> None:
    suggestions = Suggestions()
    for name in ("one", "two"):
        steps = tuple(CASES[code][0])
        trace = priced(Trace(trace_id=name, steps=steps, skill_id="s"))
        suggestions.add(
            [finding for finding in findings_of(trace) if finding.code == code], trace
        )
    patches = suggestions.patches()
    assert patches
    assert patches == suggestions.patches()
    assert len({patch["suggestion_id"] for patch in patches}) == len(patches)
    assert sum(bool(patch["expected_saving_tokens"]) for patch in patches) <= 1
    for patch in patches:
        assert patch["schema"] == SCHEMA
        assert (patch["runs"], set(patch["steps"])) == (2, {"one", "two"})
        assert patch["target"]["layer"] in {"skill", "workflow", "context_policy"}
        assert patch["guard"] == {"metric": "hard_success_rate", "must_not_fall": True}
        (change,) = patch["patch"]
        assert change["op"] == "replace"
        assert change["path"].startswith("/")
        assert change["value"] != change["from"]


def test_a_patch_has_the_size_of_a_call_and_not_of_a_run() -> None:
    steps = [
        step(n, usage=FRESH, context=context(skill_instruction=4000 + n))
        for n in (1, 2, 3)
    ]
    suggestions = Suggestions()
    trace = priced(Trace(trace_id="t", steps=tuple(steps)))
    suggestions.add(findings_of(trace), trace)
    patch = next(p for p in suggestions.patches() if p["kind"] == "compress_skill")
    assert patch["observed"]["skill_instruction_tokens"] == {
        "calls": 3,
        "median": 4002,
        "largest": 4003,
    }
    assert (patch["patch"][0]["from"], patch["patch"][0]["value"]) == (4002, 2001)


def test_top_k_is_halved_where_it_is_known() -> None:
    steps = [
        *CASES["HIGH_RETRIEVED_CONTEXT"][0],
        step(
            2, StateType.RETRIEVE, details={"top_k": 20}, costs=Costs(tool=Money(D(1)))
        ),
    ]
    trace = priced(Trace(trace_id="t", steps=tuple(steps)))
    suggestions = Suggestions()
    suggestions.add(findings_of(trace), trace)
    changes = {patch["kind"]: patch["patch"][0] for patch in suggestions.patches()}
    assert changes["reduce_top_k"] == {
        "op": "replace",
        "path": "/retrieval/top_k",
        "from": 20,
        "value": 10,
    }


RUNS = Path(__file__).parent / "domains"
EXPECTED: dict[str, list[str]] = json.loads(
    (RUNS / "expected.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", EXPECTED)
def test_runs_of_several_domains_have_the_findings_they_must_have(name: str) -> None:
    path = RUNS / "runs" / f"{name}.jsonl"
    (trace,) = read_traces([path], format="auto", on_malformed=pytest.fail)
    findings = findings_of(priced(trace))
    assert sorted(finding.code for finding in findings) == sorted(EXPECTED[name])
