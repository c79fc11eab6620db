"""Peak memory and throughput of `judgemesh trace import` for a large OTLP file.

    python benchmarks/tracing/otlp_import.py [--spans 100000] [--size-bytes 10240] [--spans-a-trace 100] [--max-mb 300]

Writes one OTLP JSON document of GenAI spans whose traces are mixed, imports it in a process of its own into a ledger in
a temporary folder, and prints one JSON line: `file_mb`, `spans`, `peak_mb` (resident memory of the import),
`spans_per_s`, `mb_per_s`. Exit code 1 when the ledger lacks spans or tokens, or the peak is above `--max-mb`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BYTES_PER_MB = 1e6
_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
_SPANS_A_GROUP = 500
_FIRST_NS = 1_760_000_000_000_000_000
_WORDS = (
    *(
        "the",
        "order",
        "was",
        "shipped",
        "to",
        "another",
        "address",
        "and",
        "customer",
        "asks",
        "for",
        "refund",
        "of",
    ),
    *(
        "ticket",
        "policy",
        "says",
        "that",
        "only",
        "within",
        "thirty",
        "days",
        "please",
        "confirm",
        "status",
        "agent",
    ),
)


def text(rng: random.Random, size: int) -> str:
    """About `size` bytes of words."""
    words = rng.choices(_WORDS, k=size // 6 + 1)
    return " ".join(words)[:size]


def attribute(key: str, value: str | int) -> dict[str, Any]:
    """One attribute as OTLP tags it: integers are text."""
    return {
        "key": key,
        "value": {"stringValue": value}
        if isinstance(value, str)
        else {"intValue": str(value)},
    }


def span(
    rng: random.Random, number: int, traces: int, size_bytes: int
) -> dict[str, Any]:
    """The span of that number: a model call, and every fourth a tool call."""
    trace, place = number % traces, number // traces
    start = _FIRST_NS + place * 2_000_000_000 + trace
    is_tool = place % 4 == 3
    room = max(200, size_bytes - 1_100)
    if is_tool:
        own = [
            attribute("gen_ai.operation.name", "execute_tool"),
            attribute("gen_ai.tool.name", "search_tickets"),
            attribute("gen_ai.tool.call.id", f"call_{place}"),
            attribute(
                "gen_ai.tool.call.arguments", json.dumps({"query": text(rng, 60)})
            ),
            attribute("gen_ai.tool.call.result", text(rng, room)),
        ]
    else:
        part = room // 4
        messages = [
            {"role": "system", "parts": [{"type": "text", "content": text(rng, part)}]},
            {"role": "user", "parts": [{"type": "text", "content": text(rng, part)}]},
            {
                "role": "tool",
                "parts": [
                    {
                        "type": "tool_call_response",
                        "id": f"call_{place}",
                        "response": text(rng, part),
                    }
                ],
            },
        ]
        answer = [
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": text(rng, part)}],
                "finish_reason": "stop",
            }
        ]
        own = [
            attribute("gen_ai.operation.name", "chat"),
            attribute("gen_ai.provider.name", "openai"),
            attribute("gen_ai.request.model", "gpt-4.1-mini"),
            attribute("gen_ai.usage.input_tokens", 2_000),
            attribute("gen_ai.usage.cache_read.input_tokens", 500),
            attribute("gen_ai.usage.output_tokens", 400),
            attribute("gen_ai.input.messages", json.dumps(messages)),
            attribute("gen_ai.output.messages", json.dumps(answer)),
            attribute("deployment.region", "north"),
        ]
    return {
        "traceId": f"{trace + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": "execute_tool search_tickets" if is_tool else "chat gpt-4.1-mini",
        "kind": 3,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 1_500_000_000),
        "attributes": own,
        "status": {},
    }


def pieces(spans: int, size_bytes: int, spans_a_trace: int) -> Iterator[str]:
    """The document, piece by piece, on one line."""
    traces = max(1, spans // spans_a_trace)
    rng = random.Random(0)  # noqa: S311 (words, no secrets)
    resource = {"attributes": [attribute("service.name", "support-agent")]}
    yield '{"resourceSpans":['
    for first in range(0, spans, _SPANS_A_GROUP):
        group = (
            json.dumps({"resource": resource})[:-1]
            + ',"scopeSpans":[{"scope":{"name":"bench"},"spans":['
        )
        yield ("," if first else "") + group
        for number in range(first, min(first + _SPANS_A_GROUP, spans)):
            yield ("," if number > first else "") + json.dumps(
                span(rng, number, traces, size_bytes)
            )
        yield "]}]}"
    yield "]}"


def measure(file: Path, ledger: Path) -> tuple[float, float]:
    """Peak memory in MB and time in seconds of the import, in a process of its own."""
    command = [
        _judgemesh(),
        "trace",
        "import",
        str(file),
        "--ledger",
        f"sqlite:///{ledger}",
        "--json",
        "--no-progress",
    ]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        message = f"the import ended with exit code {process.returncode}"
        raise SystemExit(message)
    return (
        usage.ru_maxrss * _RSS_UNIT_BYTES / _BYTES_PER_MB,
        time.perf_counter() - started,
    )


def _judgemesh() -> str:
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def kept(ledger: Path) -> tuple[int, int, int]:
    """Steps, input and output tokens in the ledger."""
    connection = sqlite3.connect(ledger)
    try:
        query = "SELECT count(*), sum(input_tokens_total), sum(output_tokens) FROM trace_step"
        steps, given, output = connection.execute(query).fetchone()
    finally:
        connection.close()
    return steps, given or 0, output or 0


def expected(spans: int, spans_a_trace: int) -> tuple[int, int, int]:
    """What the ledger has to hold."""
    traces = max(1, spans // spans_a_trace)
    calls = sum(number // traces % 4 != 3 for number in range(spans))
    return spans, 2_000 * calls, 400 * calls


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Peak memory and throughput of importing a large OTLP file."
    )
    parser.add_argument("--spans", type=int, default=100_000, metavar="N")
    parser.add_argument(
        "--size-bytes",
        type=int,
        default=10_240,
        metavar="BYTES",
        help="length of one span",
    )
    parser.add_argument("--spans-a-trace", type=int, default=100, metavar="N")
    parser.add_argument(
        "--max-mb", type=float, default=None, help="exit with 1 above this peak"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judgemesh_otlp_") as scratch:
        file, ledger = Path(scratch) / "trace.json", Path(scratch) / "ledger.db"
        with file.open("w", encoding="utf-8") as out:
            out.writelines(
                pieces(arguments.spans, arguments.size_bytes, arguments.spans_a_trace)
            )
        file_mb = file.stat().st_size / _BYTES_PER_MB
        peak_mb, wall_s = measure(file, ledger)
        whole = kept(ledger) == expected(arguments.spans, arguments.spans_a_trace)
    line = {
        "file_mb": round(file_mb, 1),
        "spans": arguments.spans,
        "peak_mb": round(peak_mb, 1),
        "spans_per_s": round(arguments.spans / wall_s, 1),
        "mb_per_s": round(file_mb / wall_s, 1),
    }
    print(json.dumps(line))
    if not whole:
        print("the ledger lacks spans or tokens of the file", file=sys.stderr)
    return (
        0 if whole and (arguments.max_mb is None or peak_mb <= arguments.max_mb) else 1
    )


if __name__ == "__main__":
    raise SystemExit(main())
