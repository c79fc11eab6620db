"""Steps of the interpreter that a judge call takes on the thread of the event loop, as one JSON line.

    python benchmarks/speed/steps.py [--results 200] [--at-once 64] [--list 40]

CPU time changes by a tenth with what else the machine does, the number of steps by less than a hundredth: it shows
whether a change made a call shorter, not by how much time. A step that calls into C takes as long as what it calls.

`calls`: judge calls; `steps`, `functions`: steps and entered functions a call, a resumed coroutine counted each time;
`asyncio`: those of its steps that are in asyncio. With `--list`, a table of the functions with most steps, on stderr.
The work is that of `judge_calls.py`, way `http`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, replay
from speed.judge_calls import Work, mesh, timed

_ASYNCIO = str(Path(asyncio.__file__).parent)
_LATENCY_MS = 50.0


class Steps:
    """Counts the steps of each function on this thread while it is entered."""

    def __init__(self) -> None:
        self.of: Counter[CodeType] = Counter()
        self.entered: Counter[CodeType] = Counter()

    def __enter__(self) -> None:
        """Begin to count."""
        sys.settrace(self._enter)

    def __exit__(self, *_: object) -> None:
        """End."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Any:
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        self.entered[frame.f_code] += 1
        return self._step

    def _step(self, frame: FrameType, event: str, _arg: object) -> Any:
        if event == "opcode":
            self.of[frame.f_code] += 1
        return self._step


def counted(work: Work) -> Steps:
    """The steps of the work, after it was done once: what is made at the first use does not count."""
    way = partial(mesh, f"openai-compatible:{MODEL}")
    steps = Steps()
    timed(way, asyncio.new_event_loop, work)
    with steps:
        timed(way, asyncio.new_event_loop, work)
    return steps


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(
        description="Steps of the interpreter for a judge call, as one JSON line."
    )
    parser.add_argument("--results", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--list", type=int, default=0, dest="listed", metavar="N")
    options = parser.parse_args()
    with replay(_LATENCY_MS) as url:
        work = Work(options.results, 5, options.at_once, url)
        steps = counted(work)
    in_asyncio = sum(
        count
        for code, count in steps.of.items()
        if code.co_filename.startswith(_ASYNCIO)
    )
    line = {
        "calls": work.calls,
        "steps": steps.of.total() / work.calls,
        "functions": steps.entered.total() / work.calls,
        "asyncio": in_asyncio / work.calls,
    }
    for code, count in steps.of.most_common(options.listed):
        entered = steps.entered[code] / work.calls
        name = f"{code.co_filename}:{code.co_qualname}"
        print(f"{count / work.calls:8.1f} {entered:7.2f}  {name}", file=sys.stderr)
    print(json.dumps({name: round(value, 1) for name, value in line.items()}))


if __name__ == "__main__":
    main()
