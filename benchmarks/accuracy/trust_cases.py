"""Trust cases: short inputs, written as data, with the gate that each of them must get.

A file is one family (`tests/trust/cases/*.yaml`). A case has a contract, a result and perhaps files; `honest` says
whether the gate must pass or must not. Cases are graded as the command grades them: from files, errors of the
contract refuse the case.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import yaml

from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.gateway import ModelCall
from judgemesh.mesh import Mesh
from judgemesh.mesh.inputs.results import Accepted, read_results
from judgemesh.mesh.testing import ScriptedJudge

Json = dict[str, Any]

CASES: Final = Path(__file__).resolve().parents[2] / "tests" / "trust" / "cases"
_CASE_KEYS: Final = frozenset(
    {
        "id",
        "honest",
        "gate",
        "codes",
        "needs_judge",
        "contract",
        "files",
        "result",
        "why",
    }
)


class JudgeMode(StrEnum):
    """Whose answers the judge gives."""

    NONE = "none"
    AGREEABLE = "agreeable"
    ADVERSARIAL = "adversarial"


@dataclass(frozen=True, slots=True)
class TrustCase:
    """One input. needs_judge: only a judge can tell, so that it is undecided without one.

    gate and codes: what exactly must come out without a judge, where that matters.
    """

    family: str
    id: str
    honest: bool
    contract: Json
    result: Json
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    needs_judge: bool = False
    gate: str | None = None
    codes: tuple[str, ...] = ()
    why: str = ""

    @property
    def name(self) -> str:
        """Family and id."""
        return f"{self.family}/{self.id}"


@dataclass(frozen=True, slots=True)
class Graded:
    """What came out: a gate, or `refused` (the contract has errors), or `rejected` (the result cannot be read)."""

    gate: str
    codes: frozenset[str] = frozenset()
    explanation: str = ""


@cache
def read_cases(folder: Path = CASES) -> list[TrustCase]:
    """Every case of a folder.

    Raises:
        ValueError: a file is no family of cases; the message names file and case.
    """
    cases: list[TrustCase] = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            cases += _family(_yaml(path.read_text(encoding="utf-8")))
        except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None
    names = [case.name for case in cases]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"{folder}: cases with one name: {sorted(repeated)}")
    return cases


def _yaml(text: str) -> Json:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return cast("Json", yaml.load(text, loader))  # noqa: S506 (a safe loader)


def _family(data: Json) -> Iterator[TrustCase]:
    contracts = data.get("contracts", {})
    for row in data["cases"]:
        unknown = row.keys() - _CASE_KEYS
        if unknown:
            raise ValueError(f"{row['id']}: unknown keys {sorted(unknown)}")
        contract = row["contract"]
        if isinstance(contract, str):
            contract = contracts[contract]
        yield TrustCase(
            family=data["family"],
            id=row["id"],
            honest=row["honest"],
            contract=cast("Json", contract),
            result=row["result"],
            files=row.get("files", {}),
            needs_judge=row.get("needs_judge", False),
            gate=row.get("gate"),
            codes=tuple(row.get("codes", ())),
            why=row.get("why", ""),
        )


def _plain(value: object) -> str:
    """A date of YAML is the text that it was written as."""
    return str(value)


def grade_cases(
    cases: Iterable[TrustCase], mode: JudgeMode = JudgeMode.NONE
) -> dict[str, Graded]:
    """Grade the cases; what came out by the name of the case."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_grade(list(cases), mode, Path(folder)))


async def _grade(
    cases: list[TrustCase], mode: JudgeMode, root: Path
) -> dict[str, Graded]:
    graded: dict[str, Graded] = {}
    for number, group in enumerate(_by_contract(cases)):
        folder = root / f"group_{number}"
        _write(group, folder)
        judge = None
        if mode is not JudgeMode.NONE:
            judge = ScriptedJudge(_SCRIPTS[mode])
        mesh = Mesh.from_config(
            contracts=folder / "contract.json", judge=judge, ledger=None
        )
        try:
            async with mesh:
                outcomes = await _grade_file(mesh, folder / "results.jsonl")
        except ContractError as error:
            problems = "; ".join(error.problems) or str(error)
            outcomes = [Graded("refused", explanation=problems)] * len(group)
        names = [case.name for case in group]
        graded |= dict(zip(names, outcomes, strict=True))
    return graded


