"""The recorder: what it writes is read back as the run that was, whatever happens to the process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import EventType, StateType, Trace, UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing import Recorder
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.readers.ingest import read_traces
from judgemesh.mesh.tracing.steps.step_events import UNFINISHED

from .imported import import_files, rows_of

PRICE = {
    "model_name": "alpha",
    "price_input_per_million": 1,
    "price_output_per_million": 2,
    "currency": "USD",
    "price_version": "then",
}


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def only_trace(path: Path) -> Trace:
    (trace,) = read_traces([path])
    return trace


def test_a_run_comes_back_as_its_steps(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "trace.jsonl"
    with (
        Recorder(path) as recorder,
        recorder.run(trace_id="r", task_id="t", agent_id="a", skill_id="s"),
    ):
        with recorder.think(decision_type="call_tool") as step:
            step.context_compiled(
                {"skill_instruction": 600}, history=300, user_instruction_tokens=100
            )
            step.model_called(
                usage={"prompt_tokens": 1000, "completion_tokens": 50},
                model_name="alpha",
                provider="openai",
                latency_ms=812,
                price=PRICE,
            )
            with recorder.retrieve(
                retriever_name="kb", top_k=20, raw_result_tokens=800
            ) as inner:
                inner.set(tokens_sent_to_next_llm=200, tool_cost=0.25)
        with (
            recorder.mcp_call(mcp_server="trials", agent_id="other") as step,
            step.tool_call("search") as call,
        ):
            call.set(response_tokens_raw=12, tool_cost=0.5)
        with recorder.validate(validator_name="v") as step:
            step.validator_called("format", issues_found=2, issues_fixed_later=1)
            step.validator_called("facts", issues_found=1)
        with recorder.file_write(file_path="/out.docx") as step:
            step.artifact_created("/out.docx", bytes=10)
            step.artifact_modified("/out.docx")
            step.state_changed("/files/out.docx", after="there")

    trace = priced(only_trace(path))
    think, retrieve, mcp, validate, write = trace.steps
    assert (trace.trace_id, trace.task_id, trace.status, trace.problems) == (
        "r",
        "t",
        "success",
        (),
    )
    assert (think.state_type, think.usage, think.model_name) == (
        StateType.THINK,
        Usage(1000, 0, 0, 50),
        "alpha",
    )
    assert think.costs.llm == Money(Decimal("0.0011"))
    assert think.context is not None
    assert dict(think.context.items())["skill_instruction"] == 600
    assert think.context.total == 1000
    assert (retrieve.parent_step_id, retrieve.costs.state) == (
        think.step_id,
        Money(Decimal("0.25")),
    )
    assert retrieve.tools[0].tool_name == "kb"
    assert [step.agent_id for step in trace.steps] == ["a", "a", "other", "a", "a"]
    assert (mcp.tools[0].tool_name, mcp.costs.tool) == ("search", Money(Decimal("0.5")))
    assert validate.details["issues_found"] == 3
    assert write.details["artifacts_created"] == [{"path": "/out.docx", "bytes": 10}]
    assert write.details["artifacts_modified"] == [{"path": "/out.docx"}]
    assert write.details["state_changes"] == [
        {"path": "/files/out.docx", "after": "there"}
    ]
    assert {event["event_type"] for event in events(path)} == {
        kind.value for kind in EventType
    }


def test_each_state_has_its_context_manager(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t.jsonl") as recorder, recorder.run():
        for state in StateType:
            with getattr(recorder, state.value.lower())() as step:
                assert step.state is state
    assert [step.state_type for step in only_trace(tmp_path / "t.jsonl").steps] == list(
        StateType
    )


@pytest.mark.anyio
async def test_parallel_tasks_keep_their_parents(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with Recorder(path) as recorder, recorder.run():

        async def branch(name: str) -> None:
            with recorder.think(branch=name):
                await asyncio.sleep(0)
                with recorder.api_call(branch=name):
                    await asyncio.sleep(0.001)
                    with recorder.db_query(branch=name):
                        await asyncio.sleep(0)
                assert recorder.current() is not None
            assert recorder.current() is None

        await asyncio.gather(*(branch(f"b{number}") for number in range(20)))
    steps = {step.step_id: step for step in only_trace(path).steps}
    assert len(steps) == 60
    for step in steps.values():
        if step.state_type is StateType.THINK:
            assert step.parent_step_id is None
        else:
            parent = steps[step.parent_step_id or 0]
            assert parent.details["branch"] == step.details["branch"]
            assert (parent.state_type, step.state_type) in {
                (StateType.THINK, StateType.API_CALL),
                (StateType.API_CALL, StateType.DB_QUERY),
            }


def test_threads_share_a_file_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with Recorder(path) as recorder:

        def work(name: str) -> None:
            with recorder.run(trace_id=name):
                for _ in range(200):
                    with recorder.think(note="x" * 500):
                        pass

        threads = [
            threading.Thread(target=work, args=(f"r{number}",)) for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {trace.trace_id: len(trace.steps) for trace in read_traces([path])} == {
        f"r{n}": 200 for n in range(4)
    }


def test_two_recorders_at_once_do_not_mix(tmp_path: Path) -> None:
    with (
        Recorder(tmp_path / "a") as first,
        Recorder(tmp_path / "b") as second,
        first.run(),
        second.run(),
        first.think(),
        second.observe(),
        first.retrieve(),
    ):
        pass
    steps = only_trace(tmp_path / "a").steps
    assert [(step.state_type.value, step.parent_step_id) for step in steps] == [
        ("THINK", None),
        ("RETRIEVE", 1),
    ]
    assert [step.parent_step_id for step in only_trace(tmp_path / "b").steps] == [None]


def test_a_killed_process_leaves_a_readable_trace(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("recorder_child.py")), str(path)],
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    child.kill()
    child.wait()
    child.stdout.close()

    assert path.read_bytes().endswith(b"\n")
    lost: list[str] = []
    (trace,) = read_traces([path], on_malformed=lost.append)
    assert lost == []
    assert trace.status == UNFINISHED
    assert len(trace.steps) >= 50
    assert all(step.usage == Usage(10, 0, 0, 1) for step in trace.steps[:50])
    assert {step.status for step in trace.steps[:-1]} == {"success"}


def test_half_a_line_of_another_process_is_ended_first(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"trace_id": "old", "st')
    with Recorder(path) as recorder, recorder.run(trace_id="new"), recorder.think():
        pass
    lost: list[str] = []
    traces = list(read_traces([path], on_malformed=lost.append, format="events"))
    assert [trace.trace_id for trace in traces] == ["new"]
    assert len(lost) == 1


class _Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_any_value_can_be_recorded(tmp_path: Path) -> None:
    loop: list[object] = []
    loop.append(loop)
    odd = {
        "nan": float("nan"),
        "object": object,
        "moment": datetime(2026, 1, 1, tzinfo=UTC),
        "loop": loop,
        "surrogate": "\ud800",
        "hostile": _Hostile(),
        "bytes": b"\xff",
        "set": {1},
        "keys": {(1, 2): 3},
    }
    path = tmp_path / "t.jsonl"
    with Recorder(path) as recorder, recorder.run(trace_id="r"):
        for name, value in odd.items():
            with recorder.observe(**{name: value}):
                pass
    assert recorder.lost == 0
    assert len(only_trace(path).steps) == len(odd)
    assert "NaN" not in path.read_text(encoding="utf-8")


def test_usage_objects_of_client_libraries_are_taken_apart(tmp_path: Path) -> None:
    class Reported:
        def __init__(self) -> None:
            self.prompt_tokens, self.completion_tokens = 10, 2
            self.prompt_tokens_details = {"cached_tokens": 4}

    class Dumped:
        def model_dump(self) -> dict[str, object]:
            return {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 7}

    with Recorder(tmp_path / "t") as recorder, recorder.run():
        with recorder.think() as step:
            step.model_called(usage=Reported())
        with recorder.think() as step, step.model_call(model_name="m") as call:
            call.set(usage=Dumped())
        with recorder.think() as step:
            step.model_called(model_name="m")
    first, second, third = only_trace(tmp_path / "t").steps
    assert first.usage == Usage(6, 4, 0, 2)
    assert second.usage == Usage(3, 7, 0, 1)
    assert (third.usage, third.usage_status) == (None, UsageStatus.MISSING)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("x"), "error"),
        (TimeoutError(), "timeout"),
        (asyncio.CancelledError(), "cancelled"),
    ],
)
def test_a_failing_step_says_how(
    tmp_path: Path, error: BaseException, status: str
) -> None:
    path = tmp_path / "t.jsonl"
    with (
        pytest.raises(type(error)),
        Recorder(path) as recorder,
        recorder.run(),
        recorder.think(),
    ):
        raise error
    trace = only_trace(path)
    assert (trace.status, trace.steps[0].status, trace.steps[0].error_type) == (
        status,
        status,
        type(error).__name__,
    )


def test_a_disk_that_fails_never_fails_the_agent(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Recorder("/dev/full") as recorder, recorder.run(), recorder.think():
        pass
    assert recorder.lost == 4
    assert isinstance(recorder.fault, OSError)

    closed = Recorder(tmp_path / "t")
    closed.close()
    with closed.run():
        pass
    assert closed.lost == 2


def test_a_step_outside_of_a_run_is_a_mistake_of_the_programmer(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t") as recorder:
        with pytest.raises(RuntimeError, match=r"recorder\.run"):
            recorder.think()
        with recorder.run(), pytest.raises(ValueError, match="PONDER"):
            recorder.step("PONDER")


def test_a_step_closed_in_another_context_leaves_the_position_whole(
    tmp_path: Path,
) -> None:
    async def stream(recorder: Recorder) -> AsyncGenerator[int, None]:
        with recorder.think():
            yield 1
            yield 2

    async def main() -> None:
        with Recorder(tmp_path / "t") as recorder, recorder.run():
            generator = stream(recorder)

            async def first() -> int:
                return await anext(generator)

            assert await asyncio.create_task(first()) == 1
            await generator.aclose()
            with recorder.observe():
                pass

    asyncio.run(main())
    states = [step.state_type for step in only_trace(tmp_path / "t").steps]
    assert states == [StateType.THINK, StateType.OBSERVE]


def test_the_recorder_needs_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import judgemesh.mesh.tracing.instrument;"
        "new = {name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names);"
        "print(sorted(new)); print('asyncio' in sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ},
    ).stdout.splitlines()
    assert output == ["['judgemesh']", "False"]


def test_a_payload_is_kept_to_its_last_field(tmp_path: Path) -> None:
    """What a step has no field for is in its details, and in the ledger."""
    path, ledger = tmp_path / "t.jsonl", tmp_path / "ledger.db"
    usage = {"prompt_tokens": 2700, "completion_tokens": 5}
    context = {"cacheable_tokens": 2600, "segments": ["skill/a", "skill/b"]}
    with Recorder(path) as recorder, recorder.run(trace_id="t"):
        with recorder.think() as step:
            step.context_compiled({"skill_instruction": 2600}, **context)
            step.model_called(
                model_name="gpt-4o", usage=usage, service_tier="flex", request_id="r9"
            )
        with recorder.step("MCP_CALL") as step:
            step.tool_called("maps", mcp_server="geo", http_status=503, status="error")
        with recorder.think() as step:
            for number in (1, 2):
                step.model_called(usage=usage, request_id=f"r{number}")
    import_files(ledger, [path])

    (trace,) = read_traces([path])
    think, call, twice = trace.steps
    assert think.usage is not None
    assert think.usage.service_tier == "flex"
    assert think.details == {**context, "request_id": "r9"}
    assert call.details == {"mcp_server": "geo", "http_status": 503}
    names = {"models_called": [{"request_id": "r1"}, {"request_id": "r2"}]}
    assert twice.details == names
    kept = [json.loads(row["state_fields"]) for row in rows_of(ledger)["trace_step"]]
    assert sorted(kept, key=repr) == sorted(
        (step.details for step in (think, call, twice)), key=repr
    )
