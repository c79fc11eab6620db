"""CPU time of one grading by shape and place of hostile text: nothing may grow faster than about n log n.

    python benchmarks/reliability/slow_texts.py [--sizes 10000 40000] [--places P ...] [--shapes S ...] [--short]

Every shape of text (runs of one character, mixed blanks, near-repetitions, thousands of small parts, nested brackets,
long words) stands at every place of a result that an agent fills, and `Mesh` grades the result under a contract that
asks everything, with a scripted judge, so that the judge's prompt is prepared too. A worker process grades; one that
needs more than `--limit` CPU seconds ends, and its stack is kept.

A finding is a grading that takes more than `--bar-s` CPU seconds at the last size, or that grows by more than
`--growth` times the ratio of the sizes while it takes at least `--floor-s`.

Prints one JSON line: `cases`, `findings` (place, shape, seconds by size, ratio, hottest function), `slowest` and
`worst_s`. Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import faulthandler
import json
import pstats
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reliability.slow_shapes import (
    PLACES,
    SHAPES,
    SHORT,
    catalogue_text,
    contract_of,
    result_of,
)

Json = dict[str, Any]
_PROFILE_CHARS: Final = 6_000


async def _serve(folder: Path) -> None:
    """Grade the jobs of standard input, a line each; the parent waits for a line each."""
    from judgemesh.contracts.contract import EvalContract
    from judgemesh.mesh import Mesh
    from judgemesh.mesh.testing import ScriptedJudge

    catalogue = folder / "catalogue.jsonl"
    contract = EvalContract.model_validate(contract_of(str(catalogue)))
    async with Mesh.from_config(
        contracts=[contract], judge=ScriptedJudge("yes"), cache=False
    ) as mesh:
        await mesh.grade(result_of("final_answer", "words", 500))
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            job = json.loads(line)
            result = result_of(job["place"], job["shape"], job["size"])
            with _ended_after(job["limit_s"], folder / "stack.txt"):
                answer = await _graded(mesh, result, profiled=job["profiled"])
            print(json.dumps(answer), flush=True)


@contextmanager
def _ended_after(cpu_s: float, stack: Path) -> Generator[None]:
    """End this process, its stack in a file, when the block needs more CPU time; also within one call into C."""
    with stack.open("w") as file:
        faulthandler.register(signal.SIGPROF, file=file, all_threads=False, chain=True)
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.unregister(signal.SIGPROF)


async def _graded(mesh: Any, result: Json, *, profiled: bool) -> Json:
    """The CPU seconds of a grading, and the function that took most where that is asked."""
    profile = cProfile.Profile() if profiled else None
    started = time.process_time()
    if profile is not None:
        profile.enable()
    report = await mesh.grade(result)
    if profile is not None:
        profile.disable()
    spent = time.process_time() - started
    answer: Json = {"cpu_s": round(spent, 3), "gate": str(report.gate.value)}
    if profile is not None:
        answer["hottest"] = _hottest(profile)
    return answer


def _hottest(profile: cProfile.Profile) -> str:
    """The function with most time of its own; for one that is built in, who called it most."""
    stats = cast("dict[Any, Any]", cast("Any", pstats.Stats(profile)).stats)
    place, row = max(stats.items(), key=lambda item: item[1][2])
    name = _name(place)
    if place[0] == "~" and row[4]:
        caller = max(row[4].items(), key=lambda item: item[1][2])
        name = f"{name} in {_name(caller[0])}"
    return f"{name} {row[2]:.2f} s"


def _name(place: tuple[str, int, str]) -> str:
    """`file:line(function)` of a row of a profile, with the file from its package on."""
    path, line, function = place
    if path == "~":
        return function
    return f"{'/'.join(Path(path).parts[-3:])}:{line}({function})"


@dataclass(slots=True)
class Worker:
    """A process that grades, replaced when it takes too long."""

    folder: Path
    limit_s: float
    process: subprocess.Popen[str] | None = None

    def ask(self, place: str, shape: str, size: int, *, profiled: bool = False) -> Json:
        """The figures of one grading; `cpu_s` is the limit where it did not end."""
        process = self._started()
        job = {"place": place, "shape": shape, "size": size, "profiled": profiled}
        inbox = cast("TextIO", process.stdin)
        inbox.write(json.dumps({**job, "limit_s": self.limit_s}) + "\n")
        inbox.flush()
        line = cast("TextIO", process.stdout).readline()
        if line:
            return cast("Json", json.loads(line))
        self.close()
        stack = (self.folder / "stack.txt").read_text()
        return {"cpu_s": self.limit_s, "hottest": _last_frames(stack)}

    def _started(self) -> subprocess.Popen[str]:
        if self.process is None:
            command = [sys.executable, __file__, "--work", str(self.folder)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            cast("TextIO", self.process.stdout).readline()
        return self.process

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _last_frames(stack: str) -> str:
    """The innermost frames of a stack as `faulthandler` writes it."""
    frames: list[str] = []
    for line in stack.splitlines():
        if "File" in line and "asyncio" not in line:
            path, _, rest = line.strip().removeprefix('File "').partition('"')
            frames.append(f"{'/'.join(Path(path).parts[-3:])}{rest}")
    return " < ".join(frames[:4])


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a grading is a finding."""

    bar_s: float
    growth: float
    floor_s: float


