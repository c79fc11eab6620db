"""A small export of every trace format, whole and in the parts that a user may have of it."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from judgemesh.mesh.tracing.recording.recorder import Recorder

_FIXTURES: Final = Path(__file__).parent / "exports" / "fixtures"
_DAY: Final = "2026-03-06T08:05:"
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Export:
    """An export.

    whole: the file.
    parts: files that together hold what it holds.
    are_lines: whether parts may stand in one file, in any order.
    """

    whole: bytes
    parts: Sequence[bytes]
    are_lines: bool = True


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _lines(rows: Sequence[object]) -> Export:
    parts = [_json(row) for row in rows]
    return Export(b"\n".join(parts), parts)


def _fixture(name: str) -> Any:
    return json.loads(gzip.decompress((_FIXTURES / f"{name}.json.gz").read_bytes()))


def _otlp() -> Export:
    """Two instrumentations that record the same calls; each span as a document of its own."""
    document = _fixture("otlp_two.turns")
    parts: list[bytes] = []
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                alone = {**group, "scopeSpans": [{**scope, "spans": [span]}]}
                parts.append(_json({"resourceSpans": [alone]}))
    return Export(_json(document), parts)


def _events() -> Export:
    """Two processes that number their steps alike."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        for _ in range(2):
            with Recorder(path) as recorder, recorder.run(trace_id="run"):
                for tokens in (5, 7):
                    with recorder.think() as step:
                        usage = {"prompt_tokens": tokens, "completion_tokens": 2}
                        step.model_called(model_name="gpt-4o", usage=usage)
        whole = path.read_bytes()
    return Export(whole, whole.splitlines())


def _langsmith() -> Export:
    """The bodies that the SDK posts: runs begin in one and may end in another."""
    document = _fixture("langsmith.turns")
    bodies: list[Body] = []
    for key in ("post", "patch"):
        runs = document.get(key, [])
        bodies += [{key: runs[at : at + 3]} for at in range(0, len(runs), 3)]
    return Export(_json(document), [_json(body) for body in bodies], are_lines=False)


def _openai_agents() -> Export:
    return _lines(_fixture("openai_agents.parallel"))


def _openinference() -> Export:
    def span(number: int, kind: str, **attributes: object) -> Body:
        return {
            "name": f"span {number}",
            "context": {"trace_id": "aa", "span_id": f"0{number}"},
            "span_kind": kind,
            "parent_id": "01" if number > 1 else None,
            "start_time": f"{_DAY}0{number}Z",
            "end_time": f"{_DAY}0{number + 1}Z",
            "status_code": "OK",
            "attributes": attributes,
        }

    def call(number: int) -> Body:
        counts = {"prompt": 40 + number, "completion": 10}
        return span(number, "LLM", llm={"model_name": "gpt-4o", "token_count": counts})

    tool = span(3, "TOOL", **{"tool.name": "search", "output.value": "found"})
    return _lines([span(1, "AGENT"), call(2), tool, call(4)])


def _langfuse() -> Export:
    def observation(number: int, kind: str, **more: object) -> Body:
        return {
            "id": f"o{number}",
            "traceId": "t1",
            "type": kind,
            "name": f"step {number}",
            "startTime": f"{_DAY}0{number}.000Z",
            "endTime": f"{_DAY}0{number + 1}.000Z",
            "parentObservationId": "o1" if number > 1 else None,
            **more,
        }

    def call(number: int) -> Body:
        usage = {"input": 30 + number, "output": 5, "total": 35 + number}
        more = {"model": "gpt-4o", "usageDetails": usage}
        return observation(number, "GENERATION", **more)

    trace: Body = {"id": "t1", "name": "turn", "timestamp": f"{_DAY}00.000Z"}
    rows = [observation(1, "SPAN"), call(2), observation(3, "TOOL"), call(4)]
    # A trace with all of its observations, with one each, and pages of observations.
    documents: list[Body] = [{**trace, "observations": [row]} for row in rows]
    pages: list[Body] = [{"data": rows[:2], "meta": {"page": 1}}, {"data": rows[1:]}]
    parts = [_json(part) for part in [*documents, *pages]]
    return Export(_json({**trace, "observations": rows}), parts, are_lines=False)


def _mlflow() -> Export:
    def span(number: int, **attributes: object) -> Body:
        return {
            "trace_id": "qqo=",
            "span_id": f"0{number}" * 8,
            "parent_span_id": "01" * 8 if number > 1 else None,
            "name": f"span {number}",
            "start_time_unix_nano": 1_772_784_300_000_000_000 + number,
            "end_time_unix_nano": 1_772_784_300_000_000_009 + number,
            "attributes": {key: json.dumps(value) for key, value in attributes.items()},
        }

    def call(number: int) -> Body:
        usage = {"input_tokens": 50 + number, "output_tokens": 6}
        more: Body = {
            "mlflow.spanType": "CHAT_MODEL",
            "mlflow.chat.tokenUsage": usage,
            "mlflow.llm.model": "gpt-4o",
        }
        return span(number, **more)

    spans = [span(1, **{"mlflow.spanType": "AGENT"}), call(2), call(3)]
    info = {"trace_id": "tr-aa", "trace_metadata": {"mlflow.trace.session": "s"}}

    def document(rows: Sequence[Body]) -> bytes:
        return _json({"info": info, "data": {"spans": rows}})

    return Export(document(spans), [document([row]) for row in spans])


