from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRefused,
    JudgeRejected,
)
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.replies.parse import VERDICT_SCHEMA, read_data, read_verdict


def reply(text: str, finish: str | None = "stop") -> ModelReply:
    return ModelReply(text=text, finish_reason=finish)


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        ('{"reason": "polite", "verdict": "yes"}', Vote.YES),
        ('{"verdict": "no"}', Vote.NO),
        ('{"reason": "", "verdict": "cannot_assess"}', Vote.CANNOT_ASSESS),
        ('{"reason": "", "verdict": "Cannot assess"}', Vote.CANNOT_ASSESS),
        ('{"reason": "", "verdict": " YES "}', Vote.YES),
        ('\n```json\n{"reason": "x", "verdict": "no"}\n```\n', Vote.NO),
        ('```\n{"verdict": "no"}\n```', Vote.NO),
        (
            'I looked at it.\n\n{"reason": "x", "verdict": "no"}\n\nHope this helps!',
            Vote.NO,
        ),
        (
            'First {"verdict": "no"}, and on reflection {"reason": "late", "verdict": "no"}',
            Vote.NO,
        ),
        ('They wrote {"status": "ok"}. {"verdict": "yes"} {"note": 1}', Vote.YES),
        ('{"verdict": "no", "draft": {"verdict": "yes"}}', Vote.NO),
        ('{"reason": "they say {\\"verdict\\": \\"yes\\"}", "verdict": "no"}', Vote.NO),
        ('{"Reason": "x", "Verdict": "Yes."}', Vote.YES),
        ('{"reason": "two\nlines", "verdict": "no"}', Vote.NO),
        ('{"reason": "im Protokoll", "verdict": "nein"}', Vote.NO),
        ('{"reason": "dans le journal", "verdict": "Oui"}', Vote.YES),
        # thoughts that the server does not take out
        ('<think>Is it? {"verdict": "no"}?</think>\n{"verdict": "yes"}', Vote.YES),
        ("<think>\nno, no\n</think>\n\nyes", Vote.YES),
        ('is it?\n</think>\n```json\n{"verdict": "no"}\n```', Vote.NO),
        ('<think>a</think>{"reason": "it says </think>", "verdict": "no"}', Vote.NO),
        ('{"reason": "it says </think> {}", "verdict": "no"}', Vote.NO),
        ("yes", Vote.YES),
        ("No.", Vote.NO),
        ("**Yes**", Vote.YES),
        ("The answer names no date.\n\nVerdict: no", Vote.NO),
        ("Final answer: **cannot_assess**", Vote.CANNOT_ASSESS),
        ("yes yes yes\nno", Vote.NO),
        ('"yes"', Vote.YES),
    ],
)
def test_a_verdict_is_read(text: str, vote: Vote) -> None:
    assert read_verdict(reply(text)).vote is vote


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "Thought process:",
        ":",
        "Yes, because the answer is polite.",
        "yes or no",
        "yesno",
        "The verdict is yes and also no",
        '{"reason": "no verdict here"}',
        '{"verdict": null}',
        '{"verdict": true}',
        '{"verdict": 1}',
        '{"verdict": "maybe"}',
        '{"verdict": "yes/no"}',
        '{"verdict": ["yes"]}',
        '{"verdict": {"verdict": "yes"}}',
        '{"verdict": "yes", "verdict": "no"}',
        '{"verdict": "yes", "Verdict": "no"}',
        '<think>They wrote </think>{"verdict": "yes"}, but</think>{"verdict": "no"}',
        '<think>so {"verdict": "yes"}',
        'So {"verdict": "no"}. It holds </think>{"verdict": "yes"}',
        "<think>yes</think>",
        '{"verdict": "yes", "a": [{"b": 1, "b": 2}]}',
        '{"verdict": "yes", "score": NaN}',
        '{"verdict": "yes", "score": -Infinity}',
        '{"verdict": "yes"',
        '{"verdict": yes}',
        "{'verdict': 'yes'}",
        '{"reason": "x",\n"verdict":\n"yes"',
        '{"verdict": "yes"} wait, {"reason": "it is late", "verdict": "n',
        '{"verdict": "yes"} so "verdict": "no"',
        'First {"verdict": "yes"}, but on reflection {"reason": "late", "verdict": "no"}',
        '{"verdict": "no"} {"verdict": "cannot_assess"}',
        '{"verdict": "maybe"} {"verdict": "yes"}',
        '{"a": ' * 5000 + "yes",
        "[" * 100_000,
        "{" * 100_000,
        '{"verdict": "yes", "n": ' + "9" * 5000 + "}",
        "x" * 300_000 + "\nyes",
    ],
)
def test_what_is_doubtful_is_no_verdict(text: str) -> None:
    with pytest.raises(JudgeMalformed) as caught:
        read_verdict(reply(text))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("finish", ["content_filter", "refusal", "SAFETY"])
