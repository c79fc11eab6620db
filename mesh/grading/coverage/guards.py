"""The coverage table of a contract: everything it names, and the check that looks for it under this contract.

Pure. Declaring a code is not looking for it: a validator counts where it runs under the contract, and for a code only
where `Validator.codes_under` has it and its verdicts guard the gate. A thing nobody looks for is an error of
`contract check`, and a gating `Skipped(not_configured)` of every result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.grading.coverage.codes import code_rows, text_rows
from judgemesh.mesh.grading.coverage.places import (
    EVERYWHERE,
    PLACES,
    SECTIONS,
    SectionPlace,
)
from judgemesh.mesh.grading.coverage.rows import (
    Coverage,
    Runners,
    by,
    found,
    looked,
    unlooked,
)
from judgemesh.mesh.inputs.problems import dotted

_NAMES: Final = ("id", "name", "tool", "kind", "path", "subject", "rule", "type")


def coverage_of(contract: EvalContract, runners: Runners) -> tuple[Coverage, ...]:
    """The rows of a contract, sections first."""
    codes = tuple(code_rows(contract, runners))
    return (
        *_contract(contract, runners),
        *_sections(contract, runners, codes),
        *_places(contract, runners),
        *codes,
        *text_rows(contract, runners),
    )


def empty_sections(contract: EvalContract) -> Iterator[SectionPlace]:
    """The sections that are written down and ask for nothing."""
    for place in SECTIONS:
        for _, section in found(contract, place.keys):
            if not place.asks(section, contract):
                yield place


# --- the contract ---


def _contract(contract: EvalContract, runners: Runners) -> Iterator[Coverage]:
    """A contract under which only the check that runs everywhere runs, and that does not ask for it."""
    if runners.validators.keys() - {EVERYWHERE} or _asks_everywhere(contract, runners):
        return
    row = Coverage(path=("task_id",), what=f"task {contract.task_id!r}")
    why = "the contract checks nothing, so any answer would pass"
    remedy = f"say what a result must hold, or write `validators: [{EVERYWHERE}]` to accept any answer"
    yield unlooked(row, check="contract", why=why, remedy=remedy)


def _asks_everywhere(contract: EvalContract, runners: Runners) -> bool:
    """Whether the contract names the check that runs everywhere or one of its codes, or scores it."""
    weighted = contract.scoring.weighted.values()
    scored = {check.validator for section in weighted for check in section.checks}
    if EVERYWHERE in runners.named or EVERYWHERE in scored:
        return True
    running = runners.validators.get(EVERYWHERE)
    if running is None:
        return False
    return not running.codes_under(contract).isdisjoint(contract.named_codes())


# --- sections ---


def _sections(
    contract: EvalContract, runners: Runners, codes: Iterable[Coverage]
) -> Iterator[Coverage]:
    """An empty section still serves where a named code is looked for by its validator."""
    serving = {name for row in codes for name in row.checks}
    for place in SECTIONS:
        for path, section in found(contract, place.keys):
            row = Coverage(path=path, what=f"section `{place.path}`")
            yield _section(row, place, section, contract, runners, serving)


def _section(
    row: Coverage,
    place: SectionPlace,
    section: Any,
    contract: EvalContract,
    runners: Runners,
    serving: AbstractSet[str],
) -> Coverage:
    if not place.asks(section, contract) and serving.isdisjoint(place.checks):
        why = "the section is empty, and asks for nothing"
        return unlooked(row, check=place.path, why=why, remedy=place.remedy)
    if place.has_parts:
        return looked(row, ("its parts",))
    return by(row, runners.of(place.checks, place.codes), place.checks, place.path)


# --- named things ---


def _places(contract: EvalContract, runners: Runners) -> Iterator[Coverage]:
    for place in PLACES:
        for path, value in found(contract, place.keys):
            row = Coverage(path=path, what=f"{place.kind} {_name(value)}".rstrip())
            checks = runners.of(place.checks, place.codes)
            yield by(row, checks, place.checks, dotted(path))


def _name(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, dict):
        return repr(cast("dict[str, object]", value).get("type", ""))
    for key in _NAMES:
        name = getattr(value, key, None)
        if isinstance(name, str):
            return repr(name)
    return ""