def _by_contract(cases: Iterable[TrustCase]) -> list[list[TrustCase]]:
    """The cases in groups of one contract and the same files, which one mesh can grade."""
    groups: dict[str, list[TrustCase]] = {}
    for case in cases:
        key = json.dumps([case.contract, case.files], default=_plain, sort_keys=True)
        groups.setdefault(key, []).append(case)
    return list(groups.values())


def _write(group: list[TrustCase], folder: Path) -> None:
    """Write the files, the contract and the results of cases with the same contract."""
    folder.mkdir()
    contract = {"task_id": "task", **group[0].contract}
    for name, text in group[0].files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "contract.json").write_text(
        json.dumps(contract, default=_plain), encoding="utf-8"
    )
    lines: list[str] = []
    for number, case in enumerate(group):
        ids = {"result_id": f"result {number}", "task_id": contract["task_id"]}
        lines.append(json.dumps({**ids, **case.result}, default=_plain) + "\n")
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")


async def _grade_file(mesh: Mesh, results: Path) -> list[Graded]:
    outcomes: list[Graded] = []
    for line in read_results(results):
        if not isinstance(line, Accepted):
            outcomes.append(Graded("rejected", explanation=line.problem))
            continue
        report = await mesh.grade_parsed(line.result, base_dir=line.base_dir)
        codes = frozenset(code.value for code in report.failure_reason_codes)
        outcomes.append(Graded(report.gate.value, codes, report.explanation))
    return outcomes


def _agrees(call: ModelCall) -> str:
    """The answer that lets a claim pass: yes, and no to the question whether the evidence contradicts it."""
    return "no" if "contradiction" in call.question_id else "yes"


def _opposes(call: ModelCall) -> str:
    """The answer that fails a claim."""
    return "yes" if "contradiction" in call.question_id else "no"


_SCRIPTS: Final = {JudgeMode.AGREEABLE: _agrees, JudgeMode.ADVERSARIAL: _opposes}


class Finding(StrEnum):
    """How what came out compares with what had to."""

    RIGHT = "right"
    FALSE_PASS = "false_pass"
    FALSE_FAIL = "false_fail"
    UNDECIDED = "undecided"
    UNEXPECTED = "unexpected"


def compare(case: TrustCase, graded: Graded, mode: JudgeMode) -> Finding:
    """Whether a case came out right.

    A case that only a judge can tell may come out as the judge says, but for a failure that nobody saw. A result that
    cannot be read and a contract that is refused are no pass, and fail an honest case.
    """
    if case.honest:
        finding = _of_honest(case, graded, mode)
    else:
        finding = _of_dishonest(case, graded, mode)
    if (
        finding is Finding.RIGHT
        and mode is JudgeMode.NONE
        and not _as_stated(case, graded)
    ):
        return Finding.UNEXPECTED
    return finding


def _of_honest(case: TrustCase, graded: Graded, mode: JudgeMode) -> Finding:
    if graded.gate == "pass":
        return Finding.RIGHT
    if case.needs_judge and (
        mode is JudgeMode.ADVERSARIAL or graded.gate == "undecided"
    ):
        return Finding.RIGHT
    if graded.gate == "undecided":
        return Finding.UNDECIDED
    return Finding.FALSE_FAIL


def _of_dishonest(case: TrustCase, graded: Graded, mode: JudgeMode) -> Finding:
    if graded.gate != "pass" or (case.needs_judge and mode is JudgeMode.AGREEABLE):
        return Finding.RIGHT
    return Finding.FALSE_PASS


def _as_stated(case: TrustCase, graded: Graded) -> bool:
    if case.gate is not None and graded.gate != case.gate:
        return False
    return graded.codes.issuperset(case.codes)
