"""Wrapped functions do what they did, and each call is a step with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing import Recorder
from judgemesh.mesh.tracing import instrument as at
from judgemesh.mesh.tracing.readers.ingest import read_traces


def words(value: object) -> int:
    return len(str(value).split())


def gives(value: object) -> Callable[..., object]:
    """A function of any arguments that gives `value`."""

    def function(*_: object) -> object:
        return value

    return function


def recorded(path: Path) -> Sequence[Step]:
    (trace,) = read_traces([path])
    return trace.steps


@pytest.mark.anyio
async def test_a_model_gateway_is_watched(tmp_path: Path) -> None:
    async def create(*, model: str, messages: list[str]) -> dict[str, Any]:
        """Answers."""
        return {
            "model": f"{model}-2026",
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
            "text": messages[0],
        }

    with Recorder(tmp_path / "t") as recorder:
        watched = at.watch(recorder, at.MODEL_GATEWAY, create)
        assert await watched(model="m", messages=["outside"]) == await create(
            model="m", messages=["outside"]
        )
        with recorder.run(), recorder.refine():
            assert (await watched(model="m", messages=["hi"]))["text"] == "hi"
    assert watched.__doc__ == "Answers."
    refine, think = recorded(tmp_path / "t")
    assert (think.state_type, think.usage, think.model_name) == (
        StateType.THINK,
        Usage(10, 0, 0, 2),
        "m-2026",
    )
    assert think.parent_step_id == refine.step_id
    assert refine.usage is None


def test_tools_retrieval_files_and_databases_are_watched(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t") as recorder, recorder.run():

        def wrap(boundary: at.Boundary, function: Any, **options: Any) -> Any:
            return at.watch(recorder, boundary, function, count_tokens=words, **options)

        tool = wrap(at.TOOL_ROUTER, gives("four words of answer"), name="weather")
        tool("Rome", "now")
        tool("Rome", "now")
        wrap(at.MCP_TOOL, gives("x"), name="lookup")()

        def more(_: at.BoundaryCall) -> dict[str, object]:
            return {"tool_cost": 0.5, "top_k": 2}

        wrap(at.RETRIEVAL, gives(["a b", "c d e"]), name="kb", describe=more)(
            "what is it"
        )
        wrap(at.FILE_READER, gives("text of file"))("/in/a.PDF")
        wrap(at.FILE_WRITER, gives(None))("/out/b.docx", "three words here")
        wrap(at.DATABASE, gives([(1,), (2,)]), name="clinical")("select 1")
        wrap(
            at.VALIDATOR_RUNNER,
            gives({"score": 0.5, "issues": ["a", "b"]}),
            name="format",
        )()
        wrap(at.STATE_DIFF, gives([1, 2, 3]))("/tickets/1")
        wrap(at.CONTEXT_COMPILER, gives({"history_tokens": 7}))()
    first, second, mcp, found, read, wrote, queried, validated, changed, compiled = (
        recorded(tmp_path / "t")
    )

    assert (
        first.state_type,
        first.tools[0].tool_name,
        first.tools[0].response_tokens_raw,
    ) == (
        StateType.API_CALL,
        "weather",
        4,
    )
    assert first.tools[0].arguments_digest == second.tools[0].arguments_digest
    assert (mcp.state_type, mcp.tools[0].tool_name) == (StateType.MCP_CALL, "lookup")
    assert (
        found.state_type,
        found.details["returned_chunks"],
        found.details["top_k"],
    ) == (StateType.RETRIEVE, 2, 2)
    assert [str(money.amount) for _, money in found.costs.parts()] == ["0.5"]
    assert (read.details["file_type"], read.details["raw_extracted_tokens"]) == (
        "pdf",
        3,
    )
    assert (wrote.state_type, wrote.details["content_tokens_written"]) == (
        StateType.FILE_WRITE,
        3,
    )
    assert (queried.details["rows_returned"], queried.details["query_tokens"]) == (2, 2)
    assert (validated.state_type, validated.details["issues_found"]) == (
        StateType.VALIDATE,
        2,
    )
    (change,) = cast("list[dict[str, object]]", changed.details["state_changes"])
    assert (change["path"], change["changes"]) == ("/tickets/1", 3)
    assert compiled.context is not None
    assert compiled.context.history_tokens == 7


def test_an_exception_goes_through_and_is_recorded(tmp_path: Path) -> None:
    def fail() -> None:
        raise TimeoutError

    with (
        Recorder(tmp_path / "t") as recorder,
        recorder.run(),
        pytest.raises(TimeoutError),
    ):
        at.watch(recorder, at.TOOL_ROUTER, fail)()
    (step,) = recorded(tmp_path / "t")
    assert (step.status, step.error_type, step.tools[0].status) == (
        "timeout",
        "TimeoutError",
        "timeout",
    )


def test_a_description_that_fails_does_not_fail_the_call(tmp_path: Path) -> None:
    def broken(call: at.BoundaryCall) -> dict[str, object]:
        return {"x": 1 / len(call.args)}

    with Recorder(tmp_path / "t") as recorder, recorder.run():
        watched = at.watch(recorder, at.RETRIEVAL, gives([1]), describe=broken)
        assert watched() == [1]
    (step,) = recorded(tmp_path / "t")
    assert step.details["recorder_error"] == "ZeroDivisionError: division by zero"
    assert step.details["tokens_basis"] == "estimated"


def test_tokens_are_estimated_by_characters() -> None:
    assert [
        at.estimate_tokens(value) for value in (None, "", "abcd", "abcde", {"a": 1})
    ] == [0, 0, 1, 2, 2]
