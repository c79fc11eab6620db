"""One run in each format that is no OTLP: what is read, and what is said of broken parts."""

from __future__ import annotations

import gzip
import json
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.mesh.tracing.conversations.table import format_named
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, paths_of, read_traces
from judgemesh.mesh.tracing.readers.registry import reader_named

_DAY = "2026-04-28T10:00:"


def _read(
    path: Path,
    text: str,
    format: str = "auto",  # noqa: A002 (the name of the option)
) -> tuple[list[Trace], ImportCounts, list[str]]:
    path.write_text(text, encoding="utf-8")
    reading, problems = ImportCounts(), list[str]()
    traces = list(
        read_traces(
            [path], format=format, on_malformed=problems.append, reading=reading
        )
    )
    return traces, reading, problems


def _states(trace: Trace) -> list[str]:
    return [step.state_type.value for step in trace.steps]


def _tokens(step: Step) -> tuple[int, ...] | None:
    usage = step.usage
    if usage is None:
        return None
    return (
        usage.input_tokens_uncached,
        usage.input_tokens_cached,
        usage.input_tokens_cache_write,
        usage.output_tokens,
        usage.reasoning_tokens,
    )


# --- our own ---


def test_events_and_steps(tmp_path: Path) -> None:
    def event(
        step: int, kind: str, second: int, payload: dict[str, Any]
    ) -> dict[str, Any]:
        time = f"{_DAY}{second:02}Z"
        return {
            "trace_id": "t",
            "step_id": step,
            "event_type": kind,
            "timestamp": time,
            "payload": payload,
        }

    rows: list[Any] = [
        event(2, "step.completed", 9, {"state_type": "FINALIZE"}),
        event(
            1,
            "model.called",
            2,
            {"model_name": "m", "input_tokens_uncached": 5, "output_tokens": 2},
        ),
        {"trace_id": "t", "step_id": 3, "state_type": "FILE_WRITE", "file_path": "/x"},
        {"trace_id": "t", "event_type": "no.such", "timestamp": f"{_DAY}01Z"},
        {"trace_id": "t", "state_type": "DREAM"},
        event(0, "run.started", 0, {"task_id": "task"}),
    ]

    traces, reading, problems = _read(
        tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)) + "\n{broken"
    )

    assert [(trace.task_id, _states(trace)) for trace in traces] == [
        ("task", ["THINK", "FINALIZE", "FILE_WRITE"])
    ]
    assert _tokens(traces[0].steps[0]) == (5, 0, 0, 2, 0)
    assert (reading.fragments, reading.malformed) == (4, 3)
    assert [problem.partition(": ")[0].rpartition(":")[2] for problem in problems] == [
        "4",
        "5",
        "7",
    ]


# --- OpenInference, and the console exporter ---

_NESTED = {
    "name": "ChatCompletion",
    "context": {"trace_id": "0xaa", "span_id": "0x01"},
    "span_kind": "LLM",
    "parent_id": None,
    "start_time": f"{_DAY}00.5Z",
    "end_time": f"{_DAY}01Z",
    "status_code": "OK",
    "attributes": {
        "llm": {
            "model_name": "m",
            "token_count": {
                "prompt": 40,
                "completion": 10,
                "prompt_details": {"cache_read": 30},
            },
            "input_messages": [{"message": {"role": "user", "content": "hello there"}}],
            "cost": {"prompt": 0.25, "completion": 0.5},
        },
        "session": {"id": "s"},
    },
}
_COLUMNS = {
    "name": "search",
    "span_kind": "RETRIEVER",
    "context.trace_id": "aa",
    "context.span_id": "02",
    "parent_id": "01",
    "start_time": f"{_DAY}02Z",
    "end_time": f"{_DAY}03Z",
    "status_code": "ERROR",
    "status_message": "no index",
    "attributes.retrieval.documents": [
        {"document": {"content": "d" * 40, "score": 1.0}}
    ]
    * 2,
    "attributes.input.value": "where is it",
    "attributes.llm.model_name": None,
}


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, (_COLUMNS, _NESTED))),
        json.dumps([_NESTED, _COLUMNS]),
        json.dumps({"data": [_NESTED, _COLUMNS], "next_cursor": None}, indent=1),
    ],
    ids=["lines", "list", "page"],
)
def test_openinference_rows(tmp_path: Path, text: str) -> None:
    traces, reading, problems = _read(tmp_path / "t", text)

    call, search = traces[0].steps
    assert (reading.formats[str(tmp_path / "t")], problems) == ("openinference", [])
    assert (_tokens(call), call.reported_cost and call.reported_cost.amount) == (
        (10, 30, 0, 10, 0),
        Decimal("0.75"),
    )
    assert (call.latency_ms, call.details["session.id"]) == (500, "s")
    assert (search.state_type, search.parent_step_id, search.status) == (
        StateType.RETRIEVE,
        1,
        "error",
    )
    assert search.error_type == "no index"
    assert (search.details["returned_chunks"], search.tools[0].response_tokens_raw) == (
        2,
        20,
    )


