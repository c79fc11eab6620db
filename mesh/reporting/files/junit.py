"""JUnit XML: one test case a result, for the test tab of a CI system.

    gate pass                                  -> a test case without a child
    gate fail                                  -> <failure type="CODE" message="explanation">
    gate undecided, and an evaluator broke     -> <error>: something to repair
    gate undecided otherwise                   -> <skipped message="why">: undecided is no failure of the agent

JUnit has no fourth outcome, and CI systems do not stop at a skipped test: `judgemesh grade` itself exits with 1 when a
gate is undecided. The number of results need not be known in advance: the counts are written into the suite's start tag
at the end, into space that was reserved for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, Iterator
from typing import BinaryIO, Final, Literal

from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Pass, Skipped, codes_of
from judgemesh.mesh.reporting.text import amount, one_line, xml_attribute, xml_text

Outcome = Literal["passed", "failures", "errors", "skipped"]

_HEAD: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_COUNTERS_SIZE: Final = 4 * 24 + 40
_MESSAGE_LIMIT: Final = 500


async def write_junit(
    file: BinaryIO, reports: AsyncIterable[Report], *, name: str
) -> int:
    """Write a seekable file; returns the number of test cases."""
    suite = f' name="{xml_attribute(name)}"'.encode()
    counts: Counter[Outcome] = Counter()
    seconds = 0.0
    file.write(_HEAD)
    file.write(b"<testsuites" + suite + b">\n<testsuite" + suite)
    counters_at = file.tell()
    file.write(b" " * _COUNTERS_SIZE + b">\n")
    async for report in reports:
        counts[outcome_of(report)] += 1
        seconds += report.latency_ms / 1000
        file.write("".join(_test_case(report)).encode())
    file.write(b"</testsuite>\n</testsuites>\n")
    file.seek(counters_at)
    file.write(_counters(counts, seconds))
    file.seek(0, 2)
    return counts.total()


def outcome_of(report: Report) -> Outcome:
    """Which of JUnit's four outcomes a report is."""
    if report.gate is Gate.PASS:
        return "passed"
    if report.gate is Gate.FAIL:
        return "failures"
    kinds = {graded.verdict.kind for graded in report.verdicts}
    if "error" in kinds:
        return "errors"
    return "skipped"


def _counters(counts: Counter[Outcome], seconds: float) -> bytes:
    text = f' tests="{counts.total()}"'
    for outcome in _ELEMENTS:
        text += f' {outcome}="{counts[outcome]}"'
    text += f' time="{seconds:.3f}"'
    return text.ljust(_COUNTERS_SIZE).encode()


_ELEMENTS: Final[dict[Outcome, str]] = {
    "failures": "failure",
    "errors": "error",
    "skipped": "skipped",
}


def _test_case(report: Report) -> Iterator[str]:
    yield f'<testcase classname="{xml_attribute(report.task_id)}" name="{xml_attribute(report.result_id)}"'
    yield f' time="{report.latency_ms / 1000:.3f}">\n<properties>'
    for key, value in _properties(report):
        yield f'<property name="{xml_attribute(key)}" value="{xml_attribute(value)}"/>'
    yield "</properties>\n"
    outcome = outcome_of(report)
    if outcome != "passed":
        element = _ELEMENTS[outcome]
        message = xml_attribute(one_line(report.explanation, _MESSAGE_LIMIT))
        yield f'<{element} type="{_type(report)}" message="{message}">'
        yield xml_text(_details(report))
        yield f"</{element}>\n"
    yield "</testcase>\n"


def _type(report: Report) -> str:
    return (report.primary_failure_reason_code or report.gate).value


def _properties(report: Report) -> Iterator[tuple[str, str]]:
    yield "gate", report.gate.value
    if report.outcome_score is not None:
        yield "outcome_score", f"{report.outcome_score:g}"
    if report.outcome_class is not None:
        yield "outcome_class", report.outcome_class.value
    if report.failure_reason_codes:
        codes = [code.value for code in report.failure_reason_codes]
        yield "failure_reason_codes", ", ".join(codes)
    yield "evaluator_cost", amount(report.evaluator_cost)


def _details(report: Report) -> str:
    """The explanation, and a line for every verdict that is neither a pass nor left out on purpose."""
    lines = [report.explanation]
    for graded in report.verdicts:
        if not isinstance(graded.verdict, Pass | Skipped):
            lines.append(_verdict_line(graded))
    return "\n".join(lines)


def _verdict_line(graded: ValidatorVerdict) -> str:
    verdict = graded.verdict
    name = graded.validator_name
    if verdict.check:
        name += f"/{verdict.check}"
    codes = ", ".join(code.value for code in codes_of(verdict))
    line = f"{name}: {verdict.kind} {codes}: {verdict.diagnostic}"
    if verdict.evidence_refs:
        line += f" at {', '.join(map(one_line, verdict.evidence_refs))}"
    return line
