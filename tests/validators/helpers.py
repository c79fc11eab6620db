"""Short ways to a case, and to what a validator says about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Answer, Need
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Validator
from judgemesh.contracts.verdicts import Verdict, codes_of
from judgemesh.mesh.state.evidence import changes_of
from judgemesh.mesh.testing.drive import drive


def make_case(
    contract: Mapping[str, Any], result: Mapping[str, Any], *, judge: bool = False
) -> Case:
    """A case from the two documents a user writes."""
    agreed = EvalContract.model_validate({"task_id": "t", **contract})
    run = AgentResult.model_validate({"result_id": "r", "task_id": "t", **result})
    return Case(
        result=run, contract=agreed, changes=changes_of(run, Path()), judge=judge
    )


def verdicts(
    validator: Validator,
    contract: Mapping[str, Any],
    result: Mapping[str, Any],
    answers: Callable[[Need], Answer] | Sequence[Answer] | None = None,
) -> list[Verdict]:
    """What the validator says; with `answers` there is a judge. At least one verdict, always."""
    found = drive(
        validator, make_case(contract, result, judge=answers is not None), answers or ()
    ).verdicts
    assert found
    return found


def kinds(found: Sequence[Verdict]) -> list[str]:
    """The kinds, in order of the alphabet."""
    return sorted(verdict.kind for verdict in found)


def codes(found: Sequence[Verdict]) -> set[FailureCode]:
    """All codes."""
    return {code for verdict in found for code in codes_of(verdict)}


def diagnostics(found: Sequence[Verdict]) -> str:
    """All diagnostics as one text."""
    return "\n".join(verdict.diagnostic for verdict in found)


def refs(found: Sequence[Verdict]) -> list[str]:
    """All evidence references."""
    return [ref for verdict in found for ref in verdict.evidence_refs]


def nested(depth: int) -> dict[str, Any]:
    """An object nested `depth` deep."""
    root: dict[str, Any] = {}
    here = root
    for _ in range(depth):
        here["a"] = {}
        here = here["a"]
    here["drug_name"] = "x"
    return root