def _claude_code() -> Export:
    def said(second: int, message: str, block: Body) -> Body:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 5}
        return {
            "type": "assistant",
            "sessionId": "s",
            "uuid": f"u{second}",
            "timestamp": f"{_DAY}0{second}Z",
            "message": {
                "id": message,
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [block],
                "usage": usage,
            },
        }

    result: Body = {
        "type": "user",
        "sessionId": "s",
        "uuid": "u4",
        "timestamp": f"{_DAY}04Z",
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "3 files"}
            ],
        },
    }
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
    return _lines(
        [
            said(1, "m1", {"type": "thinking", "thinking": "hm"}),
            said(2, "m1", {"type": "text", "text": "I look."}),
            said(3, "m1", call),
            result,
            said(5, "m2", {"type": "text", "text": "Three."}),
        ]
    )


def _codex() -> Export:
    """Copies of a log that was growing, and one of which lines are lost."""

    def line(second: int, kind: str, payload: Body) -> Body:
        return {"type": kind, "timestamp": f"{_DAY}0{second}Z", "payload": payload}

    def counted(second: int, total: int, last: int) -> Body:
        info = {
            "total_token_usage": {"input_tokens": total, "output_tokens": 2 * second},
            "last_token_usage": {"input_tokens": last, "output_tokens": 2},
        }
        return line(second, "event_msg", {"type": "token_count", "info": info})

    call: Body = {"type": "function_call", "call_id": "c", "name": "shell"}
    result: Body = {"type": "function_call_output", "call_id": "c", "output": "3"}
    log = [
        line(0, "session_meta", {"id": "s"}),
        line(0, "turn_context", {"model": "gpt-5-mini"}),
        line(0, "event_msg", {"type": "user_message", "message": "count"}),
        counted(1, 10, 10),
        line(1, "response_item", {**call, "arguments": "{}"}),
        line(2, "response_item", result),
        counted(2, 34, 24),
        counted(2, 34, 24),  # stated again when limits change
        counted(3, 70, 36),
    ]
    torn = [row for row in log if row is not log[6] and row is not log[7]]

    def text(rows: Sequence[Body]) -> bytes:
        return b"\n".join(map(_json, rows))

    copies = [text(rows) for rows in (log, log[:5], torn)]
    return Export(copies[0], copies, are_lines=False)


def _atif() -> Export:
    """Two sessions; of one there is a copy of when it had begun."""

    def trajectory(session: str, turns: int) -> Body:
        metrics = {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 60}
        step: Body = {"source": "agent", "message": "Hm.", "metrics": metrics}
        steps = [
            {**step, "step_id": number, "timestamp": f"{_DAY}0{number}Z"}
            for number in range(1, turns + 1)
        ]
        agent = {"name": "a", "version": "1", "model_name": "gpt-4o"}
        return {
            "schema_version": "ATIF-v1.4",
            "session_id": session,
            "agent": agent,
            "steps": steps,
        }

    whole = _json({**trajectory("s1", 3), "subagent_trajectories": [
        {**trajectory("s2", 2), "trajectory_id": "sub"}
    ]})  # fmt: skip
    return Export(whole, [_json(trajectory("s1", 2)), whole], are_lines=False)


def _inspect() -> Export:
    """Two samples: in an archive, and each in a log of its own."""

    def sample(number: int) -> Body:
        event: Body = {
            "event": "model",
            "timestamp": f"{_DAY}0{number}+00:00",
            "completed": f"{_DAY}0{number + 1}+00:00",
            "model": "openai/gpt-4o",
            "input": [{"role": "user", "content": "count"}],
            "output": {
                "model": "gpt-4o",
                "choices": [{"message": {"role": "assistant", "content": "3"}}],
                "usage": {"input_tokens": 20 + number, "output_tokens": 5},
            },
        }
        return {"id": number, "epoch": 1, "uuid": f"u{number}", "events": [event]}

    header: Body = {
        "version": 2,
        "status": "success",
        "eval": {"eval_id": "e", "task": "count", "model": "openai/gpt-4o"},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        for number in (1, 2):
            text = json.dumps(sample(number))
            archive.writestr(f"samples/{number}_epoch_1.json", text)
    logs = [_json({**header, "samples": [sample(number)]}) for number in (1, 2)]
    return Export(packed.getvalue(), logs, are_lines=False)


def _tau() -> Export:
    """Two simulations: in one document, and each in one of its own."""

    def simulation(number: int) -> Body:
        usage = {"prompt_tokens": 90 + number, "completion_tokens": 4}
        answer: Body = {"role": "assistant", "content": "yes", "cost": 0.1}
        return {
            "id": f"sim{number}",
            "task_id": str(number),
            "trial": 0,
            "reward_info": {},
            "messages": [
                {"role": "user", "content": "hi", "timestamp": f"{_DAY}01"},
                {**answer, "timestamp": f"{_DAY}02", "usage": usage},
            ],
        }

    def document(*runs: Body) -> bytes:
        return _json({"info": {"agent_info": {"llm": "gpt-4o"}}, "simulations": runs})

    one, two = simulation(1), simulation(2)
    begun = {**one, "messages": one["messages"][:1]}
    parts = [document(one), document(two), document(begun)]
    return Export(document(one, two), parts, are_lines=False)


EXPORTS: Final[Mapping[str, Callable[[], Export]]] = {
    "atif": _atif,
    "claude_code": _claude_code,
    "codex": _codex,
    "events": _events,
    "inspect": _inspect,
    "langfuse": _langfuse,
    "langsmith": _langsmith,
    "mlflow": _mlflow,
    "openai_agents": _openai_agents,
    "openinference": _openinference,
    "otlp": _otlp,
    "tau": _tau,
}
"""By the name of the reader."""
