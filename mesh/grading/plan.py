"""Contract + registry -> plan: which validators run, in which order, what they guard. Pure, and done once per contract.

A check that the contract asks for and nobody can make becomes a verdict here and now: `Skipped(not_configured)`,
gating, so that the gate is undecided and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract, ValidatorChoice
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.validator import Stage, Validator
from judgemesh.contracts.verdicts import Reason, Skipped
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.plugins import Registry
from judgemesh.mesh.grading.soft_score import LOW_CODES

PLANNER: Final = "contract"

SECTION_VALIDATORS: Final[
    tuple[tuple[str, str, Callable[[EvalContract], bool]], ...]
] = (
    ("evidence", "citations", lambda contract: contract.evidence is not None),
    ("claims", "claims", lambda contract: contract.claims is not None),
)
"""Sections that mean nothing without the validator that reads them."""

_STAGES: Final = tuple(Stage)


@dataclass(frozen=True, slots=True)
class PlannedValidator:
    """A validator as one contract wants it run.

    strict: the deadline was asked for, by the contract or for the run, and holds whatever the validator waits for.
        Otherwise the time it waits for a judge, who has deadlines of its own, does not count.
    """

    validator: Validator
    gate: bool | None = None
    timeout_s: float = 60.0
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    strict: bool = False


@dataclass(frozen=True, slots=True)
class GradingPlan:
    """What grading under one contract means. `preset` are verdicts that hold for every result."""

    contract: EvalContract
    contract_version: str
    validators: tuple[PlannedValidator, ...]
    preset: tuple[ValidatorVerdict, ...] = ()
    base_dir: Path = Path()


def compile_plan(
    contract: EvalContract,
    registry: Registry,
    *,
    base_dir: Path = Path(),
    timeout_s: float | None = None,
    also: Iterable[str] = (),
) -> GradingPlan:
    """Choose and order the validators for a contract.

    Args:
        contract: the contract.
        registry: what is installed.
        base_dir: folder that relative paths of the contract start from.
        timeout_s: a deadline for every validator, over their own; the contract's word goes before it.
        also: names of validators to run beside those the contract chooses.

    Raises:
        ConfigError: a named validator is unknown or cannot be loaded.
    """
    choices = {choice.name: choice for choice in contract.validators}
    for name in also:
        choices.setdefault(name, ValidatorChoice(name=name))
    for name in choices:
        if (problem := unusable(name, registry)) is not None:
            raise ConfigError(problem, where=f"contract {contract.task_id!r}")
    chosen = [
        _planned(validator, choices.get(name), timeout_s)
        for name, validator in registry.validators.items()
        if _selected(validator, choices.get(name), contract)
    ]
    chosen.sort(
        key=lambda planned: (
            _STAGES.index(planned.validator.stage),
            planned.validator.name,
        )
    )
    return GradingPlan(
        contract,
        contract.contract_version(),
        tuple(chosen),
        tuple(_unchecked(contract, chosen)),
        base_dir,
    )


def unusable(name: str, registry: Registry) -> str | None:
    """Why a validator cannot be used by that name, in one line; None when it can."""
    if name in registry.validators:
        return None
    if name in registry.broken:
        return f"validator {name!r} cannot be loaded ({registry.broken[name]})"
    near = get_close_matches(name, [*registry.validators, *registry.broken], n=1)
    hint = (
        f"did you mean {near[0]!r}?"
        if near
        else "`judgemesh validators` lists what is installed"
    )
    return f"no validator is called {name!r}; {hint}"


def _selected(
    validator: Validator, choice: ValidatorChoice | None, contract: EvalContract
) -> bool:
    return validator.applies(contract) if choice is None else choice.enabled


def _planned(
    validator: Validator, choice: ValidatorChoice | None, timeout_s: float | None
) -> PlannedValidator:
    gate, asked, args = (
        (None, timeout_s, dict[str, Any]())
        if choice is None
        else (choice.gate, choice.timeout_s or timeout_s, choice.args)
    )
    return PlannedValidator(
        validator, gate, asked or validator.timeout_s, args, strict=asked is not None
    )


def _unchecked(
    contract: EvalContract, chosen: list[PlannedValidator]
) -> Iterable[ValidatorVerdict]:
    """One gating verdict for each thing the contract asks for that no chosen validator looks at."""
    names = {planned.validator.name for planned in chosen}
    for section, name, present in SECTION_VALIDATORS:
        if present(contract) and name not in names:
            yield _skipped(
                section,
                f"the contract has `{section}`, and no validator {name!r} is installed to check it",
            )
    covered = _covered(contract, chosen)
    for code in contract.named_codes():
        if code not in covered:
            message = f"the contract forbids {code}, and no validator chosen by it checks for that; add the section that does"  # noqa: E501
            yield _skipped(f"must_not_include:{code}", message)


def _covered(
    contract: EvalContract, chosen: Iterable[PlannedValidator]
) -> set[FailureCode]:
    """Codes that somebody looks for: declared by a validator, named by a criterion or rule, or computed from scores."""
    codes = {code for planned in chosen for code in planned.validator.codes}
    codes.update(
        criterion.code for criterion in contract.criteria if criterion.code is not None
    )
    codes.update(rule.code for rule in (contract.sop.rules if contract.sop else []))
    codes.update(LOW_CODES.values())
    return codes


def _skipped(check: str, message: str) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=Skipped(check=check, reason=Reason.NOT_CONFIGURED, diagnostic=message),
        gating=True,
    )
