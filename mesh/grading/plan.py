"""From a contract and the registry to a plan: which validators run, in which order, and which guard the gate.

Pure, and done once for each contract. What the contract asks for and no validator checks becomes a verdict of the plan
itself: `Skipped(not_configured)`, gating, so that the gate is undecided and says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.validator import Stage, Validator
from judgemesh.contracts.verdicts import not_configured
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.coverage.codes import gates
from judgemesh.mesh.grading.coverage.guards import coverage_of, empty_sections
from judgemesh.mesh.grading.coverage.rows import Coverage, Runners
from judgemesh.mesh.grading.plugins import ValidatorRegistry

if TYPE_CHECKING:
    from judgemesh.contracts.sections.choice import ValidatorChoice

PLANNER: Final = "contract"
"""The name under which the plan itself gives verdicts."""
_STAGES: Final = tuple(Stage)
_NO_ARGUMENTS: Final[Mapping[str, Any]] = {}


class PlannedValidator(NamedTuple):
    """A validator as one contract runs it.

    gate: whether it guards the gate; None leaves that to the validator.
    strict: the deadline was set by the contract or for the run, and counts whatever the validator waits for.
        Otherwise time spent waiting for a judge, which has deadlines of its own, does not count.
    """

    validator: Validator
    gate: bool | None = None
    timeout_s: float = 60.0
    args: Mapping[str, Any] = _NO_ARGUMENTS
    strict: bool = False

    @property
    def guards(self) -> bool:
        """Whether its verdicts can fail the gate."""
        return self.validator.gate if self.gate is None else self.gate


class GradingPlan(NamedTuple):
    """What grading under one contract means.

    contract: as it is graded. preset: verdicts that hold for every result. coverage: what the contract names, and the
    checks that look for it.
    """

    contract: EvalContract
    contract_version: str
    validators: tuple[PlannedValidator, ...]
    preset: tuple[ValidatorVerdict, ...] = ()
    base_dir: Path = Path()
    coverage: tuple[Coverage, ...] = ()


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
    choices = _choices(contract, also)
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
    chosen = _without_empty(contract, chosen, choices)
    coverage = coverage_of(contract, runners_of(chosen, choices))
    return GradingPlan(
        _gating(contract),
        contract.contract_version(),
        tuple(chosen),
        tuple(_preset(row) for row in coverage if not row.is_looked_for),
        base_dir,
        coverage,
    )


def _choices(contract: EvalContract, also: Iterable[str]) -> dict[str, ValidatorChoice]:
    """The validators that the contract names, and those of `also` that it does not name."""
    named = {choice.name: choice for choice in contract.validators}
    added = [name for name in also if name not in named]
    if added:
        from judgemesh.contracts.sections.choice import ValidatorChoice

        named |= {name: ValidatorChoice(name=name) for name in added}
    return named


def unusable(name: str, registry: ValidatorRegistry) -> str | None:
    """Why a validator cannot be used by that name, in one line; None when it can."""
    if name in registry.validators:
        return None
    if name in registry.broken:
        return f"validator {name!r} cannot be loaded ({registry.broken[name]})"
    near = nearest(name, [*registry.validators, *registry.broken])
    hint = "`judgemesh validators` lists what is installed"
    if near:
        hint = f"did you mean {near!r}?"
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


def _without_empty(
    contract: EvalContract, chosen: list[PlannedValidator], named: Collection[str]
) -> list[PlannedValidator]:
    """Without the validators whose only section is empty: they would pass, and score, what nobody asked for."""
    idle: set[str] = set()
    for place in empty_sections(contract):
        idle.update(place.checks)
    needed = set(contract.named_codes())
    kept: list[PlannedValidator] = []
    for planned in chosen:
        name = planned.validator.name
        serves = not needed.isdisjoint(planned.validator.codes_under(contract))
        if name not in idle or name in named or serves:
            kept.append(planned)
    return kept


def _gating(contract: EvalContract) -> EvalContract:
    """The contract as it is graded: a criterion that leaves `gate` open is a gate where its code is forbidden."""
    criteria = [
        criterion.model_copy(update={"gate": gates(criterion, contract)})
        for criterion in contract.criteria
    ]
    if criteria == contract.criteria:
        return contract
    return contract.model_copy(update={"criteria": criteria})


def runners_of(
    chosen: Iterable[PlannedValidator], named: Collection[str] = ()
) -> Runners:
    """The validators of a plan, for the coverage table."""
    validators: dict[str, Validator] = {}
    guarding: set[str] = set()
    for planned in chosen:
        validators[planned.validator.name] = planned.validator
        if planned.guards:
            guarding.add(planned.validator.name)
    return Runners(validators, frozenset(named), frozenset(guarding))


def _preset(row: Coverage) -> ValidatorVerdict:
    """The verdict of a thing that nobody looks for."""
    diagnostic = f"the contract names {row.what}: {row.why}"
    if row.remedy:
        diagnostic += f"; {row.remedy}"
    return ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=not_configured(row.check, diagnostic),
        gating=True,
    )