# --- ATIF ---

_ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.4",
    "session_id": "s1",
    "agent": {
        "name": "a",
        "version": "1",
        "model_name": "m",
        "tool_definitions": [{"name": "bash"}],
    },
    "steps": [
        {
            "step_id": 1,
            "source": "system",
            "message": "You help.",
            "timestamp": f"{_DAY}00Z",
        },
        {
            "step_id": 2,
            "source": "user",
            "message": "Count the files.",
            "timestamp": f"{_DAY}01Z",
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "timestamp": f"{_DAY}04Z",
            "tool_calls": [
                {
                    "tool_call_id": "c",
                    "function_name": "bash",
                    "arguments": {"command": "ls"},
                }
            ],
            "observation": {"results": [{"source_call_id": "c", "content": "o" * 400}]},
            "metrics": {
                "prompt_tokens": 100,
                "completion_tokens": 9,
                "cached_tokens": 60,
                "cost_usd": 0.0015,
                "extra": {"reasoning_tokens": 4},
                "logprobs": [1],
            },
        },
        {
            "step_id": 4,
            "source": "agent",
            "message": "Three.",
            "timestamp": f"{_DAY}06Z",
            "metrics": {"prompt_tokens": 120, "completion_tokens": 3},
            "extra": {"note": 1},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 220, "total_cost_usd": 0.0015},
}


def test_atif(tmp_path: Path) -> None:
    traces, _, problems = _read(
        tmp_path / "trajectory.json", json.dumps(_ATIF, indent=2)
    )

    trace = traces[0]
    assert (trace.trace_id, trace.agent_id, problems) == ("s1", "a", [])
    assert _states(trace) == ["OBSERVE", "OBSERVE", "THINK", "SCRIPT_EXEC", "FINALIZE"]
    think, tool, final = trace.steps[2:]
    assert (_tokens(think), think.latency_ms, think.model_name) == (
        (40, 60, 0, 5, 4),
        3_000,
        "m",
    )
    assert think.reported_cost is not None
    assert think.reported_cost.amount == Decimal("0.0015")
    assert think.details["metrics"] == {
        "extra": {"reasoning_tokens": 4},
        "logprobs": [1],
    }
    assert tool.parent_step_id == think.step_id
    assert final.context is not None
    assert final.context.total == 120
    # In the measure of the call that the result was sent to.
    assert tool.tools[0].response_tokens_raw == tool.tools[0].tokens_sent_to_next_llm
    assert tool.tools[0].tokens_sent_to_next_llm == final.context.tool_result_tokens > 0
    assert final.details["extra"] == {"note": 1}
    assert trace.details["final_metrics"] == _ATIF["final_metrics"]


def test_subagents_have_traces_of_their_own(tmp_path: Path) -> None:
    inner = {**_ATIF, "trajectory_id": "sub"}

    traces, _, _ = _read(
        tmp_path / "t.json", json.dumps({**_ATIF, "subagent_trajectories": [inner]})
    )

    assert [trace.trace_id for trace in traces] == ["s1", "s1/sub"]


# --- Inspect ---


