"""All figures of the page on performance, and of its plots, in one run.

    python benchmarks/speed/performance.py [--short] [--peer NAME=PYTHON ...] > docs/plots/performance.json

Runs the other benchmarks of this folder one after another, with short rounds: under 8 minutes on two idle cores, and
half a minute more for each peer. Prints one JSON object: `machine` and `versions`; `concurrency`, `criteria`, `results`
and `workers`, each a list of points of how cost grows; `start`; and `peers`, what a judge call costs with each of the
other libraries (`autoevals=/venv/bin/python`), all for the same work; one that fails is left out. `make site` draws the
plots from it. `--short` takes a fifth of the calls and results, in one round: its figures show that everything runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_FOLDER = Path(__file__).resolve().parent
_PEERS = _FOLDER / "peers"
_LIBRARIES = ("judgemesh", "aiohttp", "sqlalchemy", "pydantic", "orjson", "litellm")
_AT_ONCE = (8, 32, 64, 128, 256)
_CRITERIA = (1, 2, 5, 10, 20)
_WORKERS = (2, 4)


@dataclass(frozen=True)
class Size:
    """How much is measured: judge calls of a point, results of each point, results for the workers, and rounds."""

    calls: int = 300
    results: tuple[int, ...] = (250, 1_000, 4_000)
    worker_results: int = 6_000
    rounds: int = 3


FULL = Size()
SHORT = Size(calls=60, results=(50, 200, 800), worker_results=2_000, rounds=1)


def line_of(script: str, *options: object, env: Json | None = None) -> Json:
    """What another benchmark prints.

    Raises:
        SystemExit: it failed.
    """
    command = [sys.executable, str(_FOLDER / script), *map(str, options)]
    started = time.monotonic()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    if done.returncode:
        raise SystemExit(f"{script}: {done.stderr.strip() or done.stdout}")
    words = " ".join(command[1:])
    print(f"{time.monotonic() - started:5.0f} s  {words}", file=sys.stderr, flush=True)
    line: Json = json.loads(done.stdout.splitlines()[-1])
    return line


def concurrency(size: Size) -> list[Json]:
    """What a judge call costs by the number of calls at once."""
    line = line_of(
        "judge_calls.py",
        *("--results", size.calls // 5, "--rounds", size.rounds),
        *("--at-once", *_AT_ONCE),
    )
    return [{"at_once": at_once, **line[f"at_once_{at_once}"]} for at_once in _AT_ONCE]


def criteria(size: Size) -> list[Json]:
    """What a judge call costs by the number of criteria of a result, at 64 calls at once."""
    points: list[Json] = []
    for number in _CRITERIA:
        line = line_of(
            "judge_calls.py",
            *("--results", size.calls // number, "--criteria", number),
            *("--rounds", size.rounds),
        )
        points.append({"criteria": number, **line["at_once_64"]})
    return points


def results(size: Size) -> list[Json]:
    """What a deterministic check costs by the number of results of a run."""
    return [
        line_of("deterministic.py", "--results", number, "--rounds", size.rounds)
        for number in size.results
    ]


def workers(size: Size) -> list[Json]:
    """How much faster deterministic grading is by the number of worker processes."""
    line = line_of(
        "cluster.py",
        *("--results", size.worker_results, "--rounds", size.rounds),
        *("--workers", *_WORKERS),
    )
    return [
        {"workers": number, **line[f"workers_{number}"]} for number in (1, *_WORKERS)
    ]


def peers(named: Sequence[tuple[str, str]], size: Size) -> Json:
    """What a judge call costs with other libraries, at 64 calls at once, beside bare aiohttp and judgemesh."""
    found: Json = {}
    for name, python in named:
        try:
            line = line_of(
                "judge_calls.py",
                *("--results", size.calls // 5, "--rounds", size.rounds),
                *("--peer", name, "--peer-python", python),
            )
        except SystemExit as error:  # the other figures are kept
            print(f"{name}: {str(error)[-300:]}", file=sys.stderr)
            continue
        figures: Json = line["at_once_64"]
        found[name] = {
            "version": line["peer_version"],
            "cpu_ms": figures[f"{name}_cpu_ms"],
            "x_bare": figures[f"{name}_x_bare"],
            "wall_x_ideal": figures[f"{name}_wall_x_ideal"],
            "judgemesh_x_bare": figures["http_x_bare"],
        }
    return found


def peer_of(text: str) -> tuple[str, str]:
    """Name and interpreter of a peer.

    Raises:
        ArgumentTypeError: no peer has that name, or there is no such interpreter.
    """
    name, _, python = text.partition("=")
    known = sorted(
        path.name.removesuffix("_calls.py") for path in _PEERS.glob("*_calls.py")
    )
    if name not in known:
        raise argparse.ArgumentTypeError(
            f"no peer is called {name!r}; there are {', '.join(known)}"
        )
    if shutil.which(python) is None:
        raise argparse.ArgumentTypeError(f"{name}: no interpreter {python!r}")
    return name, python


def machine() -> Json:
    """Where and when it was measured, and how busy the machine was."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "measured": datetime.now(UTC).date().isoformat(),
    }


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description="All figures of the page.")
    parser.add_argument("--short", action="store_true")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        type=peer_of,
        metavar="NAME=PYTHON",
        dest="peers",
    )
    arguments = parser.parse_args()
    size = SHORT if arguments.short else FULL
    data: Json = {
        "machine": machine(),
        "versions": {name: version(name) for name in _LIBRARIES},
        "short": arguments.short,
        "concurrency": concurrency(size),
        "criteria": criteria(size),
        "results": results(size),
        "workers": workers(size),
        "start": line_of("start.py", "--repeat", 5),
        "peers": peers(arguments.peers, size),
    }
    print(json.dumps(data, indent=1))


if __name__ == "__main__":
    main()
