"""Rows of the coverage table for what must not be: failure codes, and forbidden text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.grading.coverage.places import EACH
from judgemesh.mesh.grading.coverage.rows import (
    Coverage,
    Runners,
    by,
    found,
    looked,
    unlooked,
)
from judgemesh.mesh.grading.soft_score import LOW_CODES
from judgemesh.mesh.inputs.problems import KeyPath, dotted

if TYPE_CHECKING:
    from judgemesh.contracts.sections.criterion import Criterion

_FORBIDDEN: Final[tuple[tuple[str, ...], ...]] = (
    ("success_criteria", "must_not_include"),
    ("success_criteria", "execution_result", "must_not_include"),
)
_METRIC_OF: Final = {code: metric for metric, code in LOW_CODES.items()}


def code_rows(contract: EvalContract, runners: Runners) -> Iterator[Coverage]:
    """The failure codes that the contract forbids, or makes gates."""
    for path, entry in _entries(contract):
        code = parse_code(entry)
        if code is not None:
            yield _code(path, code, f"must_not_include:{code}", contract, runners)
    for code, effect in contract.outcome.effects.items():
        if effect == "gate":
            path = ("outcome", "effects", code.value)
            yield _code(path, code, f"outcome.effects.{code}", contract, runners)


def _code(
    path: KeyPath,
    code: FailureCode,
    check: str,
    contract: EvalContract,
    runners: Runners,
) -> Coverage:
    row = Coverage(path=path, what=f"code {code}")
    checks = tuple(dict.fromkeys(_code_checks(code, contract, runners)))
    if checks:
        return looked(row, checks)
    return unlooked(
        row,
        check=check,
        why=f"no check that guards the gate looks for {code} under this contract",
        remedy="add the section that does, or a gating criterion with this `code`",
    )


def _code_checks(
    code: FailureCode, contract: EvalContract, runners: Runners
) -> Iterator[str]:
    if code in _METRIC_OF:
        yield from feeding(_METRIC_OF[code].value, contract, runners)
        return
    for name in sorted(runners.guarding):
        if name != "criteria" and code in runners.validators[name].codes_under(
            contract
        ):
            yield name
    if "criteria" in runners.guarding:
        for criterion in contract.criteria:
            if criterion.code is code and gates(criterion, contract):
                yield f"criteria ({criterion.id})"


def feeding(metric: str, contract: EvalContract, runners: Runners) -> Iterator[str]:
    """The checks that feed a sub-score under a contract."""
    for name, validator in sorted(runners.validators.items()):
        if validator.metric == metric:
            yield name
    if "criteria" in runners.validators:
        for criterion in contract.criteria:
            if criterion.metric == metric:
                yield f"criteria ({criterion.id})"


def gates(criterion: Criterion, contract: EvalContract) -> bool:
    """Whether a criterion guards the gate: as it says, else where the contract forbids its code."""
    if "gate" in criterion.model_fields_set or criterion.code is None:
        return criterion.gate
    moved = contract.outcome.effects.get(criterion.code)
    return moved == "gate" or criterion.code in contract.named_codes()


def text_rows(contract: EvalContract, runners: Runners) -> Iterator[Coverage]:
    """The texts that the contract forbids, and what only looks like a code."""
    for path, entry in _entries(contract):
        if parse_code(entry) is not None:
            continue
        from judgemesh.mesh.grading.coverage.near_codes import near_code

        row = Coverage(path=path, what=f"forbidden text {entry!r}")
        near = near_code(entry)
        if near is not None:
            why = f"looks like the name of a failure code, and is none; did you mean {near}?"
            yield unlooked(row, check=dotted(path), why=why, remedy=f"write {near}")
            continue
        wanted = ("forbidden_content",)
        codes = (FailureCode.SYSTEM_PROMPT_VIOLATION,)
        yield by(row, runners.of(wanted, codes), wanted, dotted(path))


def _entries(contract: EvalContract) -> Iterator[tuple[KeyPath, str]]:
    for path in _FORBIDDEN:
        for at, entry in found(contract, (*path, EACH)):
            if isinstance(entry, str):
                yield at, entry
