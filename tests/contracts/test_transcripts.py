"""The messages of every framework are read as the same steps, and what cannot be read is said to be unread."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.trace import Trace
from judgemesh.contracts.transcripts.looks import writes_call
from judgemesh.contracts.transcripts.reading import read_trace

from .message_forms import FORMS, WRITTEN, Run, Turn, Used

RUN: Run = (
    Turn(True, "Please refund order A-7."),
    Turn(
        False,
        "I look it up.",
        (
            Used("get_order", {"order_id": "A-7"}, '{"total": 90}'),
            Used("get_customer", {"id": "C-1"}, "no such customer", error=True),
        ),
    ),
    Turn(False, "", (Used("list_rules", {}),)),
    Turn(False, "", (Used("refund", {"order_id": "A-7", "amount": 90}),)),
    Turn(False, "Your refund is on its way."),
)


def calls_of(trace: Trace) -> list[tuple[str, dict[str, Any], str, bool]]:
    """Tool, arguments, result as text and failure of each call."""
    found: list[tuple[str, dict[str, Any], str, bool]] = []
    for step in trace.steps:
        if step.tool_name is not None:
            failed = step.status == "error" or bool(step.error)
            found.append(
                (step.tool_name, step.arguments, json.dumps(step.result), failed)
            )
    return found


def texts_of(trace: Trace) -> list[tuple[str, str]]:
    """Who said what: `user` or somebody else."""
    said: list[tuple[str, str]] = []
    for step in trace.steps:
        if step.tool_name is None and step.content:
            speaker = "user" if step.role in ("user", "human") else "agent"
            said.append((speaker, step.content))
    return said


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_calls_and_texts(form: str) -> None:
    trace = Trace.model_validate(FORMS[form](RUN))
    assert trace.unread is None
    expected = Trace.model_validate(FORMS["own"](RUN))
    assert [call[:2] for call in calls_of(trace)] == [
        call[:2] for call in calls_of(expected)
    ]
    assert [call[3] for call in calls_of(trace)] == [
        call[3] for call in calls_of(expected)
    ]
    for found, wanted in zip(calls_of(trace), calls_of(expected), strict=True):
        assert json.loads(wanted[2]) in found[2] or wanted[2] in found[2] or found[3]
    assert texts_of(trace) == texts_of(expected)


_NAMES = st.sampled_from(
    ["refund", "deleteUser", "send-mail", "get.order", "b", "search_call_log"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=2)
    ),
    max_leaves=5,
)
_CALLS = st.builds(
    Used,
    _NAMES,
    st.dictionaries(
        st.sampled_from(["id", "amount", "name", "input"]), _VALUES, max_size=3
    ),
)
_WORDS = st.sampled_from(["One moment.", "I will do that.", "Done, anything else?"])
_TURNS = st.one_of(
    st.builds(Turn, st.just(True), _WORDS),
    st.builds(Turn, st.just(False), _WORDS, st.lists(_CALLS, max_size=3)),
)


@given(
    run=st.lists(_TURNS, min_size=1, max_size=4), form=st.sampled_from(sorted(FORMS))
)
@settings(max_examples=300, deadline=None)
def test_no_form_hides_or_invents_a_call(run: Run, form: str) -> None:
    trace = Trace.model_validate(FORMS[form](run))
    assert trace.unread is None
    expected = Trace.model_validate(FORMS["own"](run))
    assert [call[:2] for call in calls_of(trace)] == [
        call[:2] for call in calls_of(expected)
    ]


@given(
    form=st.sampled_from(sorted(FORMS)),
    key=st.text(min_size=1, max_size=12),
    value=_VALUES,
    data=st.data(),
)
@settings(max_examples=300, deadline=None)
def test_an_unknown_key_never_hides_a_call(
    form: str, key: str, value: object, data: st.DataObject
) -> None:
    messages = FORMS[form](RUN)
    changed = data.draw(st.integers(0, len(messages) - 1))
    if key not in messages[changed]:
        messages[changed] = {**messages[changed], f"x_{key}": value}
    trace = Trace.model_validate(messages)
    names = [call[0] for call in calls_of(trace)]
    assert trace.unread is not None or names == [
        "get_order",
        "get_customer",
        "list_rules",
        "refund",
    ]


@given(
    run=st.lists(_TURNS, min_size=1, max_size=4), form=st.sampled_from(sorted(WRITTEN))
)
@settings(max_examples=300, deadline=None)
def test_a_call_that_a_template_writes_is_a_call_where_a_result_follows(
    run: Run, form: str
) -> None:
    trace = Trace.model_validate(WRITTEN[form](run))
    expected = Trace.model_validate(FORMS["own"](run))
    assert trace.unread is None
    assert [call[:2] for call in calls_of(trace)] == [
        call[:2] for call in calls_of(expected)
    ]
    assert texts_of(trace) == texts_of(expected)


@pytest.mark.parametrize("form", WRITTEN)
def test_a_written_call_without_a_result_leaves_the_trace_unread(form: str) -> None:
    asked = Turn(True, "Where is order A-7?")
    run = (asked, Turn(False, "", (Used("refund", {"order_id": "A-7"}),)))
    messages = WRITTEN[form](run)
    for kept in (messages[:-1], [*messages, messages[-1]]):
        trace = Trace.model_validate(kept)
        assert trace.unread is not None
    complete = {"steps": messages[:-1], "complete": True}
    assert Trace.model_validate(complete).unread is None


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>refund</tool_call>",
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"name": "refund", "arguments": "all"}</tool_call>',
        '[TOOL_CALLS]{"name": "refund"',
        "<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{<|tool_call_end|>x",
        "<function_calls>refund</function_calls>",
        '<tool_call>{"name": "refund"}</tool_call><tool_call>{"name": "pay"}</tool_call>',
    ],
)
def test_a_written_call_that_cannot_be_read_leaves_the_trace_unread(text: str) -> None:
    said = {"role": "assistant", "content": text}
    trace = Trace.model_validate([said, {"role": "tool", "content": "done"}])
    assert trace.unread is not None


def test_what_stands_around_a_written_call_is_said() -> None:
    call = '<tool_call>{"name": "refund", "arguments": {}}</tool_call>'
    said = {"role": "assistant", "content": f"One moment. {call} I tell the owner too."}
    trace = Trace.model_validate([said, {"role": "tool", "content": "done"}])
    assert trace.unread is None
    assert texts_of(trace) == [("agent", "One moment. \n I tell the owner too.")]


@pytest.mark.parametrize("form", WRITTEN)
def test_no_written_call_hides_behind_one_that_was_answered(form: str) -> None:
    answered = Turn(False, "", (Used("get_order", {"order_id": "A-7"}),))
    hidden = Turn(False, "", (Used("delete_all", {}),))
    messages = [*WRITTEN[form]((answered,)), *WRITTEN[form]((hidden,))[:1]]
    for more in ([], [{"role": "assistant", "content": "Done."}]):
        assert Trace.model_validate([*messages, *more]).unread is not None


def test_calls_of_two_forms_in_one_text_leave_the_trace_unread() -> None:
    text = (
        '<tool_call>{"name": "get_order"}</tool_call><function=delete_all>{}</function>'
    )
    said = {"role": "assistant", "content": text}
    trace = Trace.model_validate([said, {"role": "tool", "content": "done"}])
    assert trace.unread is not None


@pytest.mark.parametrize("key", ["output", "response", "completion"])
def test_data_beside_the_steps_is_no_reply(key: str) -> None:
    call: dict[str, Any] = {"tool": "get_order", "args": {}, "output": "done"}
    assert Trace.model_validate({"calls": [call], key: {"total": 90}}).unread is None
    reply = {"role": "assistant", "content": "Paid."}
    assert Trace.model_validate({"calls": [call], key: reply}).unread is not None


def test_the_text_of_a_message_with_results_ends_its_turn() -> None:
    call = {"toolName": "get_order", "args": {"id": "A-7"}, "result": "paid"}
    message = {"role": "assistant", "content": "It is paid.", "toolInvocations": [call]}
    steps = Trace.model_validate([message]).steps
    assert [step.tool_name or step.content for step in steps] == [
        "get_order",
        "It is paid.",
    ]


def _under(*keys: str) -> Callable[[list[Any]], Any]:
    """Puts a list of messages under keys, the outermost first."""

    def hold(messages: list[Any]) -> Any:
        held: Any = messages
        for key in reversed(keys):
            held = {key: held, "id": 7}
        return held

    return hold


@pytest.mark.parametrize(
    "holder",
    [
        _under("messages"),
        _under("events"),
        _under("conversation"),
        _under("state", "messages"),
        json.dumps,
    ],
)
def test_where_the_list_stands(holder: Callable[[list[Any]], Any]) -> None:
    trace = Trace.model_validate(holder(FORMS["openai_chat"](RUN)))
    assert trace.unread is None
    assert len(calls_of(trace)) == 4


UNREAD: dict[str, Any] = {
    "calls as text": [
        {"role": "assistant", "content": "", "tool_calls": "refund(A-7)"}
    ],
    "calls as texts": [{"role": "assistant", "content": "", "tool_calls": ["refund"]}],
    "a call without a name": [
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}],
        }
    ],
    "an unknown block": [
        {
            "role": "assistant",
            "content": [{"type": "x9", "doc": {"tool": "refund", "args": {}}}],
        }
    ],
    "a block of the kind of a call": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]}
    ],
    "calls under an unknown key": [
        {"role": "assistant", "content": "", "x": [{"name": "refund", "arguments": {}}]}
    ],
    "events nobody knows": [{"a": 1}, {"b": 2}],
    "spans": [{"spanId": "1", "name": "execute_tool refund", "attributes": []}],
    "lines of text": ["user: hi", "assistant calls refund"],
    "numbers": [1, 2],
    "a result without a call": [
        {"role": "user", "content": "hi"},
        {"role": "tool", "content": "refunded"},
    ],
    "two lists that disagree": {
        "steps": [{"tool_name": "look", "arguments": {}}],
        "messages": [
            {"role": "assistant", "tool_calls": [{"name": "refund", "args": {}}]}
        ],
    },
    "no list": {"run": "x", "spans_file": 7},
    "JSON in the text": [
        {
            "role": "assistant",
            "content": '```json\n{"tool": "refund", "args": {"id": 7}}\n```',
        }
    ],
    "an action in the text": [
        {
            "role": "assistant",
            "content": "Thought: x\nAction: refund\nAction Input: A-7",
        }
    ],
    "a tag in the text": [
        {"role": "assistant", "content": '<tool_call>{"name": "refund"}</tool_call>'}
    ],
    "harmony in the text": [
        {
            "role": "assistant",
            "content": "<|channel|>commentary to=functions.refund <|message|>{}<|call|>",
        }
    ],
    "the end of a harmony call": [{"role": "assistant", "content": "refund{}<|call|>"}],
    "tokens of DeepSeek in the text": [
        {
            "role": "assistant",
            "content": "<\uff5ctool\u2581calls\u2581begin\uff5c>refund",
        }
    ],
    "code of Gemma in the text": [
        {"role": "assistant", "content": "```tool_code\nrefund(id=7)\n```"}
    ],
    "several calls in one that cannot be read": [
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "c",
                    "function": {"name": "multi_tool_use.parallel", "arguments": "{"},
                }
            ],
        }
    ],
    "a step of several calls that cannot be read": [
        {"tool_name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{}]}}
    ],
    "text that is no JSON": '[{"role": "assistant"',
}


@pytest.mark.parametrize("case", UNREAD)
def test_what_cannot_be_read_is_unread(case: str) -> None:
    trace = Trace.model_validate(UNREAD[case])
    assert trace.unread, trace.steps


READ: dict[str, Any] = {
    "definitions of tools": [
        {
            "role": "user",
            "content": "hi",
            "tools": [{"name": "refund", "parameters": {"type": "object"}}],
        }
    ],
    "an image": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    ],
    "an empty list of calls": [
        {"role": "assistant", "content": "hi", "tool_calls": [], "function_call": None}
    ],
    "a user who writes JSON": [
        {"role": "user", "content": '{"tool": "hammer", "args": {}}'}
    ],
    "an answer in JSON": [
        {"role": "assistant", "content": '{"name": "Ann", "total": 7}'}
    ],
    "a citation": [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "x", "citations": [{"url": "y"}]}],
        }
    ],
    "a beginning of a session": [
        {"type": "session_start", "id": 1},
        {"role": "user", "content": "hi"},
    ],
}


@pytest.mark.parametrize("case", READ)
def test_what_holds_no_call_is_read(case: str) -> None:
    trace = Trace.model_validate(READ[case])
    assert trace.unread is None
    assert not calls_of(trace)


@pytest.mark.parametrize(
    ("arguments", "expected", "text"),
    [
        (None, {}, None),
        ("", {}, None),
        ("{}", {}, None),
        ("null", {}, None),
        ('{"a": 1}', {"a": 1}, None),
        ('"{\\"a\\": 1}"', {"a": 1}, None),
        ("{'a': None}", {"a": None}, None),
        ('{"a": 1', {}, '{"a": 1'),
        ('{"a": 1, "a": 2}', {}, '{"a": 1, "a": 2}'),
        ("A-7", {}, "A-7"),
        ([1], {}, "[1]"),
        (7, {}, "7"),
    ],
)
def test_arguments(arguments: object, expected: object, text: str | None) -> None:
    for step in (
        {"tool_name": "x", "arguments": arguments},
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "x", "arguments": arguments}}],
        },
    ):
        (read,) = Trace.model_validate([step]).steps
        assert (read.tool_name, read.arguments, read.arguments_text) == (
            "x",
            expected,
            text,
        )


_CARRIED = {
    "tool_uses": [
        {"recipient_name": "functions.refund", "parameters": {"id": 7}},
        {"recipient_name": "functions.refund", "parameters": {"id": 8}},
    ]
}


@pytest.mark.parametrize(
    "messages",
    [
        [
            {"role": "assistant", "tool_calls": [
                {"id": "c", "function": {"name": "multi_tool_use.parallel", "arguments": json.dumps(_CARRIED)}}
            ]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ],
        [{"tool_name": "multi_tool_use.parallel", "arguments": _CARRIED, "call_id": "c", "result": "ok"}],
        [{"tool_name": "batch", "arguments": {"invocations": [
            {"tool_name": "refund", "input": {"id": 7}}, {"tool_name": "refund", "input": {"id": 8}}
        ]}, "result": "ok"}],
    ],
)  # fmt: skip
def test_calls_inside_a_call_are_read(messages: list[Any]) -> None:
    trace = Trace.model_validate(messages)
    assert trace.unread is None
    assert calls_of(trace) == [
        ("refund", {"id": 7}, '"ok"', False),
        ("refund", {"id": 8}, '"ok"', False),
    ]


def test_a_list_of_tool_responses_holds_results() -> None:
    call = {"id": "c", "function": {"name": "refund", "arguments": "{}"}}
    trace = Trace.model_validate(
        [
            {"role": "assistant", "tool_calls": [call], "name": "desk"},
            {
                "role": "tool",
                "name": "user_proxy",
                "content": "ok",
                "tool_responses": [
                    {"tool_call_id": "c", "role": "tool", "content": "ok"}
                ],
            },
        ]
    )
    assert calls_of(trace) == [("refund", {}, '"ok"', False)]


def test_a_custom_tool_of_a_chat_is_read() -> None:
    custom = {"name": "refund", "input": "A-7, 15"}
    trace = Trace.model_validate(
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "type": "custom", "custom": custom}],
            }
        ]
    )
    (step,) = trace.steps
    assert trace.unread is None
    assert (step.tool_name, step.arguments_text) == ("refund", "A-7, 15")


def test_reading_a_trace_twice_changes_nothing() -> None:
    for form in FORMS.values():
        trace = Trace.model_validate(form(RUN))
        again = Trace.model_validate(trace.model_dump())
        assert again == trace


def test_calls_of_one_message_belong_together() -> None:
    for name in (
        "openai_chat",
        "openai_responses",
        "anthropic",
        "gemini",
        "langchain",
        "bedrock",
        "autogen",
    ):
        trace = Trace.model_validate(FORMS[name](RUN))
        together = [step.together for step in trace.steps if step.tool_name]
        assert together[0] == together[1] != together[2], name


def test_messages_beside_empty_steps_are_read() -> None:
    messages = FORMS["openai_chat"](RUN)
    trace = Trace.model_validate({"steps": [], "messages": messages})
    assert len(calls_of(trace)) == 4


@pytest.mark.parametrize(
    "around",
    ["{" * 50_000, "{}" * 20_000, "{" * 20_000 + "}" * 19_999, '{"a": 1} ' * 5_000],
)
def test_a_call_among_many_braces_is_seen_in_one_pass(around: str) -> None:
    call = '{"name": "refund", "arguments": {"id": 7}}'
    assert writes_call(f"{around} {call}")
    assert not writes_call(around)


@pytest.mark.parametrize("form", FORMS)
def test_a_list_of_steps_alone_is_read_as_it_is_beside_other_keys(form: str) -> None:
    """The trace with another key takes the longer way."""
    messages = FORMS[form](RUN)
    for steps in (messages, messages[:1], [], ["a text"], [None], [*messages, 5]):
        alone, beside = {"steps": steps}, {"steps": steps, "ref": None}
        read, read_beside = read_trace(alone), read_trace(beside)
        assert read.pop("export", alone) == alone
        assert read_beside.pop("export", beside) == beside
        assert {**read, "ref": None} == read_beside
