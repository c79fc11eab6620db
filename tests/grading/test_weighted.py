"""Named weighted scores of a contract: exact, an interval while something is open, and a class only where it is sure."""

from __future__ import annotations

import ast
import json
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh import validators
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped, Verdict
from judgemesh.contracts.weighted_score import weighted_from_json, weighted_to_json
from judgemesh.mesh.analysis.weighted import summarise
from judgemesh.mesh.analysis.weighted_scores import reweighed
from judgemesh.mesh.grading.contract_check.check import contract_set
from judgemesh.mesh.grading.weighted.check_names import KNOWN, addressable
from judgemesh.mesh.grading.weighted.definition import WeightedDefinition, faults_of
from judgemesh.mesh.grading.weighted.score import weigh, weighted_scores

KINDS: dict[bool | None, type[Verdict]] = {True: Pass, False: Fail, None: Abstain}


def row(
    check: str, holds: bool | None, *, validator: str = "criteria"
) -> ValidatorVerdict:
    verdict: Verdict = Abstain(check=check)
    if holds is not None:
        verdict = (
            Pass(check=check)
            if holds
            else Fail(check=check, codes=(FailureCode.UNKNOWN_FAILURE,))
        )
    return ValidatorVerdict(
        validator_name=validator,
        validator_version="1",
        validator_type="generator",
        verdict=verdict,
        gating=False,
    )


def contract(
    weighted: dict[str, Any], criteria: dict[str, float], metric: str = "quality"
) -> EvalContract:
    return EvalContract.model_validate(
        {
            "task_id": "t",
            "criteria": [
                {
                    "id": name,
                    "question": "Is it so?",
                    "metric": metric,
                    "weight": weight,
                }
                for name, weight in criteria.items()
            ],
            "scoring": {"weighted": {"quality": weighted}},
        }
    )


FOUR = {"a": 0.25, "b": 0.25, "c": 0.10, "d": 0.20, "e": 0.20}


def test_weights_add_up_exactly() -> None:
    spec = contract({}, FOUR)
    rows = [row(f"criterion:{name}", name != "e") for name in FOUR]
    (one,) = weighted_scores(rows, spec, Gate.PASS)
    assert (one.low, one.high, one.outcome) == (
        Fraction(4, 5),
        Fraction(4, 5),
        "successful_completion",
    )
    odd = {f"c{number}": 0.1 for number in range(10)}
    assert sum(odd.values()) != 1  # as floats; written as they are, they do
    (three,) = weighted_scores(
        [row(f"criterion:{name}", True) for name in odd], contract({}, odd), Gate.FAIL
    )
    assert three.low == 1
    assert (
        three.outcome == "graceful_failure"
    )  # the gate failed: the goal was not reached


def test_what_is_open_is_an_interval_and_no_failure() -> None:
    spec = contract({}, FOUR)
    rows = [row(f"criterion:{name}", None if name == "a" else True) for name in FOUR]
    (one,) = weighted_scores(rows, spec, Gate.PASS)
    assert (one.low, one.high) == (Fraction(3, 4), Fraction(1))
    assert one.outcome == "successful_completion"  # either way
    (undecided,) = weighted_scores(rows, spec, Gate.UNDECIDED)
    assert (undecided.goal_confirmed, undecided.failed_state, undecided.outcome) == (
        None,
        None,
        None,
    )
    (nobody,) = weighted_scores([], spec, Gate.PASS)
    assert (nobody.low, nobody.high) == (Fraction(0), Fraction(1))
    assert nobody.outcome is None
    assert [criterion.holds for criterion in nobody.criteria] == [None] * 5


def test_a_hard_failure_and_a_goal_of_its_own() -> None:
    spec = contract({"hard_failure_if": ["a"], "goal_confirmed_if": ["e"]}, FOUR)

    def outcome(**answers: bool | None) -> str | None:
        rows = [row(f"criterion:{name}", answers.get(name, True)) for name in FOUR]
        return weighted_scores(rows, spec, Gate.FAIL)[0].outcome

    assert outcome() == "successful_completion"
    assert outcome(a=False) == "hard_failure"
    assert outcome(a=None) is None
    assert outcome(e=False) == "graceful_failure"
    assert outcome(e=None) is None  # .8 or 1, and the goal reached or not


def test_checks_of_validators_are_criteria_too() -> None:
    checks = [
        {"id": "right_time", "validator": "required_fields", "weight": 0.4},
        {"id": "kept_rules", "validator": "sop", "check": "rule:*", "weight": 0.4},
    ]
    spec = contract({"checks": checks}, {"polite": 0.2})
    rows = [
        row("found", True, validator="required_fields"),
        row("rule:a[b]", True, validator="sop"),
        row("other", False, validator="sop"),
        row("criterion:polite", True),
    ]
    assert weighted_scores(rows, spec, Gate.PASS)[0].low == 1
    broken = [
        *rows,
        row("rule:c", False, validator="sop"),
        row("missing", None, validator="required_fields"),
    ]
    (one,) = weighted_scores(broken, spec, Gate.FAIL)
    assert (one.low, one.high) == (Fraction(1, 5), Fraction(3, 5))
    skipped = ValidatorVerdict(
        validator_name="sop",
        validator_version="1",
        validator_type="generator",
        verdict=Skipped(check="rule:a", reason="not_configured"),
        gating=True,
    )
    assert weighted_scores([skipped], spec, Gate.FAIL)[0].high == 1