def _model(second: int, usage: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "event": "model",
        "timestamp": f"{_DAY}{second:02}+00:00",
        "completed": f"{_DAY}{second + 1:02}+00:00",
        "model": "openai/m",
        "input": [
            {"role": "system", "content": "attachment://a1"},
            {"role": "user", "content": "hello there"},
        ],
        "output": {
            "model": "m",
            "choices": [{"message": {"role": "assistant", "content": "x"}}],
            "usage": usage,
        },
        **more,
    }


_SAMPLE = {
    "id": 7,
    "epoch": 2,
    "uuid": "u7",
    "attachments": {"a1": "s" * 400},
    "events": [
        {"event": "span_begin", "id": "sc", "type": "scorers", "name": "scorers"},
        _model(
            0,
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "total_tokens": 115,
                "input_tokens_cache_read": 100,
            },
        ),
        {
            "event": "tool",
            "id": "c1",
            "function": "python",
            "arguments": {"code": "1"},
            "result": "r" * 40,
            "timestamp": f"{_DAY}02Z",
            "completed": f"{_DAY}03Z",
            "error": {"type": "timeout", "message": "too long"},
        },
        _model(
            4,
            {
                "input_tokens": 100,
                "output_tokens": 9,
                "total_tokens": 109,
                "reasoning_tokens": 4,
            },
        ),
        _model(6, {"input_tokens": 1_000, "output_tokens": 1_000}, cache="read"),
        _model(8, {"input_tokens": 2_000, "output_tokens": 2_000}, span_id="sc"),
        5,
    ],
    "scores": {"match": {"value": "C"}},
}
_LOG = {
    "version": 2,
    "status": "success",
    "eval": {"eval_id": "e", "task": "count", "model": "openai/m"},
}


def _check_sample(traces: list[Trace]) -> None:
    trace = traces[0]
    assert (trace.trace_id, trace.task_id, trace.status) == ("u7", "count/7", "success")
    assert _states(trace) == ["THINK", "SCRIPT_EXEC", "FINALIZE", "THINK", "VALIDATE"]
    assert [_tokens(step) for step in trace.steps] == [
        (10, 100, 0, 5, 0),
        None,
        (100, 0, 0, 5, 4),
        None,
        None,
    ]
    first, tool = trace.steps[:2]
    assert first.context is not None
    assert (
        first.context.system_prompt_tokens > 100 > first.context.user_instruction_tokens
    )
    assert (tool.status, tool.latency_ms) == ("timeout", 1_000)
    assert trace.steps[4].details["scorer_usage"] == {
        "input_tokens": 2_000,
        "output_tokens": 2_000,
    }
    assert trace.details["scores"] == {"match": {"value": "C"}}


def test_inspect_json(tmp_path: Path) -> None:
    traces, _, problems = _read(
        tmp_path / "log.json", json.dumps({**_LOG, "samples": [_SAMPLE, 3]})
    )

    _check_sample(traces)
    assert [problem.rpartition(": ")[2] for problem in problems] == [
        "an event is an object",
        "a sample is an object",
    ]


def test_inspect_archive(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(_LOG))
        archive.writestr("samples/7_epoch_2.json", json.dumps(_SAMPLE))
        archive.writestr("samples/8_epoch_1.json", "{")
        archive.writestr("summaries.json", "[]")
    problems: list[str] = []

    _check_sample(list(read_traces([path], on_malformed=problems.append)))
    assert len(problems) == 2
    assert problems[1].startswith(f"{path}: samples/8_epoch_1.json: not readable: ")


def test_a_damaged_archive_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(b"PK\x03\x04 samples/ and no more")
    reading = ImportCounts()

    assert list(read_traces([tmp_path / "x.eval"], reading=reading)) == []
    assert reading.malformed == 1


def test_an_inspect_log_without_events_has_its_messages_as_steps(
    tmp_path: Path,
) -> None:
    sample: dict[str, Any] = {
        "id": "s",
        "epoch": 1,
        "messages": [
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{"id": "c", "function": "bash", "arguments": {}}],
            },
            {"role": "tool", "content": "out", "function": "bash", "tool_call_id": "c"},
            {"role": "assistant", "content": "y"},
        ],
        "model_usage": {
            "m": {"input_tokens": 30, "output_tokens": 4},
            "n": {"input_tokens": 1, "output_tokens": 1},
        },
    }

    traces, _, _ = _read(
        tmp_path / "log.json", json.dumps({**_LOG, "samples": [sample]})
    )

    assert traces[0].trace_id == "e:s:1"
    assert [step.model_name for step in traces[0].steps if step.usage] == ["m", "n"]
    assert [_tokens(step) for step in traces[0].steps if step.usage] == [
        (30, 0, 0, 4, 0),
        (1, 0, 0, 1, 0),
    ]