@dataclass(slots=True)
class Row:
    """What one shape at one place costs, by size."""

    place: str
    shape: str
    cpu_s: dict[int, float] = field(default_factory=dict[int, float])
    hottest: str = ""

    def is_finding(self, limits: Limits) -> bool:
        """Whether it takes too long, or grows too fast."""
        if not self.cpu_s:
            return False
        sizes = sorted(self.cpu_s)
        last = self.cpu_s[sizes[-1]]
        if last >= limits.bar_s:
            return True
        grown = last / max(self.cpu_s[sizes[0]], 1e-9)
        bound = limits.growth * sizes[-1] / sizes[0]
        return len(sizes) > 1 and last >= limits.floor_s and grown > bound

    def line(self) -> Json:
        """The row as data."""
        sizes = sorted(self.cpu_s)
        ratio = self.cpu_s[sizes[-1]] / max(self.cpu_s[sizes[0]], 1e-3)
        return {
            "place": self.place,
            "shape": self.shape,
            "cpu_s": [self.cpu_s[size] for size in sizes],
            "ratio": round(ratio, 1),
            "hottest": self.hottest,
        }


def measured(
    worker: Worker,
    pairs: Sequence[tuple[str, str]],
    sizes: Sequence[int],
    limits: Limits,
) -> Iterator[Row]:
    """A row for each place and shape; a size above one that took too long is left out."""
    for place, shape in pairs:
        row = Row(place, shape)
        for size in sorted(sizes):
            answer = worker.ask(place, shape, size)
            row.cpu_s[size] = answer["cpu_s"]
            row.hottest = answer.get("hottest", "")
            if answer["cpu_s"] >= limits.bar_s:
                break
        if row.is_finding(limits) and not row.hottest:
            size = min(*sizes, _PROFILE_CHARS)
            row.hottest = worker.ask(place, shape, size, profiled=True)["hottest"]
        yield row


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="CPU seconds of one grading by shape and place of hostile text."
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 40_000])
    parser.add_argument("--places", nargs="+", default=list(PLACES), metavar="PLACE")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), metavar="SHAPE")
    parser.add_argument("--short", action="store_true", help="one shape of each family")
    parser.add_argument("--limit", type=float, default=8.0, metavar="SECONDS")
    parser.add_argument("--bar-s", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("--growth", type=float, default=1.8, metavar="FACTOR")
    parser.add_argument("--floor-s", type=float, default=0.4, metavar="SECONDS")
    parser.add_argument("--verbose", action="store_true", help="each row on stderr")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """Run the benchmark."""
    arguments = _arguments().parse_args()
    if arguments.work is not None:
        asyncio.run(_serve(arguments.work))
        return 0
    limits = Limits(arguments.bar_s, arguments.growth, arguments.floor_s)
    shapes = SHORT if arguments.short else arguments.shapes
    pairs = [(place, shape) for place in arguments.places for shape in shapes]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "catalogue.jsonl").write_text(catalogue_text())
        worker = Worker(folder, arguments.limit)
        try:
            for row in measured(worker, pairs, arguments.sizes, limits):
                rows.append(row)
                if arguments.verbose:
                    mark = "FINDING" if row.is_finding(limits) else "ok"
                    print(mark, json.dumps(row.line()), file=sys.stderr, flush=True)
        finally:
            worker.close()
    findings = [row for row in rows if row.is_finding(limits)]
    slowest = max(rows, key=lambda row: max(row.cpu_s.values()))
    line = {
        "cases": len(rows),
        "sizes": sorted(arguments.sizes),
        "findings": [row.line() for row in findings],
        "slowest": slowest.line(),
        "worst_s": max(slowest.cpu_s.values()),
    }
    print(json.dumps(line))
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
