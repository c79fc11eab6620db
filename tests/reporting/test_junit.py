"""JUnit XML, read back by an XML parser."""

from __future__ import annotations

import asyncio
import io
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Error, Fail, Pass, Verdict
from judgemesh.mesh.reporting.files.junit import outcome_of, write_junit

HOSTILE = [
    "]]><!--",
    '<script>alert("x")</script> & \' "',
    "\x00\x01\x1b[31mred\x1b[0m\x7f",
    "\ud800 lone surrogate",
    "\ufffe\uffff",
    "tab\tline\nreturn\rend",
    "&amp; &#0; %entity;",
    "🛩 \u202egnp.exe",
    "x" * 100_000,
]


def row(verdict: Verdict, *, gating: bool = True) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name="checks",
        validator_version="1",
        validator_type="plain",
        verdict=verdict,
        gating=gating,
    )


def report(gate: Gate, *verdicts: Verdict, text: str = "why") -> Report:
    return Report(
        result_id="r1",
        task_id="t1",
        eval_contract_version="1",
        evaluator_version="0",
        gate=gate,
        verdicts=tuple(row(verdict) for verdict in verdicts),
        explanation=text,
        latency_ms=1500,
    )


PASSED = report(Gate.PASS, Pass())
FAILED = replace(
    report(
        Gate.FAIL,
        Fail(
            codes=(FailureCode.WRONG_FACT,),
            diagnostic="off by ten",
            evidence_refs=("outputs/price",),
        ),
    ),
    primary_failure_reason_code=FailureCode.WRONG_FACT,
    failure_reason_codes=(FailureCode.WRONG_FACT,),
)
BROKEN = replace(
    report(Gate.UNDECIDED, Error(diagnostic="boom")),
    primary_failure_reason_code=FailureCode.EVALUATOR_FAILURE,
)
HELD = report(Gate.UNDECIDED, Abstain(diagnostic="cannot tell"))


async def each(reports: Iterable[Report]) -> AsyncIterator[Report]:
    for one in reports:
        yield one


def parsed(*reports: Report) -> ET.Element:
    file = io.BytesIO()
    assert asyncio.run(write_junit(file, each(reports), name='run "1" <&>')) == len(
        reports
    )
    return ET.fromstring(file.getvalue())  # noqa: S314 (our own output, and that it parses is the point)


@pytest.mark.parametrize(
    ("given_report", "child", "outcome"),
    [
        (PASSED, None, "passed"),
        (FAILED, "failure", "failures"),
        (BROKEN, "error", "errors"),
        (HELD, "skipped", "skipped"),
    ],
)
def test_each_gate_has_its_element(
    given_report: Report, child: str | None, outcome: str
) -> None:
    case = parsed(given_report).find("testsuite/testcase")
    assert case is not None
    assert outcome_of(given_report) == outcome
    assert [element.tag for element in case if element.tag != "properties"] == (
        [child] if child else []
    )
    assert case.attrib == {"classname": "t1", "name": "r1", "time": "1.500"}


def test_counts_and_names() -> None:
    root = parsed(PASSED, FAILED, FAILED, BROKEN, HELD)
    suite = root.find("testsuite")
    assert suite is not None
    assert suite.attrib == {
        "name": 'run "1" <&>',
        "tests": "5",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
        "time": "7.500",
    }
    assert len(suite.findall("testcase")) == 5


def test_failure_says_code_reason_and_place() -> None:
    failure = parsed(FAILED).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("type") == "WRONG_FACT"
    assert failure.get("message") == "why"
    assert "checks: fail WRONG_FACT: off by ten at outputs/price" in (
        failure.text or ""
    )


def test_empty_run() -> None:
    suite = parsed().find("testsuite")
    assert suite is not None
    assert suite.get("tests") == "0"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    broken = replace(
        report(
            Gate.FAIL, Fail(codes=(FailureCode.WRONG_FACT,), diagnostic=text), text=text
        ),
        result_id=text,
        task_id=text,
    )
    case = parsed(broken).find("testsuite/testcase")
    assert case is not None
    failure = case.find("failure")
    assert failure is not None
    assert len(failure) == 0
    for value in (case.get("name"), case.get("classname"), failure.text):
        assert value is not None
        assert "\x1b" not in value
        kept = "".join(
            character
            for character in text
            if character.isalnum() and character.isascii()
        )
        assert (
            kept
            in "".join(
                character
                for character in value
                if character.isalnum() and character.isascii()
            )
            or "\\" in value
        )


@given(st.text(st.characters(), max_size=60))
def test_any_text_gives_well_formed_xml(text: str) -> None:
    case = parsed(replace(FAILED, result_id=text, explanation=text)).find(
        "testsuite/testcase"
    )
    assert case is not None
    clean = all(character in "\t\n\r" or character.isprintable() for character in text)
    if clean:
        assert case.get("name") == text


@pytest.mark.anyio
async def test_reports_stream(tmp_path: Path) -> None:
    """Memory does not grow with the number of reports."""

    def many(count: int) -> Iterator[Report]:
        return (replace(FAILED, result_id=f"r{number}") for number in range(count))

    tracemalloc.start()
    try:
        with (tmp_path / "junit.xml").open("wb") as file:
            await write_junit(file, each(many(100)), name="few")
            tracemalloc.reset_peak()
            await write_junit(file, each(many(3_000)), name="many")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000