@pytest.mark.parametrize(
    ("weighted", "criteria", "says"),
    [
        ({}, {}, "nothing feeds it: give criteria `metric: quality`"),
        ({}, {"a": 0.5, "b": 0.4}, "these sum to 0.9"),
        ({"normalise": False}, {"a": 1, "b": 1}, "these sum to 2"),
        (
            {"checks": [{"id": "a", "validator": "sop", "weight": 0.5}]},
            {"a": 0.5},
            "'a' appears twice",
        ),
        (
            {"hard_failure_if": ["z"]},
            {"a": 1},
            "'z' is no criterion or check; there is a",
        ),
        ({"goal_confirmed_if": ["z"]}, {"a": 1}, "'z' is no criterion or check"),
        ({"preset": "clarity"}, {"a": 1}, "'a' is no criterion of the preset"),
        (
            {"preset": "clarity"},
            {"is_concise": 1},
            "the preset asks for addresses_request",
        ),
        (
            {"preset": "clarity"},
            {"is_concise": 1},
            "leave out the weight of 'is_concise'",
        ),
    ],
)
def test_faults_are_named(
    weighted: dict[str, Any], criteria: dict[str, float], says: str
) -> None:
    spec = contract(weighted, criteria)
    assert says in " | ".join(fault.message for fault in faults_of(spec, "quality"))
    with pytest.raises(ContractError, match=r"scoring\.weighted\.quality"):
        contract_set([spec])
    with pytest.raises(ValueError, match=r"scoring\.weighted\.quality"):
        weighted_scores([], spec, Gate.PASS)


def test_a_name_that_is_taken_and_a_preset_that_is_whole() -> None:
    taken = EvalContract.model_validate(
        {"task_id": "t", "scoring": {"weighted": {"readability": {}}}}
    )
    assert "is a score of its own" in next(faults_of(taken, "readability")).message
    names = (
        "detected_error",
        "requested_clarification",
        "actionable_message",
        "no_hallucination",
        "no_crash",
    )
    recovery = EvalContract.model_validate(
        {
            "task_id": "t",
            "criteria": [
                {"id": name, "question": "Is it so?", "metric": "rte"} for name in names
            ],
            "scoring": {"weighted": {"rte": {"preset": "recovery"}}},
        }
    )
    (one,) = weighted_scores(
        [row(f"criterion:{name}", name == "detected_error") for name in names],
        recovery,
        Gate.FAIL,
    )
    assert (one.low, one.normalised) == (Fraction(6, 19), True)


ANSWER = st.none() | st.booleans()


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 99), min_size=1).flatmap(
        lambda weights: st.tuples(
            st.just(weights), st.fixed_dictionaries(dict.fromkeys(weights, ANSWER))
        )
    ),
    ANSWER,
    ANSWER,
    st.booleans(),
)
def test_interval_and_class_hold_however_the_open_answers_fall(
    weighed: tuple[dict[str, int], dict[str, bool | None]],
    goal: bool | None,
    failed: bool | None,
    hard: bool,
) -> None:
    weights, answers = weighed
    first = next(iter(weights))
    definition = WeightedDefinition(
        name="x",
        weights={name: Decimal(weight) for name, weight in weights.items()},
        normalise=True,
        hard_failure_if=(first,) if hard else (),
    )
    one = weigh(definition, answers, goal_confirmed=goal, failed_state=failed)
    unknown = [name for name, holds in answers.items() if holds is None]
    ends: list[Fraction] = []
    for guess in product((True, False), repeat=len(unknown) + 2):
        settled = {**answers, **dict(zip(unknown, guess[2:], strict=True))}
        sure = weigh(
            definition,
            settled,
            goal_confirmed=guess[0] if goal is None else goal,
            failed_state=guess[1] if failed is None else failed,
        )
        assert sure.low == sure.high
        assert one.low <= sure.low <= one.high
        assert one.outcome in (None, sure.outcome)
        ends.append(sure.low)
    assert (min(ends), max(ends)) == (one.low, one.high)
    total = summarise("x", [("t", one), ("u", one)], seed=0)
    assert (total.rate.low, total.rate.high) == (one.low, one.high)
    assert total.ci is not None
    assert total.ci.low <= float(one.low) <= float(one.high) <= total.ci.high


