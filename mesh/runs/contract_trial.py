"""Contracts tried on results: which of their names never occur, so that the rule about them can never speak."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.expectations import FieldSpec
from judgemesh.contracts.text.literal_search import fits_glob
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.validator import Case
from judgemesh.mesh.grading.case.case import prepare
from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract
from judgemesh.mesh.inputs.problems import dotted
from judgemesh.mesh.inputs.results import Accepted, read_results
from judgemesh.mesh.runs.contract_names import Named, names_of

_CUTOFF: Final = 0.7
_MAX_DEPTH: Final = 12


@dataclass(slots=True)
class Trial:
    """What the results of one contract hold, and the names of the contract that none of them has."""

    loaded: LoadedContract
    results: int = 0
    traces: int = 0
    unread_traces: int = 0
    seen: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    met: Counter[Named] = field(default_factory=Counter[Named])

    def unmet(self, *, misspelt: bool = False) -> Iterator[str]:
        """One line for each name that never occurs: where it stands, how often was looked, what is nearest.

        misspelt: only names that nearly occur.
        """
        for named in names_of(self.loaded.contract):
            near = self._near(named)
            if self.met[named] or ((named.often_absent or misspelt) and not near):
                continue
            unit = _UNITS.get(named.kind, "trace")
            count = self.results if unit == "result" else self.traces
            if count == 0:
                continue
            of = f" of {named.of}" if named.of else ""
            where = self.loaded.locate(named.path)
            hint = f"; nearest: {near}" if near else ""
            yield (
                f"{where}: {dotted(named.path)}: {named.kind} {named.name!r}{of} "
                f"never occurs in {count} {unit}{'' if count == 1 else 's'}{hint}"
            )

    def _near(self, named: Named) -> str:
        known = [
            name for name in self.seen.get(_space(named), ()) if name != named.name
        ]
        return nearest(named.name, known, cutoff=_CUTOFF) or ""


_UNITS: Final = {
    "field": "result",
    "kind": "result",
    "parameter": "result",
    "path": "result",
    "forbidden path": "result",
}


def _space(named: Named) -> str:
    """The names among which one is looked for."""
    if named.kind in ("argument", "parameter"):
        return f"{named.kind} of {named.of}"
    if named.kind.endswith("path"):
        return "path"
    return named.kind if named.kind in ("field", "kind") else "tool"


def try_contracts(
    contracts: ContractSet, files: Sequence[Path]
) -> tuple[list[Trial], list[str]]:
    """Each contract that results were found for, and the lines that could not be read or that have no contract."""
    trials: dict[str, Trial] = {}
    problems: list[str] = []
    for file in files:
        for line in read_results(file):
            if not isinstance(line, Accepted):
                problems.append(line.problem)
                continue
            name = line.result.contract or line.result.task_id
            loaded = contracts.find(name)
            if loaded is None:
                problems.append(
                    f"{file}: {line.result.result_id}: no contract {name!r}"
                )
                continue
            trial = trials.setdefault(name, Trial(loaded))
            _take(trial, line.result, line.base_dir)
    return list(trials.values()), problems


def misspelt(
    contracts: ContractSet, results: Iterable[tuple[AgentResult, Path]]
) -> list[str]:
    """One line for each name of a contract that none of its results has, where they have one of nearly that name."""
    trials: dict[str, Trial] = {}
    for result, base_dir in results:
        name = result.contract or result.task_id
        loaded = contracts.find(name)
        if loaded is not None:
            _take(trials.setdefault(name, Trial(loaded)), result, base_dir)
    lines: list[str] = []
    for trial in trials.values():
        lines += trial.unmet(misspelt=True)
    return lines


def _take(trial: Trial, result: AgentResult, base_dir: Path) -> None:
    """Count what one result holds, and which names of the contract it meets."""
    contract = trial.loaded.contract
    case = prepare(result, contract, base_dir=base_dir, judge=False)
    trial.results += 1
    trace = case.result.trace
    if "trace" in case.problems or (trace is not None and trace.unread):
        trial.unread_traces += 1
    elif trace is not None:
        trial.traces += 1
    names = _names_in(case)
    for space, found in names.items():
        trial.seen.setdefault(space, Counter()).update(found)
    for named in names_of(contract):
        spec = contract.fields.get(named.name, FieldSpec())
        if _meets(named, spec, names, case):
            trial.met[named] += 1


def _names_in(case: Case) -> dict[str, set[str]]:
    """The names that a result holds, by their kind."""
    result = case.result
    names: dict[str, set[str]] = {
        "tool": set(),
        "kind": set(),
        "field": set(_keys(result.output.outputs)),
        "path": {change.path for change in case.changes or ()},
    }
    for step in result.trace.steps if result.trace else ():
        if step.tool_name is not None:
            names["tool"].add(step.tool_name)
            space = f"argument of {step.tool_name}"
            names.setdefault(space, set()).update(step.arguments)
    for entry in (*result.actions, *(result.records or ())):
        names["kind"].add(entry.kind)
        space = f"parameter of {entry.kind}"
        names.setdefault(space, set()).update(entry.parameters)
    return names


def _keys(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, child in cast("dict[str, Any]", value).items():
            yield key
            yield from _keys(child, depth + 1)
    elif isinstance(value, list):
        for child in cast("list[Any]", value):
            yield from _keys(child, depth + 1)


def _meets(
    named: Named, spec: FieldSpec, names: dict[str, set[str]], case: Case
) -> bool:
    found = names.get(_space(named), set())
    if named.kind in ("argument", "parameter"):
        head = named.name.strip("/").split("/")[0].split(".")[0]
        return head in found or head == "result" or "*" in named.of
    if named.kind.endswith("path"):
        return any(_covers(named.name, path) for path in found)
    if named.kind == "field":
        return _has_field(named.name, spec, found, case.result)
    return any(fits_glob(named.name, name) for name in found)


def _has_field(
    name: str, spec: FieldSpec, keys: Iterable[str], result: AgentResult
) -> bool:
    """Whether a field may be there: a key, a mention in the text, its pattern, or a question that is not tried here."""
    output = result.output
    answer = output.final_answer or ""
    if spec.question or (spec.pattern and _finds(spec.pattern, answer)):
        return True
    text = _folded(answer)
    known = {_folded(key) for key in keys}
    if output.citations:
        known.add("citations")
    if output.claims:
        known.add("claims")
    if text:
        known.add("finalanswer")
    wanted = [_folded(one) for one in (name, *spec.aliases)]
    if spec.path:
        wanted.append(_folded(spec.path.strip("/").split("/")[0]))
    return any(one in known or one in text for one in wanted)


def _finds(pattern: str, text: str) -> bool:
    import re2

    return re2.search(pattern, text) is not None


def _folded(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _covers(pattern: str, path: str) -> bool:
    """Whether a changed path is the pattern's, lies below it, or holds it as a whole."""
    if _path_glob(pattern).fullmatch(path):
        return True
    fixed = pattern.split("*", 1)[0].rstrip("/")
    return path.startswith(f"{fixed}/") or fixed.startswith(f"{path}/")


@cache
def _path_glob(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    words = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts))
