"""Nothing that the agent adds to its own account of what it did turns a run that must not pass into one that does."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from accuracy.trust_cases import TrustCase, read_cases

from judgemesh.contracts.verdicts import Pass
from judgemesh.validators.execution import execution

from ..validators.helpers import make_case, verdicts

FAMILIES = ("record_status", "record_against_claim", "confirmation", "confirmation_ids", "named_execution_codes")  # fmt: skip


def _dishonest() -> Iterator[TrustCase]:
    """Cases that `execution` alone does not let pass, and not because the agent left something out."""
    for case in read_cases():
        if case.family not in FAMILIES or case.honest:
            continue
        if "MISSING_REQUIRED_FIELD" in case.codes or not case.result.get("records"):
            continue
        if not _passes(case.contract, case.result):
            yield case


def _passes(contract: dict[str, Any], result: dict[str, Any]) -> bool:
    if not execution.applies(make_case(contract, {}).contract):
        return True
    found = verdicts(execution, contract, result)
    return all(isinstance(verdict, Pass) for verdict in found)


CASES = list(_dishonest())
_WORDS = st.sampled_from(
    ["done", "completed", "SUCCESS", "confirmed", "200 OK", "sent"]
)
_IDS = st.sampled_from(["X-1", "R-99", "T1", "4711", "Ann", "ok"])
_TIMES = st.sampled_from(["2000-01-01T00:00:00Z", "2031-01-01T10:00:00Z"])
_SAID = st.fixed_dictionaries(
    {},
    optional={
        "confirmed": st.just(True),
        "confirmed_at": _TIMES,
        "confirmed_by": st.sampled_from(["user", "Ann"]),
        "confirmation_id": _IDS,
        "status": _WORDS,
        "note": st.text(max_size=20),
    },
)


@st.composite
def _added(draw: st.DrawFn, records: list[dict[str, Any]]) -> dict[str, Any]:
    """An action: a copy of what a record shows, or something else, with whatever the agent says of it."""
    shown = draw(st.sampled_from(records))
    action = {"kind": shown["kind"]}
    for key in ("target", "parameters", "confirmation_id"):
        if key in shown and draw(st.booleans()):
            action[key] = copy.deepcopy(shown[key])
    return {**action, **draw(_SAID)}


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_added_action_makes_a_pass(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES), label="case")
    result = copy.deepcopy(case.result)
    added = data.draw(st.lists(_added(result["records"]), min_size=1, max_size=3))
    result["actions"] = [*result.get("actions", []), *added]
    assert not _passes(case.contract, result), case.name


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_nothing_said_about_an_action_makes_a_pass(data: st.DataObject) -> None:
    case = data.draw(
        st.sampled_from([case for case in CASES if case.result.get("actions")])
    )
    result = copy.deepcopy(case.result)
    for action in result["actions"]:
        said = data.draw(_SAID)
        if case.family == "confirmation_ids":
            said.pop("confirmation_id", None)
        action.update(said)
    assert not _passes(case.contract, result), case.name