@pytest.mark.parametrize(
    ("validator", "good", "bad"),
    [
        ("spending", "cost", "costs"),
        ("state", "side_*", "sideeffects"),
        ("citations", "citation:*", "citaton:*"),
        ("claims", "contradicted_*", "claims_are_fine"),
        ("execution", "action_not_executed", "action_executed"),
        ("plan_quality", "ordering", "order"),
        ("tool_selection", "picks", "first_picks"),
        ("permissions", "permissions", "permission"),
        ("limits", "limits", "limit:3"),
        ("output_format", "format", "json"),
        ("forbidden_content", "forbidden", "secret"),
        ("expected_answer", "expected:total", "total"),
        ("documents", "document:/docs/a", "docs/a"),
        ("replay", "replay", "rerun"),
        ("scorers", "scorer:exact", "exact"),
        ("completion", "completion", "complete"),
        ("criteria", "criterion:a", "a"),
        ("constraints", "criterion:skill:1", "criterion:skill:2"),
    ],
)
def test_a_check_that_matches_nothing_is_a_fault_for_every_validator(
    validator: str, good: str, bad: str
) -> None:
    for name, expected in ((good, 0), (bad, 1)):
        checks = [{"id": "x", "validator": validator, "check": name, "weight": 1}]
        spec = EvalContract.model_validate(
            {
                "task_id": "t",
                "criteria": [{"id": "a", "question": "Is it polite?"}],
                "sop": {"skill": ["be brief"]},
                "scoring": {"weighted": {"w": {"checks": checks}}},
            }
        )
        assert len(list(faults_of(spec, "w"))) == expected, name
    foreign = [{"id": "x", "validator": "own", "check": bad, "weight": 1}]
    spec = EvalContract.model_validate(
        {"task_id": "t", "scoring": {"weighted": {"w": {"checks": foreign}}}}
    )
    assert not list(faults_of(spec, "w"))


def test_the_checks_of_every_installed_validator_are_known() -> None:
    names = {point.name for point in entry_points(group="judgemesh.validators")}
    assert names == KNOWN


def test_the_known_checks_are_those_of_the_code() -> None:
    """Every check that a validator is seen to write as a constant is one that a contract may name."""
    folder = Path(validators.__path__[0])
    spec = EvalContract.model_validate({"task_id": "t"})
    for validator in KNOWN:
        own = folder / validator
        files = sorted(own.rglob("*.py")) if own.is_dir() else [own.with_suffix(".py")]
        written = {
            keyword.value.value
            for file in files
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.Call)
            for keyword in node.keywords
            if keyword.arg == "check" and isinstance(keyword.value, ast.Constant)
        }
        known = addressable(spec, validator) or []
        unknown = [
            name
            for name in written
            if not any(fnmatchcase(str(name), one) for one in known)
        ]
        assert not unknown, (validator, unknown)


def test_the_rules_of_a_score_survive_the_report_and_a_what_if() -> None:
    spec = contract(
        {
            "thresholds": {"success": 0.9, "graceful": 0.2},
            "bands": {"good": 0.9, "fair": 0.3, "poor": 0},
            "hard_failure_if": ["a"],
        },
        {"a": 0.5, "b": 0.5},
    )
    rows = [row("criterion:a", True), row("criterion:b", False)]
    (stored,) = weighted_scores(rows, spec, Gate.PASS)
    assert stored.outcome == "graceful_failure"
    back = weighted_from_json(json.loads(json.dumps(weighted_to_json(stored))))
    assert back == stored
    other = WeightedDefinition(
        name="w", weights={"a": Decimal("0.9"), "b": Decimal("0.1")}
    )
    ((_, again),) = reweighed({"w": [("t", back)]}, other)["w (what if)"]
    assert (again.outcome, again.bands) == ("successful_completion", stored.bands)
    assert again.thresholds == (Fraction(9, 10), Fraction(1, 5))
    failed = [row("criterion:a", False), row("criterion:b", True)]
    (stored,) = weighted_scores(failed, spec, Gate.PASS)
    ((_, again),) = reweighed({"w": [("t", stored)]}, other)["w (what if)"]
    assert again.outcome == "hard_failure"
    summary = summarise("w", [("t", back)] * 40, seed=1)
    assert (summary.point_band, summary.bands) == ("fair", stored.bands)
    assert summarise("w", [("t", back), ("u", again)], seed=1).bands_differ is False
    old = {
        key: value
        for key, value in weighted_to_json(back).items()
        if key not in ("thresholds", "must_hold", "bands")
    }
    assert weighted_from_json(old).thresholds == (Fraction(3, 4), Fraction(1, 2))


@pytest.mark.parametrize("bands", [{"good": 0.9}, {"a": 0, "b": 0}, {"a": 1.1, "b": 0}])
def test_bands_label_every_mean(bands: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"band|less than or equal"):
        contract({"bands": bands}, {"a": 1})
