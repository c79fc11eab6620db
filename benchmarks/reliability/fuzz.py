"""Mutated inputs for every fuzz target: no exception but the declared ones, and bounded time.

    python benchmarks/reliability/fuzz.py [--executions 20000] [--target NAME ...] [--seed 0] [--corpus FOLDER]

Each target (`fuzz_targets.py`) starts from its seeds and from the files of `--corpus`/NAME. Inputs are changed by
flipped bits, other bytes, doubled, moved and deleted parts, hostile pieces, and parts of other inputs; an input that
reaches lines of the project that none reached before joins the corpus of the run. An input may have at most 4,096
bytes, and an execution takes at most `--limit-s` CPU seconds.

Prints one JSON line: `executions` in all and by target, `findings` (target, error, input in base64) and `slowest_s`.
Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reliability.fuzz_targets import SEEDS, TARGETS, Target

_MAX_BYTES: Final = 4_096
_MAX_CORPUS: Final = 400
_TRACED_SHARE: Final = 0.1
_PIECES: Final = (
    b"\\u0000", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", "\u202e".encode(), "\u2028".encode(), b"1e999999", b"NaN",
    b"9" * 40, b"-0", b"[" * 200, b"{" * 200, b'"', b"'", b"\\", b"\n", b"\r\n", b"\t", b" " * 60, b"<", b"&lt;",
    b"*a *a", b"&a [*a]", b"!!python/object:x", b"null", b"true", b'{"verdict": "no"}', b"doi:10.", b"et al. ", b"**",
    b'"$ref": "#"', b"task_id: ", b"%41", b"..", b"(", b")", b"[1]",
)  # fmt: skip


@dataclass(slots=True)
class Fuzzed:
    """What a target has been through."""

    executions: int = 0
    slowest_s: float = 0.0
    findings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class Lines:
    """The lines of the project that were reached, as a trace function."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()
        self.is_new = False

    def __call__(self, frame: FrameType, event: str, _: object) -> Lines | None:
        """Note a line."""
        name = frame.f_code.co_filename
        if event == "call" and "/site-packages/" in name:
            return None
        place = (name, frame.f_lineno)
        if place not in self.seen:
            self.seen.add(place)
            self.is_new = True
        return self


def mutated(data: bytes, corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """The input with one to six changes."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        end = min(len(changed), at + chance.randint(1, 24))
        match chance.randrange(7):
            case 0 if changed:
                changed[at - 1] ^= 1 << chance.randrange(8)
            case 1:
                changed[at:at] = bytes([chance.randrange(256)])
            case 2:
                del changed[at:end]
            case 3:
                changed[at:at] = changed[at:end] * chance.randint(1, 8)
            case 4:
                changed[at:at] = chance.choice(_PIECES)
            case 5:
                other = chance.choice(corpus)
                start = chance.randrange(len(other) + 1)
                changed[at:end] = other[start : start + chance.randint(1, 64)]
            case _:
                changed[at:end] = reversed(changed[at:end])
    return bytes(changed[:_MAX_BYTES])


def fuzz(
    name: str, seeds: Sequence[bytes], *, executions: int, seed: int, limit_s: float
) -> Fuzzed:
    """Run one target so many times."""
    target = TARGETS[name]
    chance = random.Random(f"{seed} {name}")  # noqa: S311 (repeatable, not secret)
    corpus = list(seeds)
    lines = Lines()
    fuzzed = Fuzzed()
    for data in _inputs(corpus, executions, chance):
        traced = chance.random() < _TRACED_SHARE
        lines.is_new = False
        problem = _run(target, data, fuzzed, limit_s, lines if traced else None)
        if problem is not None and len(fuzzed.findings) < 20:
            encoded = base64.b64encode(data).decode()
            fuzzed.findings.append({"target": name, "error": problem, "input": encoded})
        elif lines.is_new and len(corpus) < _MAX_CORPUS:
            corpus.append(data)
    return fuzzed


def _inputs(
    corpus: list[bytes], executions: int, chance: random.Random
) -> Iterator[bytes]:
    seeds = corpus[:executions]
    yield from seeds
    for _ in range(executions - len(seeds)):
        yield mutated(chance.choice(corpus), corpus, chance)


def _run(
    target: Target, data: bytes, fuzzed: Fuzzed, limit_s: float, lines: Lines | None
) -> str | None:
    """What is wrong with one execution."""
    started = time.thread_time()
    sys.settrace(lines)
    try:
        target(data)
    except Exception as error:  # noqa: BLE001 (whatever is not declared is a finding)
        sys.settrace(None)
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
    finally:
        sys.settrace(None)
        fuzzed.executions += 1
    spent = time.thread_time() - started
    if lines is None:
        fuzzed.slowest_s = max(fuzzed.slowest_s, spent)
    if spent > limit_s:
        return f"{spent:.2f} CPU seconds for {len(data)} bytes"
    return None


def seeds_of(name: str, corpus: Path | None) -> list[bytes]:
    """The seeds of a target, and the files of its folder in the corpus."""
    seeds = [text.encode() for text in SEEDS[name]]
    folder = corpus / name if corpus is not None else None
    if folder is not None and folder.is_dir():
        seeds += [path.read_bytes() for path in sorted(folder.iterdir())]
    return seeds


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Mutated inputs for fuzz targets.")
    parser.add_argument("--executions", type=int, default=20_000)
    parser.add_argument("--target", nargs="+", default=list(TARGETS), choices=TARGETS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path, metavar="FOLDER")
    parser.add_argument("--limit-s", type=float, default=2.0, metavar="SECONDS")
    options = parser.parse_args()
    each = options.executions // len(options.target)
    done: dict[str, Fuzzed] = {}
    for name in options.target:
        done[name] = fuzz(
            name,
            seeds_of(name, options.corpus),
            executions=each,
            seed=options.seed,
            limit_s=options.limit_s,
        )
    findings = [found for fuzzed in done.values() for found in fuzzed.findings]
    line = {
        "executions": sum(fuzzed.executions for fuzzed in done.values()),
        "by_target": {name: fuzzed.executions for name, fuzzed in done.items()},
        "slowest_s": round(max(fuzzed.slowest_s for fuzzed in done.values()), 3),
        "findings": findings,
    }
    print(json.dumps(line))
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
