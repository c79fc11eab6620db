"""The target that grades: a contract, a result and the files that the contract names, in one JSON document.

    {"contract": {...}, "result": {...}, "files": {"name": "text"}}

The contract is read and planned as the command does; every validator that it chooses runs to its end. Look-ups and
records are answered from `files`, and a judge answers yes, no, or not at all, by the digest of the question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, cast
from zlib import crc32

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    Need,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.report import ValidatorVerdict, report_to_json
from judgemesh.contracts.validator import Case, Form
from judgemesh.contracts.verdicts import Verdict
from judgemesh.mesh.grading.aggregate import gating_of
from judgemesh.mesh.grading.case.case import prepare
from judgemesh.mesh.grading.contract_check.faults import contract_faults
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plan import GradingPlan, PlannedValidator, compile_plan
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.grading.report import report_of
from judgemesh.mesh.grading.verdicts import completed, verdicts_of
from judgemesh.mesh.inputs.contracts import contract_of
from judgemesh.mesh.inputs.given import to_result
from judgemesh.mesh.inputs.strict_json import from_json
from judgemesh.mesh.reporting.json_bytes import to_json_bytes
from judgemesh.mesh.sources.json_lines import read_object
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.record_layout import RecordLayout, Row
from judgemesh.mesh.sources.record_table import RecordTable
from judgemesh.mesh.testing.drive import drive

_BASE: Final = Path(__file__).parent / "corpus"
"""The folder that paths of a result start from; it holds no snapshot and no trace."""
_REFUSED: Final = Unanswered(error_type="unavailable", message="the judge is down")
_VOTES: Final = (Vote.YES, Vote.NO, Vote.CANNOT_ASSESS)


def grades(data: bytes) -> None:
    """A contract and a result, graded: no validator raises, and there is a report."""
    try:
        given = json.loads(data)
        # A contract comes from a file; a result may come from code, with half a character in it.
        contract_data = from_json(data)["contract"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return
    if not isinstance(given, dict):
        return
    parts = cast("dict[str, Any]", given)
    contract = _named(contract_data, "task_id")
    result = _named(_named(parts.get("result"), "task_id"), "result_id")
    try:
        given_contract = contract_of(contract)
        if any(contract_faults(given_contract)):
            return
        plan = compile_plan(given_contract, _registry())
        read = to_result(cast("dict[str, Any]", result))
    except (InputError, ConfigError):
        return
    case = prepare(read, plan.contract, base_dir=_BASE, judge=True)
    files = _files(parts.get("files"))
    rows = [row for one in plan.validators for row in _rows(one, case, plan, files)]
    report = report_of(case.result, plan, (*plan.preset, *rows), Meter())
    to_json_bytes(report_to_json(report))


def _named(value: object, key: str) -> object:
    """The object with an id, which seeds leave out."""
    return (
        {key: "t", **cast("dict[str, Any]", value)}
        if isinstance(value, dict)
        else value
    )


@cache
def _registry() -> ValidatorRegistry:
    return ValidatorRegistry.discover()


def _files(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    files = cast("dict[str, object]", value)
    return {name: text for name, text in files.items() if isinstance(text, str)}


def _rows(
    planned: PlannedValidator, case: Case, plan: GradingPlan, files: Mapping[str, str]
) -> list[ValidatorVerdict]:
    validator = planned.validator
    own = replace(case, args=planned.args)
    verdicts: list[Verdict]
    if validator.form is Form.GENERATOR:
        verdicts = drive(validator, own, lambda need: _answer(need, files)).verdicts
    elif validator.form is Form.ASYNC:
        return []
    else:
        verdicts = verdicts_of(validator(own))
    return [
        ValidatorVerdict(
            validator_name=validator.name,
            validator_version=validator.version,
            validator_type="rule",
            verdict=completed(verdict, validator, asked_judge=False),
            gating=gating_of(
                verdict,
                override=planned.gate,
                validator_gates=validator.gate,
                contract=plan.contract,
            ),
        )
        for verdict in verdicts
    ]


def _answer(need: Need, files: Mapping[str, str]) -> Answer:
    match need:
        case Ask():
            drawn = crc32(_bytes(need.question)) % 4
            return Judged(vote=_VOTES[drawn], reason="x") if drawn < 3 else _REFUSED
        case Extract():
            return Extracted(data={"claims": [], "steps": []})
        case Lookup():
            return _found(need, files)
        case Records():
            return _records(need, files)


def _found(need: Lookup, files: Mapping[str, str]) -> Answer:
    text = "\n\n".join(files.values())
    if not text:
        return NotFound(source="files", authoritative=True)
    fields: dict[str, object] = {
        "title": text.partition("\n")[0][:200],
        "years": [2020],
    }
    if need.want_text:
        fields["text"] = text
    fields["ids"] = {key: [value] for key, value in need.query.items()}
    return Found(ref="files#1", fields=fields, source="files", authoritative=True)


def _records(need: Records, files: Mapping[str, str]) -> Answer:
    """The records of the file that the source names, read as the source `jsonl` reads them."""
    text = files.get(str(need.source.get("path")), "")
    try:
        layout = RecordLayout.from_options(need.source)
        rows = [
            Row("files", read_object(_bytes(line), "files", unique_keys=True))
            for line in text.split("\n")
            if line.strip()
        ]
        found = RecordTable(rows, layout, "files").records(need)
    except (SourceInaccessible, ConfigError) as error:
        return Unanswered(error_type="source", message=str(error), inaccessible=True)
    return RecordsFound(records=found, source="files")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
