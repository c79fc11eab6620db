"""From a contract and the registry to a plan: which validators run, in which order, and which guard the gate.

Pure, and done once for each contract. What the contract asks for and no validator checks becomes a verdict of the plan
itself: `Skipped(not_configured)`, gating, so that the gate is undecided and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract, ValidatorChoice
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.validator import Stage, Validator
from judgemesh.contracts.verdicts import Verdict, not_configured
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.grading.soft_score import LOW_CODES

PLANNER: Final = "contract"
"""The name under which the plan itself gives verdicts."""
_SECTION_VALIDATORS: Final[Mapping[str, str]] = {
    "answer": "expected_answer",
    "evidence": "citations",
    "claims": "claims",
}
"""Sections of a contract that mean nothing without the validator that reads them."""
_STAGES: Final = tuple(Stage)


@dataclass(frozen=True, slots=True)
class PlannedValidator:
    """A validator as one contract runs it.

    gate: whether it guards the gate; None leaves that to the validator.
    strict: the deadline was set by the contract or for the run, and counts whatever the validator waits for.
        Otherwise time spent waiting for a judge, which has deadlines of its own, does not count.
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
    registry: ValidatorRegistry,
    *,
    base_dir: Path = Path(),
    timeout_s: float | None = None,
    also: Iterable[str] = (),
) -> GradingPlan:
    """Choose and order the validators for a contract.

    Args:
        contract: the contract.
        registry: the installed validators.
        base_dir: folder that relative paths of the contract start from.
        timeout_s: a deadline for every validator instead of its own; one in the contract takes precedence.
        also: names of validators to run beside those the contract chooses.

    Raises:
        ConfigError: a named validator is unknown or cannot be loaded.
    """
    choices = {choice.name: choice for choice in contract.validators}
    for name in also:
        choices.setdefault(name, ValidatorChoice(name=name))
    for name in choices:
        problem = unusable(name, registry)
        if problem is not None:
            raise ConfigError(problem, where=f"contract {contract.task_id!r}")
    chosen: list[PlannedValidator] = []
    for name, validator in registry.validators.items():
        choice = choices.get(name)
        if choice is not None and choice.enabled:
            chosen.append(_as_chosen(validator, choice, timeout_s))
        elif choice is None and validator.applies(contract):
            chosen.append(_as_default(validator, timeout_s))
    chosen.sort(key=_order)
    return GradingPlan(
        contract,
        contract.contract_version(),
        tuple(chosen),
        tuple(_preset(verdict) for verdict in _unchecked(contract, chosen)),
        base_dir,
    )


def unusable(name: str, registry: ValidatorRegistry) -> str | None:
    """Why a validator cannot be used by that name, in one line; None when it can."""
    if name in registry.validators:
        return None
    if name in registry.broken:
        return f"validator {name!r} cannot be loaded ({registry.broken[name]})"
    near = get_close_matches(name, [*registry.validators, *registry.broken], n=1)
    hint = "`judgemesh validators` lists what is installed"
    if near:
        hint = f"did you mean {near[0]!r}?"
    return f"no validator is called {name!r}; {hint}"


def _as_chosen(
    validator: Validator, choice: ValidatorChoice, timeout_s: float | None
) -> PlannedValidator:
    """A validator that the contract names."""
    deadline_s = choice.timeout_s or timeout_s
    return PlannedValidator(
        validator,
        choice.gate,
        deadline_s or validator.timeout_s,
        choice.args,
        strict=deadline_s is not None,
    )


def _as_default(validator: Validator, timeout_s: float | None) -> PlannedValidator:
    """A validator that applies to the contract without being named."""
    return PlannedValidator(
        validator,
        timeout_s=timeout_s or validator.timeout_s,
        strict=timeout_s is not None,
    )


def _order(planned: PlannedValidator) -> tuple[int, str]:
    """Cheap stages first, then by name."""
    validator = planned.validator
    return (_STAGES.index(validator.stage), validator.name)


def _unchecked(
    contract: EvalContract, chosen: list[PlannedValidator]
) -> Iterator[Verdict]:
    """One verdict for each thing the contract asks for that no chosen validator checks."""
    names = {planned.validator.name for planned in chosen}
    for section, name in _SECTION_VALIDATORS.items():
        if getattr(contract, section) is not None and name not in names:
            yield not_configured(
                section,
                f"the contract has `{section}`, and no validator {name!r} is installed to check it",
            )
    covered = _covered_codes(contract, chosen)
    for code in contract.named_codes():
        if code not in covered:
            yield not_configured(
                f"must_not_include:{code}",
                f"the contract forbids {code}, and no validator chosen by it checks for that; "
                "add the section that does",
            )


def _covered_codes(
    contract: EvalContract, chosen: Iterable[PlannedValidator]
) -> set[FailureCode]:
    """Codes that a validator looks for under the contract, that a criterion or rule names, or that scores give."""
    codes = set(LOW_CODES.values())
    for planned in chosen:
        codes |= planned.validator.codes_under(contract)
    for criterion in contract.criteria:
        if criterion.code is not None:
            codes.add(criterion.code)
    if contract.sop is not None:
        codes.update(rule.code for rule in contract.sop.rules)
    return codes


def _preset(verdict: Verdict) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=verdict,
        gating=True,
    )
