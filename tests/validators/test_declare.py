"""The DECLARE templates against an independent oracle: each template's formula in linear temporal logic on finite
traces, evaluated by the textbook definition of its operators. Bindings and distances, which that logic lacks, are held
against a definition by quantifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import UNARY_TEMPLATES, Rule
from judgemesh.validators.sop.templates import TEMPLATES
from judgemesh.validators.sop.trace import NoTime, Steps

Trace = Sequence[str]
Formula = Callable[[Trace, int], bool]
"""Whether a formula holds at a position. Past the end no atom holds, and `next` is false, `weak next` true."""


def atom(letter: str) -> Formula:
    return lambda trace, at: at < len(trace) and trace[at] == letter


def not_(one: Formula) -> Formula:
    return lambda trace, at: not one(trace, at)


def and_(*parts: Formula) -> Formula:
    return lambda trace, at: all(part(trace, at) for part in parts)


def or_(*parts: Formula) -> Formula:
    return lambda trace, at: any(part(trace, at) for part in parts)


def implies(one: Formula, two: Formula) -> Formula:
    return or_(not_(one), two)


def next_(one: Formula) -> Formula:
    return lambda trace, at: at + 1 < len(trace) and one(trace, at + 1)


def weak_next(one: Formula) -> Formula:
    return lambda trace, at: at + 1 >= len(trace) or one(trace, at + 1)


def eventually(one: Formula) -> Formula:
    return lambda trace, at: any(one(trace, later) for later in range(at, len(trace)))


def globally(one: Formula) -> Formula:
    return lambda trace, at: all(one(trace, later) for later in range(at, len(trace)))


def until(one: Formula, two: Formula) -> Formula:
    return lambda trace, at: any(
        two(trace, end) and all(one(trace, between) for between in range(at, end))
        for end in range(at, len(trace))
    )


def weak_until(one: Formula, two: Formula) -> Formula:
    return or_(until(one, two), globally(one))


A, B = atom("a"), atom("b")
LAST: Formula = lambda trace, at: at == len(trace) - 1  # noqa: E731 (an atom like the others)


def at_least(count: int) -> Formula:
    return (
        eventually(A) if count == 1 else eventually(and_(A, next_(at_least(count - 1))))
    )


RESPONSE = globally(implies(A, next_(eventually(B))))
PRECEDENCE = weak_until(not_(B), A)
FORMULAS: dict[str, Formula] = {
    "init": A,
    "end": eventually(and_(A, LAST)),
    "forbidden": globally(not_(A)),
    "responded_existence": implies(eventually(A), eventually(B)),
    "response": RESPONSE,
    "alternate_response": globally(implies(A, next_(until(not_(A), B)))),
    "chain_response": globally(implies(A, next_(B))),
    "precedence": PRECEDENCE,
    "alternate_precedence": and_(
        PRECEDENCE, globally(implies(B, weak_next(PRECEDENCE)))
    ),
    "chain_precedence": and_(globally(implies(next_(B), A)), not_(B)),
    "succession": and_(RESPONSE, PRECEDENCE),
    "not_coexistence": not_(and_(eventually(A), eventually(B))),
    "not_succession": globally(implies(A, not_(next_(eventually(B))))),
    "choice": or_(eventually(A), eventually(B)),
}
COUNTED: dict[str, Callable[[int], Formula]] = {
    "existence": at_least,
    "absence": lambda count: not_(at_least(count)),
    "exactly": lambda count: and_(at_least(count), not_(at_least(count + 1))),
}


def rule_of(template: str, **more: Any) -> Rule:
    operands = (
        {"activity": "a"}
        if template in UNARY_TEMPLATES
        else {"first": "a", "then": "b"}
    )
    return Rule.model_validate({"id": "r", "template": template, **operands, **more})


def kept(rule: Rule, steps: Sequence[TraceStep]) -> bool:
    return TEMPLATES[rule.template](rule, Steps(steps)) is None


def calls(trace: Trace) -> list[TraceStep]:
    return [TraceStep(tool_name=letter) for letter in trace]


def test_every_template_has_an_oracle() -> None:
    assert {*FORMULAS, *COUNTED} == {*TEMPLATES}


@pytest.mark.parametrize("template", sorted(FORMULAS))
def test_all_short_traces(template: str) -> None:
    """Every trace over three letters of up to six steps: 1,093 of them."""
    rule = rule_of(template)
    for length in range(7):
        for trace in product("abc", repeat=length):
            assert kept(rule, calls(trace)) is FORMULAS[template](trace, 0), "".join(
                trace
            )


@pytest.mark.parametrize("template", sorted(COUNTED))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_short_traces_with_counts(template: str, count: int) -> None:
    rule, formula = rule_of(template, count=count), COUNTED[template](count)
    for length in range(6):
        for trace in product("ac", repeat=length):
            assert kept(rule, calls(trace)) is formula(trace, 0), "".join(trace)


@given(st.sampled_from(sorted(FORMULAS)), st.text("abc", min_size=7, max_size=40))
def test_long_random_traces(template: str, trace: str) -> None:
    assert kept(rule_of(template), calls(trace)) is FORMULAS[template](trace, 0)


# Bindings and distances, by definition: (letter, value of k, seconds since the start).
Event = tuple[str, int | None, int]
events = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([None, 1, 2]), st.integers(0, 3)),
    max_size=9,
).map(
    lambda drawn: [
        (letter, k, sum(gap for *_, gap in drawn[: index + 1]))
        for index, (letter, k, _) in enumerate(drawn)
    ]
)
distances = (
    st.none()
    | st.fixed_dictionaries({"steps": st.integers(1, 4)})
    | st.fixed_dictionaries({"seconds": st.integers(1, 6)})
)


def expected(
    template: str, trace: list[Event], *, bound: bool, within: dict[str, int] | None
) -> bool:
    """The definition by quantifiers."""
    places = range(len(trace))
    firsts, thens = ([at for at in places if trace[at][0] == letter] for letter in "ab")

    def agree(one: int, two: int) -> bool:
        return not bound or (
            trace[one][1] is not None and trace[one][1] == trace[two][1]
        )

    def near(one: int, two: int) -> bool:
        if within is None:
            return True
        if "steps" in within:
            return abs(one - two) <= within["steps"]
        return abs(trace[one][2] - trace[two][2]) <= within["seconds"]

    def fits(one: int, two: int) -> bool:
        return agree(one, two) and near(one, two)

    def clear(of: list[int], low: int, high: int, like: int) -> bool:
        return not any(low < other < high and agree(other, like) for other in of)

    def answered(ok: Callable[[int, int], bool]) -> bool:
        return all(
            any(b > a and fits(a, b) and ok(a, b) for b in thens) for a in firsts
        )

    def prepared(ok: Callable[[int, int], bool]) -> bool:
        return all(
            any(a < b and fits(a, b) and ok(a, b) for a in firsts) for b in thens
        )

    table: dict[str, Callable[[], bool]] = {
        "responded_existence": lambda: all(
            any(fits(a, b) for b in thens) for a in firsts
        ),
        "response": lambda: answered(lambda _a, _b: True),
        "alternate_response": lambda: answered(lambda a, b: clear(firsts, a, b, a)),
        "chain_response": lambda: answered(lambda a, b: b == a + 1),
        "precedence": lambda: prepared(lambda _a, _b: True),
        "alternate_precedence": lambda: prepared(lambda a, b: clear(thens, a, b, b)),
        "chain_precedence": lambda: prepared(lambda a, b: b == a + 1),
        "succession": lambda: (
            answered(lambda _a, _b: True) and prepared(lambda _a, _b: True)
        ),
        "not_coexistence": lambda: not any(fits(a, b) for a in firsts for b in thens),
        "not_succession": lambda: (
            not any(b > a and fits(a, b) for a in firsts for b in thens)
        ),
    }
    return table[template]()


BOUND = sorted(set(FORMULAS) - UNARY_TEMPLATES - {"choice"})


@settings(max_examples=400)
@given(st.sampled_from(BOUND), events, st.booleans(), distances)
def test_bindings_and_distances(
    template: str, trace: list[Event], bound: bool, within: dict[str, int] | None
) -> None:
    more: dict[str, Any] = {"same": ["k"] if bound else []}
    if within is not None:
        more["within"] = within
    steps = [
        TraceStep.model_validate(
            {"tool_name": letter, "arguments": {} if k is None else {"k": k}, "at": at}
        )
        for letter, k, at in trace
    ]
    assert kept(rule_of(template, **more), steps) is expected(
        template, trace, bound=bound, within=within
    )


@given(st.text("ac", max_size=12), st.integers(1, 3), st.integers(1, 5))
def test_absence_within_a_window(trace: str, count: int, steps: int) -> None:
    rule = rule_of("absence", count=count, within={"steps": steps})
    windows = (trace[start : start + steps + 1] for start in range(len(trace)))
    assert kept(rule, calls(trace)) is all(
        window.count("a") < count for window in windows
    )


def test_an_activity_that_is_both_sides() -> None:
    """The two sides may be one activity: a step is neither before nor after itself, but it occurs beside itself."""
    both = {"first": "a", "then": "a"}
    one, two = calls("a"), calls("aa")
    for template, alone, twice in (
        ("responded_existence", True, True),
        ("response", False, False),
        ("precedence", False, False),
        ("not_coexistence", False, False),
        ("not_succession", True, False),
    ):
        rule = Rule.model_validate({"id": "r", "template": template, **both})
        assert (kept(rule, one), kept(rule, two)) == (alone, twice), template


@pytest.mark.parametrize(
    ("among", "activity", "template", "holds"),
    [
        (None, {"tool": "look"}, "init", True),
        ("steps", {"tool": "look"}, "init", False),
        (None, {"role": "user"}, "init", True),
        (None, {"role": "assistant"}, "end", True),
        (None, {"tool": "book"}, "end", True),
        ("steps", {"tool": "book"}, "end", False),
        (None, {"state": "FINALIZE"}, "end", False),
    ],
)
def test_which_steps_count_follows_from_the_activity(
    among: str | None, activity: dict[str, str], template: str, holds: bool
) -> None:
    steps = [
        TraceStep(role="user", content="hello"),
        TraceStep(tool_name="look"),
        TraceStep(tool_name="book"),
        TraceStep(role="assistant", content="done"),
    ]
    more = {} if among is None else {"among": among}
    rule = Rule.model_validate(
        {"id": "r", "template": template, "activity": activity, **more}
    )
    assert kept(rule, steps) is holds


@pytest.mark.parametrize(
    "at",
    [
        "2026-01-01T10:00:00Z",
        1767261600,
        "2026-01-01T11:00:00+01:00",
        "2026-01-01 10:00:00",
    ],
)
def test_times_are_read_in_any_usual_form(at: str | float) -> None:
    steps = [
        TraceStep.model_validate({"tool_name": "a", "at": "2026-01-01T09:59:30Z"}),
        TraceStep.model_validate({"tool_name": "b", "timestamp": at}),
    ]
    assert kept(rule_of("response", within={"seconds": 30}), steps)
    assert not kept(rule_of("response", within={"seconds": 29}), steps)


@pytest.mark.parametrize("at", [None, "soon", float("1e300"), True, {}])
def test_without_a_time_seconds_cannot_be_counted(at: object) -> None:
    steps = [
        TraceStep(tool_name="a"),
        TraceStep.model_validate({"tool_name": "b", "at": at}),
    ]
    with pytest.raises(NoTime):
        kept(rule_of("response", within={"seconds": 1}), steps)


@pytest.mark.parametrize(
    "bad",
    [
        {"template": "response", "activity": "a"},
        {"template": "init", "first": "a", "then": "b"},
        {"template": "response", "first": "a", "then": "b", "count": 2},
        {"template": "choice", "first": "a", "then": "b", "same": ["k"]},
        {"template": "exactly", "activity": "a", "within": {"steps": 1}},
        {"template": "response", "first": "a", "then": "b", "within": {}},
        {"template": "no_such", "activity": "a"},
    ],
)
def test_rules_that_mean_nothing_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"template|takes|within"):
        Rule.model_validate({"id": "r", **bad})
