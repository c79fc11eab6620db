"""Progress of a run on stderr: a bar at a terminal, and a line for each rejected line."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from judgemesh.contracts.money import Money
from judgemesh.mesh.cli.output import say
from judgemesh.mesh.reporting.text import amount, duration, one_line, plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from judgemesh.mesh.runs.progress import RunProgress
    from judgemesh.mesh.tracing.readers.ingest import ImportCounts

_FIRST_AFTER_S: Final = 1.0
_INTERVAL_S: Final = 0.1
_MAX_PROBLEMS: Final = 10


def shows_bar(*, no_progress: bool = False, quiet: bool = False) -> bool:
    """Whether to draw: stderr is a terminal for people, not CI, and no flag forbids it."""
    if no_progress or quiet or os.environ.get("CI"):
        return False
    return os.environ.get("TERM") != "dumb" and sys.stderr.isatty()


class ProblemLines:
    """Prints problems on stderr: the first as lines, and how many more there are.

    max_length: of a line, in characters; 0 for any.
    """

    def __init__(self, label: str, noun: str, *, max_length: int = 0) -> None:
        self._label = label
        self._max_length = max_length
        self._noun = noun
        self._count = 0
        self.print: Callable[[str], None] = say

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        more = self._count - _MAX_PROBLEMS
        if more > 0:
            say(f"and {plural(more, f'more {self._noun}')}")

    def __call__(self, problem: str) -> None:
        """Print or count a problem."""
        self._count += 1
        if self._count <= _MAX_PROBLEMS:
            self.print(f"{self._label}: {one_line(problem, self._max_length)}")


class CountLine:
    """A line on stderr that says how far something is."""

    def __init__(self, *, shows_bar: bool) -> None:
        self._shows_bar = shows_bar
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if self._shows_bar:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task("reading", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, text: str) -> None:
        """Update the line."""
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=text)


class ReadingDisplay(CountLine):
    """The line of an import: what it has read."""

    def show(self, reading: ImportCounts) -> None:
        """Update the line."""
        spans = f"{reading.fragments:,} spans read"
        self(f"{spans}, {reading.traces:,} traces imported")


@dataclass(slots=True)
class ProgressDisplay:
    """Called by the batch runner after every result."""

    shows_bar: bool
    _problems: ProblemLines = field(
        default_factory=lambda: ProblemLines("rejected", "rejected line")
    )
    _next_s: float = _FIRST_AFTER_S
    _console: Console | None = None
    _bar: Bar | None = None
    _task: TaskID | None = None

    def __call__(self, progress: RunProgress) -> None:
        """Update the bar, and print the problem of a rejected line."""
        if progress.problem is not None:
            self._problems(progress.problem)
        if self.shows_bar and progress.elapsed_s >= self._next_s:
            self._next_s = progress.elapsed_s + _INTERVAL_S
            self._update(progress)

    async def start_in_time(self) -> None:
        """Draw the bar before the first result, where that takes long: workers start, or a judge is slow."""
        await asyncio.sleep(_FIRST_AFTER_S)
        if self.shows_bar and self._bar is None:
            self._start(done=0, total=None, gates="no result yet", rate="")

    def close(self) -> None:
        """Remove the bar, and print how many problems were not shown."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._problems.__exit__()

    def _print_above_bar(self, line: str) -> None:
        if self._console is not None:
            self._console.print(line, soft_wrap=True)

    def _update(self, progress: RunProgress) -> None:
        gates, rate = gates_line(progress), rate_line(progress)
        if self._bar is None or self._task is None:
            self._start(progress.done, progress.total, gates, rate)
            return
        self._bar.update(
            self._task,
            completed=progress.done,
            total=progress.total,
            gates=gates,
            rate=rate,
        )

    def _start(self, done: int, total: int | None, gates: str, rate: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        self._console = Console(
            file=sys.stderr, markup=False, emoji=False, highlight=False
        )
        self._problems.print = self._print_above_bar
        self._bar = Bar(
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TextColumn("{task.fields[gates]}"),
            TextColumn("{task.fields[rate]}", style="dim"),
            console=self._console,
            transient=True,
            refresh_per_second=5,
        )
        self._task = self._bar.add_task(
            "grading", completed=done, total=total, gates=gates, rate=rate
        )
        self._bar.start()


def gates_line(progress: RunProgress) -> str:
    """`12 pass 3 fail 1 undecided`, and rejected lines if there are any."""
    parts = [
        f"[green]{progress.passed} pass[/]",
        f"[red]{progress.failed} fail[/]",
        f"[yellow]{progress.undecided} undecided[/]",
    ]
    if progress.rejected:
        parts.append(f"[red]{progress.rejected} rejected[/]")
    return " ".join(parts)


def rate_line(progress: RunProgress) -> str:
    """Results a second, cost so far, time left, as far as known.

    Results that were in the ledger already do not count for the rate.
    """
    graded = progress.done - progress.resumed
    rate = graded / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    parts = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
    if graded:
        parts += _cost(progress.cost)
    if progress.total is not None and rate > 0:
        left = max(0, progress.total - progress.done)
        parts.append(f"{duration(left / rate)} left")
    return " · ".join(parts)


def _cost(cost: Money | None) -> list[str]:
    if cost is None:
        return ["cost unknown"]
    return [amount(cost)] if cost.amount else []
