"""A run as Markdown, for the summary page of a CI job: gates, rate with its interval, failed and undecided results."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterator, Mapping
from sys import intern
from typing import BinaryIO, Final, cast

from judgemesh.contracts.report import Gate, Report
from judgemesh.mesh.analysis.graded_rows import graded_row_of, tasks_are_units
from judgemesh.mesh.analysis.seeds import seed_of
from judgemesh.mesh.reporting.text import one_line, plural

_MAX_ROWS: Final = 50
_WHY_CHARS: Final = 300
_SPECIAL: Final = str.maketrans(
    {char: f"&#{ord(char)};" for char in "&<>|`*_[]()!#@~\\:"}
)
"""Characters with a meaning in Markdown or HTML: what an agent wrote makes no link, no mention and no table."""


async def write_markdown(
    file: BinaryIO, summary: Mapping[str, object], reports: AsyncIterable[Report]
) -> None:
    """Write the summary of a run, and a row for each result that did not pass, up to 50."""
    rows: list[str] = []
    more = 0
    graded = _Graded()
    async for report in reports:
        graded.add(report)
        if report.gate is Gate.PASS:
            continue
        if len(rows) < _MAX_ROWS:
            rows.append(_row(report))
        else:
            more += 1
    lines = [*_head(summary, graded.rate()), ""]
    if rows:
        lines += ["| result | gate | codes | why |", "| --- | --- | --- | --- |", *rows]
    if more:
        lines += ["", f"and {more:,} more"]
    lines += [*_codes(summary), ""]
    file.write("\n".join(lines).encode(errors="replace"))


def _head(summary: Mapping[str, object], rate: str) -> Iterator[str]:
    attempted, passed = _count(summary, "attempted"), _count(summary, "passed")
    yield f"## judgemesh: {passed:,} of {attempted:,} passed"
    yield ""
    yield (
        f"{passed:,} passed, {_count(summary, 'failed'):,} failed, {_count(summary, 'undecided'):,} undecided. "
        f"Run {_safe(str(summary['run_id']))}."
    )
    if rate:
        yield rate
    rule = summary.get("exit_rule")
    if rule:
        yield ""
        yield _safe(str(rule))
    warnings = cast("list[str]", summary.get("warnings") or [])
    for warning in warnings[:10]:
        yield f"- warning: {_safe(warning)}"


class _Graded:
    """What the success rate needs of the results: a few words of each, most of which are the same."""

    def __init__(self) -> None:
        self._tasks: list[str] = []
        self._passed = bytearray()
        self._seed_lines: list[str] = []

    def add(self, report: Report) -> None:
        """Count a result."""
        self._tasks.append(intern(report.task_id))
        self._passed.append(report.gate is Gate.PASS)
        self._seed_lines.append(intern(graded_row_of(report).seed_line))

    def rate(self) -> str:
        """The success rate with the interval that `judgemesh asr` gives it; empty without results."""
        from judgemesh.mesh.metrics.clusters import rate_interval, task_means

        if not self._tasks:
            return ""
        by_task = tasks_are_units(self._tasks)
        found = task_means(self._passed, self._tasks if by_task else None)
        interval = rate_interval(found, seed=seed_of(self._seed_lines))
        units = f" ({plural(found.tasks, 'task')} as units)" if by_task else ""
        return (
            f"Task success rate {found.rate:.3f}, 95% interval {interval.low:.3f} to {interval.high:.3f}{units},"
            " undecided results counted as not passed."
        )


def _codes(summary: Mapping[str, object]) -> Iterator[str]:
    codes = cast("Mapping[str, int]", summary.get("failure_codes") or {})
    if not codes:
        return
    yield from ("", "| failure code | results |", "| --- | ---: |")
    for code, count in codes.items():
        yield f"| {_safe(code)} | {count:,} |"


def _row(report: Report) -> str:
    codes = ", ".join(code.value for code in report.failure_reason_codes)
    cells = (
        report.result_id,
        report.gate.value,
        codes,
        one_line(report.explanation, _WHY_CHARS),
    )
    return f"| {' | '.join(map(_safe, cells))} |"


def _safe(text: str) -> str:
    """A text as one line that Markdown shows as it is."""
    return one_line(text).translate(_SPECIAL)


def _count(summary: Mapping[str, object], name: str) -> int:
    return int(cast("int", summary[name]))