@pytest.mark.parametrize("text", ["", '{"reason": "x", "verdict": "yes"}'])
def test_a_refusal_is_a_refusal_whatever_else_it_says(finish: str, text: str) -> None:
    with pytest.raises(JudgeRefused):
        read_verdict(reply(text, finish))


def test_a_reply_that_was_cut_off_counts_only_when_it_is_whole() -> None:
    whole = '{"reason": "x", "verdict": "yes"}'
    assert read_verdict(reply(whole, "length")).vote is Vote.YES
    for text in (f"{whole} but then again", "I would say\nyes", '{"reason": "a long'):
        with pytest.raises(JudgeMalformed, match="cut off"):
            read_verdict(reply(text, "length"))


def test_the_reason_can_always_be_stored() -> None:
    reading = read_verdict(
        reply(
            '{"reason": "half \\ud83d\\u0000 of\\n it '
            + "x" * 9000
            + '", "verdict": "yes"}'
        )
    )
    reading.reason.encode("utf-8")
    assert reading.reason.startswith("half ? of it")
    assert "\x00" not in reading.reason
    assert len(reading.reason) <= 4000
    assert read_verdict(reply('{"reason": 3, "verdict": "yes"}')).reason == ""


@given(
    st.text()
    | st.lists(
        st.sampled_from(["{", "}", '"verdict"', ":", '"yes"', "no", "\n", "```", " "])
    ).map("".join)
)
def test_any_text_gives_a_verdict_or_a_judge_error(text: str) -> None:
    try:
        reading = read_verdict(reply(text))
    except JudgeError:
        return
    assert reading.vote.value.replace("_", " ") in text.casefold().replace(
        "_", " "
    ).replace("-", " ")


@given(st.text(), st.sampled_from(Vote), st.text(), st.text())
def test_a_whole_verdict_object_is_read_in_any_surroundings(
    before: str, vote: Vote, after: str, reason: str
) -> None:
    clean = [part.replace("{", "(").replace('"', "'") for part in (before, after)]
    text = (
        f"{clean[0]}{json.dumps({'reason': reason, 'verdict': vote.value})}{clean[1]}"
    )
    assert read_verdict(reply(text)).vote is vote


@given(st.text(alphabet=st.characters(blacklist_characters="{"), max_size=200))
def test_without_a_last_line_verdict_there_is_none(text: str) -> None:
    with pytest.raises(JudgeMalformed):
        read_verdict(reply(f"{text}\nI am undecided"))


def test_hostile_replies_take_no_time() -> None:
    started = time.process_time()
    for text in (
        '{"a":' * 30_000,
        "{" * 190_000,
        '{"verdict": "' * 10_000,
        '"{' * 60_000,
        "*" * 190_000,
    ):
        with pytest.raises(JudgeMalformed):
            read_verdict(reply(text))
    assert time.process_time() - started < 5


SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": {"type": "string"}}},
    "required": ["claims"],
}


def test_data_is_read_and_checked_against_its_schema() -> None:
    assert read_data(reply('{"claims": ["a"]}'), SCHEMA) == {"claims": ["a"]}
    assert read_data(reply('Here:\n```json\n{"claims": []}\n```'), SCHEMA) == {
        "claims": []
    }
    assert read_data(reply("[1, 2]"), {"type": "array"}) == [1, 2]
    assert read_data(reply('{"anything": 1}'), {}) == {"anything": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"claims": [1]}', "claims/0"),
        ('{"other": []}', "the top"),
        ('{"claims": [], "claims": ["x"]}', "twice"),
        ("no data", "no JSON"),
        ("{", "no JSON"),
        ("", "empty"),
    ],
)
def test_data_that_does_not_fit_is_malformed(text: str, says: str) -> None:
    with pytest.raises(JudgeMalformed, match=says):
        read_data(reply(text), SCHEMA)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nothing"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/hostname"},
    ],
)
def test_a_schema_that_cannot_be_used_is_rejected_and_nothing_is_fetched(
    schema: dict[str, object],
) -> None:
    with pytest.raises(JudgeRejected):
        read_data(reply("{}"), schema)


def test_a_quote_is_read_where_there_is_one() -> None:
    assert (
        read_verdict(
            reply('{"reason": "r", "quote": "sent\\n on 3 May", "verdict": "yes"}')
        ).quote
        == "sent on 3 May"
    )
    for quote in (None, ["x"], 3):
        text = json.dumps({"reason": "r", "quote": quote, "verdict": "yes"})
        assert read_verdict(reply(text)).quote == ""
    assert read_verdict(reply('{"verdict": "yes"}')).quote == ""


def test_the_schema_asks_for_reason_and_quote_before_the_verdict() -> None:
    assert (
        list(VERDICT_SCHEMA["properties"])
        == VERDICT_SCHEMA["required"]
        == ["reason", "quote", "verdict"]
    )