# --- LangSmith ---


def _run(run_id: str, run_type: str, second: int, **more: Any) -> dict[str, Any]:
    times = {
        "start_time": f"{_DAY}{second:02}.000000",
        "end_time": f"{_DAY}{second + 1:02}.000000",
    }
    return {
        "id": run_id,
        "trace_id": "r",
        "name": run_id,
        "run_type": run_type,
        **times,
        **more,
    }


_USAGE = {
    "input_tokens": 50,
    "output_tokens": 20,
    "total_tokens": 70,
    "input_token_details": {"cache_read": 30},
    "output_token_details": {"reasoning": 5},
}
_HUMAN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "HumanMessage"],
    "kwargs": {"content": "q" * 40},
}
_RUNS = [
    _run(
        "r",
        "chain",
        0,
        total_tokens=170,
        prompt_tokens=150,
        completion_tokens=20,
        total_cost="0.5",
    ),
    _run(
        "llm1",
        "llm",
        1,
        parent_run_id="r",
        prompt_tokens=100,
        completion_tokens=10,
        total_tokens=110,
        total_cost=0.25,
        inputs={"messages": [[_HUMAN]]},
        outputs={
            "generations": [
                [
                    {
                        "message": {
                            "kwargs": {"content": "", "tool_calls": [{"name": "kb"}]}
                        }
                    }
                ]
            ]
        },
        extra={"metadata": {"ls_model_name": "m", "ls_provider": "openai"}, "other": 1},
    ),
    _run(
        "kb_search",
        "tool",
        3,
        parent_run_id="r",
        inputs={"q": 1},
        outputs={"output": "z" * 40},
        error="Boom\nat x",
    ),
    _run(
        "llm2",
        "llm",
        5,
        parent_run_id="r",
        outputs={
            "generations": [
                [{"message": {"kwargs": {"content": "A", "usage_metadata": _USAGE}}}]
            ]
        },
    ),
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, reversed(_RUNS))),
        json.dumps(_RUNS),
        json.dumps({"runs": _RUNS, "cursors": {"next": None}}),
        json.dumps(
            {**_RUNS[0], "child_runs": [{**run, "trace_id": None} for run in _RUNS[1:]]}
        ),
    ],
    ids=["lines", "list", "page", "tree"],
)
def test_langsmith_runs(tmp_path: Path, text: str) -> None:
    traces, _, problems = _read(tmp_path / "runs", text)

    chain, first, tool, last = traces[0].steps
    assert problems == []
    assert _states(traces[0]) == ["OBSERVE", "THINK", "RETRIEVE", "FINALIZE"]
    assert (_tokens(chain), chain.reported_cost) == (None, None)
    assert (_tokens(first), _tokens(last)) == ((100, 0, 0, 10, 0), (20, 30, 0, 15, 5))
    extra = cast("dict[str, object]", first.details["extra"])
    assert (first.model_name, first.provider, extra["other"]) == ("m", "openai", 1)
    assert first.reported_cost is not None
    assert first.reported_cost.amount == Decimal("0.25")
    assert first.context is not None
    assert first.context.user_instruction_tokens == 10
    assert (tool.status, tool.error_type, tool.tools[0].response_tokens_raw) == (
        "error",
        "Boom",
        10,
    )


# --- tau ---


def _message(role: str, second: int, **more: Any) -> dict[str, Any]:
    return {
        "role": role,
        "content": f"{role} {second}",
        "timestamp": f"{_DAY}{second:02}",
        **more,
    }


