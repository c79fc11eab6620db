"""The simulated provider in a process of its own, and what its benchmarks grade: results with five yes/no criteria."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Json = dict[str, Any]

MODEL = "gpt-4.1-mini"
_TRUTHS = ("yes", "no", "yes", "yes", "no", "yes", "no", "yes")
_SENTENCE = "Case {number}: the booking was moved to Monday and the guest was told about it by mail. "


@contextmanager
def provider(*options: str) -> Generator[str]:
    """Start the provider with these options; its base URL."""
    with _started(
        "-m", "judgemesh.mesh.testing.fake_provider", "--port", "0", *options
    ) as url:
        yield url


@contextmanager
def replay(latency_ms: float) -> Generator[str]:
    """Start the server that replays what the provider has answered before; its base URL."""
    script = Path(__file__).with_name("replay.py")
    with _started(str(script), "--latency-ms", str(latency_ms)) as url:
        yield url


def requests(base_url: str, count: int) -> tuple[Json, ...]:
    """The bodies of the first requests that the replaying server saw.

    Raises:
        SystemExit: there were fewer.
    """
    address = base_url.removesuffix("/v1") + "/requests"
    with urllib.request.urlopen(address) as response:  # noqa: S310 - the loopback
        found: list[Json] = json.load(response)
    if len(found) < count:
        raise SystemExit(f"expected {count} requests, the provider saw {len(found)}")
    return tuple(found[:count])


@contextmanager
def _started(*arguments: str) -> Generator[str]:
    """Run Python with these arguments; the first line that it prints."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101 - a pipe was asked for
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def bill(base_url: str) -> Json:
    """What the provider was asked for and what it charges."""
    with urllib.request.urlopen(base_url.removesuffix("/v1") + "/bill") as response:  # noqa: S310 - the loopback
        found: Json = json.load(response)
    return found


def truth(criterion: int) -> str:
    """What is true about a criterion of every result."""
    return _TRUTHS[criterion % len(_TRUTHS)]


def contract(criteria: int) -> Json:
    """A contract of so many criteria, the first of them a gate; all ask for a yes."""
    return {
        "task_id": "booking",
        "criteria": [
            {
                "id": f"c{index}",
                "question": f"Is point {index} kept? TRUTH:{truth(index)}",
                "gate": index == 0,
            }
            for index in range(criteria)
        ],
    }


def result(number: int, size_bytes: int = 4096) -> Json:
    """A result whose answer is about `size_bytes` long, different for each number."""
    line = _SENTENCE.format(number=number)
    return {
        "result_id": f"r{number:06d}",
        "task_id": "booking",
        "output": {"final_answer": (line * (size_bytes // len(line) + 1))[:size_bytes]},
    }
