"""Transcripts that the real libraries wrote (make.py): everything that the scripted conversations hold is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of
from judgemesh.mesh.tracing.readers.source import TraceFile

from .make import MALFORMED, RESULTS, SCENARIOS

FOLDER = Path(__file__).parent / "fixtures"
FILES = sorted(FOLDER.glob("*/*.json"))
NO_TOKENS = ("agents_input", "anthropic", "openai_chat", "llamaindex")
LOSE_MALFORMED = ("google_exchange", "haystack")
"""Forms that drop a call whose arguments are no JSON, and keep only why the model stopped."""
END_AT_MALFORMED = ("langchain_dicts", "langgraph_state", "google_exchange")
"""Agents that stop there."""


def read(path: Path) -> Conversation:
    (conversation,) = conversations_of(Document(path.name, TraceFile(path)))
    return conversation


def test_each_library_has_each_scenario() -> None:
    assert {(path.parent.name, path.stem) for path in FILES} == {
        (folder.name, name) for folder in FOLDER.iterdir() for name in SCENARIOS
    }
    assert len({path.parent for path in FILES}) >= 10


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_everything_is_read(path: Path) -> None:
    form, scenario = path.parent.name, path.stem
    turns = SCENARIOS[scenario]
    conversation = read(path)
    calls = list(conversation.calls)
    lost = scenario == "malformed" and form in LOSE_MALFORMED
    assert bool(conversation.unread) is lost
    assert list(conversation.user_turns) == [user for user, _ in turns]
    wanted = [call for _, replies in turns for _, made in replies for call in made]
    assert [step["tool_name"] for step in calls] == (
        [] if lost else [tool for tool, _ in wanted]
    )
    for (tool, arguments), step in zip(wanted, calls, strict=False):
        check_call(form, tool, arguments, step)
    ends = scenario == "malformed" and form in END_AT_MALFORMED
    assert conversation.answer == (None if ends else turns[-1][1][-1][0])
    assert (conversation.tokens_in is None) is (form in NO_TOKENS)


def check_call(form: str, tool: str, arguments: str, step: dict[str, Any]) -> None:
    if arguments == MALFORMED and form == "anthropic":
        assert step["arguments"] == {}  # the provider sends an object
        return
    if arguments == MALFORMED:
        assert step["arguments_text"] == MALFORMED
        return
    assert step["arguments"] == json.loads(arguments)
    assert "arguments_text" not in step
    failed = '"fail"' in arguments
    flagged = form not in ("openai_chat", "agents_runs", "agents_input", "llamaindex")
    assert (step.get("status") == "error") is (failed and flagged)
    if not failed:
        assert same(step["result"], RESULTS[tool])


def same(given: Any, wanted: Any) -> bool:
    """Whether a result is the tool's, as JSON or as Python writes it."""
    if form_of(given) == wanted:
        return True
    return given in (
        str(wanted),
        {"result": json.dumps(wanted, ensure_ascii=False)},
        {"result": wanted},
    )


def form_of(value: Any) -> Any:
    try:
        return json.loads(value)
    except (ValueError, TypeError):
        return value


def test_three_calls_at_once_are_one_group() -> None:
    for path in FILES:
        if path.stem == "parallel":
            groups = {step["together"] for step in read(path).calls}
            assert len(groups) == 1, path


def test_several_conversations_in_a_file(tmp_path: Path) -> None:
    messages = [
        json.loads(
            (FOLDER / "openai_chat" / f"{name}.json").read_text(encoding="utf-8")
        )
        for name in SCENARIOS
    ]
    path = tmp_path / "tuning.jsonl"
    path.write_text(
        "\n".join(json.dumps({"messages": each}) for each in messages), encoding="utf-8"
    )
    found = list(conversations_of(Document("tuning", TraceFile(path))))
    assert [list(each.calls) for each in found] == [
        list(read(FOLDER / "openai_chat" / f"{name}.json").calls) for name in SCENARIOS
    ]
