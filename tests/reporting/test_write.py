"""Output files: format by suffix, complete or not there at all, and checked before any work is done."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict, report_from_json
from judgemesh.contracts.verdicts import Fail
from judgemesh.mesh.analysis.results.result_page import ResultPage, result_page
from judgemesh.mesh.reporting.files.write import (
    FORMATS,
    Graded,
    check_outputs,
    write_output,
)
from judgemesh.mesh.reporting.json_bytes import to_json_bytes

REPORT = Report(
    result_id="r1",
    task_id="t1",
    eval_contract_version="1",
    evaluator_version="0",
    gate=Gate.FAIL,
    verdicts=(
        ValidatorVerdict(
            validator_name="checks",
            validator_version="1",
            validator_type="plain",
            verdict=Fail(codes=(FailureCode.WRONG_FACT,), gating=True, score=0.0),
            gating=True,
        ),
    ),
    primary_failure_reason_code=FailureCode.WRONG_FACT,
    failure_reason_codes=(FailureCode.WRONG_FACT,),
    evaluator_cost=Money(Decimal("0.00125")),
    explanation="line one\nline two",
)
MANY = [replace(REPORT, result_id=f"r{number}") for number in range(3)]


async def stored() -> AsyncIterator[Report]:
    for one in MANY:
        yield one


SUMMARY: dict[str, object] = {
    "run_id": "run-1",
    "attempted": 3,
    "passed": 1,
    "failed": 1,
    "undecided": 1,
    "evaluator_cost": None,
}


async def pages() -> AsyncIterator[ResultPage]:
    for one in MANY:
        yield result_page(one, run_id="run-1")


GRADED = Graded(run_id="run-1", summary=SUMMARY, reports=stored, pages=pages)


@pytest.mark.anyio
async def test_every_format(tmp_path: Path) -> None:
    paths = [tmp_path / "deep" / "er" / f"out{suffix}" for suffix in FORMATS]
    check_outputs(paths)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    for path in paths:
        await write_output(path, GRADED)
    assert sorted(path.name for path in paths[0].parent.iterdir()) == [
        "out.csv",
        "out.html",
        "out.json",
        "out.jsonl",
        "out.md",
        "out.otlp.jsonl",
        "out.parquet",
        "out.xml",
    ]


@pytest.mark.anyio
async def test_jsonl_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "out.JSONL"
    await write_output(path, GRADED)
    lines = path.read_text().splitlines()
    assert [report_from_json(json.loads(line)) for line in lines] == MANY


@pytest.mark.anyio
async def test_summary_and_junit(tmp_path: Path) -> None:
    await write_output(tmp_path / "out.json", GRADED)
    assert json.loads((tmp_path / "out.json").read_text()) == GRADED.summary
    await write_output(tmp_path / "out.xml", GRADED)
    root = ET.parse(tmp_path / "out.xml").getroot()  # noqa: S314 (our own output)
    assert [case.get("name") for case in root.iter("testcase")] == ["r0", "r1", "r2"]


@pytest.mark.anyio
async def test_a_broken_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    async def breaks() -> AsyncIterator[Report]:
        yield REPORT
        raise OSError(28, "No space left on device")

    with pytest.raises(
        ConfigError, match=r"out\.jsonl: cannot be written: No space left on device"
    ):
        await write_output(path, replace(GRADED, reports=breaks))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["out.pdf"], "cannot tell the output format from the name.*jsonl.*xml.*json"),
        (["out"], "cannot tell the output format"),
        (["a.xml", "./a.xml"], "would replace a file that is also read or written"),
        (["input.jsonl"], "would replace a file that is also read or written"),
        (["folder.json"], "is a folder"),
        (["input.jsonl/out.xml"], "cannot be written: (Not a directory|File exists)"),
    ],
)
def test_what_cannot_be_written_is_said_before(
    names: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.json").mkdir()
    Path("input.jsonl").touch()
    with pytest.raises(ConfigError, match=message) as caught:
        check_outputs([Path(name) for name in names], inputs=[Path("input.jsonl")])
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("value", [2**70, -(2**70), "\ud800", "plain", 1.5, None])
def test_json_takes_what_the_fast_encoder_refuses(value: object) -> None:
    assert json.loads(to_json_bytes({"value": value})) == {"value": value}
