"""Contracts, read and checked: faults raise, and what deserves a look before grading becomes a warning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExpectedChange
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.grading.contract_faults import contract_faults
from judgemesh.mesh.grading.plan import GradingPlan, compile_plan, unusable
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.grading.weighted_definition import faults_of
from judgemesh.mesh.inputs import contracts as files
from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract, read_contracts

_SAYS_NOTHING = {"task_id", "task_name", "version", "family", "input"}


def load_contracts(paths: Sequence[Path]) -> ContractSet:
    """Read and check contract files and folders.

    Raises:
        ContractError: with every fault of every file in `problems`.
    """
    return read_contracts(paths, contract_faults)


def contract_set(
    contracts: Iterable[EvalContract], *, base_dir: Path = Path()
) -> ContractSet:
    """A checked set of contracts made in code.

    Raises:
        ContractError: two contracts have the same task id, or a weighted score of one has a fault.
    """
    checked = files.contract_set(contracts, base_dir=base_dir)
    for loaded in checked.contracts:
        contract = loaded.contract
        for name in contract.scoring.weighted:
            fault = next(faults_of(contract, name), None)
            if fault is not None:
                raise ContractError(
                    f"{contract.task_id}: scoring.weighted.{name}: {fault.message}"
                )
    return checked


def check_contracts(contracts: ContractSet, registry: ValidatorRegistry) -> list[str]:
    """Warnings before grading, one line each; each line says where.

    Raises:
        ContractError: a contract names a validator that is not installed or cannot be loaded.
    """
    warnings: list[str] = []
    problems: list[str] = []
    for loaded in contracts.contracts:
        unknown = list(_unusable_validators(loaded, registry))
        problems.extend(unknown)
        if not unknown:
            warnings.extend(_warnings(loaded, registry))
    if problems:
        raise ContractError(problems[0], problems=tuple(problems))
    return warnings


def _unusable_validators(
    loaded: LoadedContract, registry: ValidatorRegistry
) -> Iterator[str]:
    for index, choice in enumerate(loaded.contract.validators):
        problem = unusable(choice.name, registry)
        if problem is not None:
            where = loaded.locate(("validators", index))
            yield f"{where}: validators[{index}]: {problem}"


def _warnings(loaded: LoadedContract, registry: ValidatorRegistry) -> Iterator[str]:
    contract = loaded.contract
    plan = compile_plan(contract, registry, base_dir=loaded.base_dir)
    where = f"{loaded.where}: {contract.task_id}"
    for row in plan.preset:
        yield f"{where}: {row.verdict.diagnostic}; its results can only be undecided"
    if _vacuous(contract):
        yield (
            f"{where}: an execution is required and no change is expected; "
            "a pass would rest on nothing: undecided"
        )
    for warning in _undecidable_checks(contract, plan):
        yield f"{where}: {warning}"
    if not _gates(plan) or not _asks(contract):
        yield f"{where}: the contract asks for nothing that could fail"


def _undecidable_checks(contract: EvalContract, plan: GradingPlan) -> Iterator[str]:
    """Checks of a weighted score whose validator does not run."""
    running = {planned.validator.name for planned in plan.validators}
    for name, section in contract.scoring.weighted.items():
        for check in section.checks:
            if check.validator not in running:
                yield (
                    f"scoring.weighted.{name}: no validator {check.validator!r} runs under this contract; "
                    f"{check.id!r} can never be decided"
                )


def _gates(plan: GradingPlan) -> bool:
    """Whether a validator of the plan guards the gate."""
    return any(
        planned.gate is not False and planned.validator.gate
        for planned in plan.validators
    )


def _asks(contract: EvalContract) -> bool:
    """Whether the contract has a section that asks for something."""
    return bool(
        contract.criteria
        or contract.fields
        or contract.model_fields_set - _SAYS_NOTHING
    )


def _vacuous(contract: EvalContract) -> bool:
    """Whether the contract requires an execution and expects no change of state (SPEC section 5)."""
    state, execution = contract.state, contract.execution
    if state is None or not contract.success_criteria.execution_result.required:
        return False
    if state.documents or (execution is not None and execution.expected):
        return False
    return all(_no_op(change) for change in state.expected)


def _no_op(change: ExpectedChange) -> bool:
    both_given = {"before", "after"} <= change.model_fields_set
    return both_given and bool(change.before == change.after)