_SIMULATION = {
    "id": "sim",
    "task_id": "4",
    "start_time": f"{_DAY}00",
    "end_time": f"{_DAY}20",
    "agent_cost": 0.3,
    "user_cost": 0.5,
    "messages": [
        _message("assistant", 1, cost=0.0, usage=None),
        _message(
            "user", 2, cost=0.5, usage={"prompt_tokens": 7, "completion_tokens": 2}
        ),
        _message(
            "assistant",
            5,
            cost=0.1,
            usage={
                "prompt_tokens": 90,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 50},
            },
            tool_calls=[{"id": "c", "name": "get_user", "arguments": {"id": 1}}],
        ),
        _message("tool", 6, id="c", error=True),
        _message(
            "assistant",
            9,
            cost=0.2,
            usage={"prompt_tokens": 99, "completion_tokens": 5},
        ),
    ],
}


def test_tau2_document(tmp_path: Path) -> None:
    document = {
        "info": {"agent_info": {"llm": "m"}},
        "tasks": [{"id": "4", "text": "x" * 300_000}],
        "simulations": [_SIMULATION, {"id": "broken"}],
    }

    traces, reading, problems = _read(
        tmp_path / "results.json", json.dumps(document, indent=1)
    )

    trace = traces[0]
    scripted, user, think, tool, final = trace.steps
    assert (trace.trace_id, trace.task_id, trace.latency_ms, reading.traces) == (
        "sim",
        "4",
        20_000,
        1,
    )
    assert _states(trace) == ["THINK", "OBSERVE", "THINK", "API_CALL", "FINALIZE"]
    assert [_tokens(step) for step in trace.steps] == [
        None,
        None,
        (40, 50, 0, 4, 0),
        None,
        (99, 0, 0, 5, 0),
    ]
    assert scripted.usage_status == "none"
    assert (user.agent_id, user.details["simulator_cost"], user.reported_cost) == (
        "user_simulator",
        0.5,
        None,
    )
    assert (think.model_name, think.latency_ms) == ("m", 3_000)
    assert (tool.status, tool.tools[0].tool_name) == ("error", "get_user")
    assert sum(
        step.reported_cost.amount for step in trace.steps if step.reported_cost
    ) == Decimal("0.3")
    assert final.reported_cost is not None
    assert problems[0].endswith("the run has no list of messages")


def test_tau_bench_rows_without_tokens(tmp_path: Path) -> None:
    asks = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "k", "function": {"name": "think", "arguments": "{}"}}],
    }
    traj = [
        {"role": "user", "content": "hi"},
        asks,
        {"role": "tool", "name": "think", "content": ""},
    ]

    traces, _, _ = _read(
        tmp_path / "r.json",
        json.dumps([{"task_id": 3, "trial": 1, "reward": 1.0, "traj": traj}]),
    )

    assert (traces[0].trace_id, traces[0].details["reward"]) == ("tau:3:1", 1.0)
    assert [step.usage_status.value for step in traces[0].steps] == [
        "none",
        "missing",
        "none",
    ]


# --- which format, which files ---


def test_a_format_can_be_named_and_a_wrong_name_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text("[]")

    assert list(read_traces([path], format="langsmith")) == []
    for name in ("claude-code", "claude_code"):
        assert reader_named(name).name == "claude_code"
        assert format_named(name).name == "claude-code"
    with pytest.raises(
        ConfigError, match=r"there is no trace format 'otpl' \(did you mean 'otlp'\?\)"
    ):
        list(read_traces([path], format="otpl"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"hello", "is of no known trace format"),
        (b'{"a": 1}', "is of no known trace format"),
        (b"\x1f\x8bnonsense", "cannot be read"),
        (b"\x00" * 50, "is of no known trace format"),
    ],
)
def test_files_that_are_no_traces_are_one_line(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)

    with pytest.raises(InputError, match=says) as raised:
        list(read_traces([path]))
    assert str(raised.value).startswith(str(path))


def test_packed_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "t.json.gz").write_bytes(
        gzip.compress(json.dumps(_ATIF).encode())
    )

    assert [trace.trace_id for trace in read_traces(paths_of([tmp_path]))] == ["s1"]
    with pytest.raises(InputError, match="does not exist"):
        paths_of([tmp_path / "absent"])
