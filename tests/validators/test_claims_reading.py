"""What the claims check reads, in every form, and that nothing the agent adds proves anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.needs import Answer, Need
from judgemesh.contracts.verdicts import Fail, Pass, Skipped, Verdict
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.claims import claims
from judgemesh.validators.claims.answer.claim_sentences import read_answer

from .helpers import make_case

EVIDENCE = {
    "mill": "The Riverside mill employs 140 people. The Riverside mill was founded in 1932.",
    "pump": "The pump was switched off at noon.",
}
TRUE = "The Riverside mill employs 140 people."
LIE = "The Riverside mill employs 900 people."
Answers = Callable[[Need], Answer]


def judged(output: dict[str, Any], **result: Any) -> list[Verdict]:
    passages = [{"id": id_, "text": text} for id_, text in EVIDENCE.items()]
    case = make_case({"claims": {"evidence": passages}}, {"output": output, **result})
    return drive(claims, case, ()).verdicts


def passes(verdicts: list[Verdict]) -> bool:
    """Whether nothing in them keeps the gate from passing."""
    return all(
        isinstance(verdict, Pass)
        or (isinstance(verdict, Skipped) and verdict.gating is False)
        for verdict in verdicts
    )


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "heading before": lambda text: f"# Staff\n{text}",
    "heading": lambda text: f"## {text}",
    "underlined heading before": lambda text: f"Staff\n-----\n{text}",
    "bold heading before": lambda text: f"**Staff**\n{text}",
    "bullet": lambda text: f"- {text}",
    "bullets": lambda text: f"* The Riverside mill was founded in 1932.\n* {text}",
    "number": lambda text: f"1. {text}",
    "check box": lambda text: f"- [x] {text}",
    "quote": lambda text: f"> {text}",
    "bold": lambda text: f"**{text}**",
    "bold letters": lambda text: f"**{text[:2]}**{text[2:]}",
    "italic": lambda text: f"_{text}_",
    "code": lambda text: f"`{text}`",
    "fence": lambda text: f"```\n{text}\n```",
    "fence of text": lambda text: f"Here you go:\n```text\n{text}\n```",
    "html": lambda text: f"<p>{text}</p>",
    "html list": lambda text: f"<ul><li>{text}</li></ul>",
    "table cell": lambda text: f"| Note |\n|---|\n| {text} |",
    "json": lambda text: json.dumps({"answer": text}),
    "json list": lambda text: json.dumps({"facts": [text]}),
    "json fence": lambda text: f"```json\n{json.dumps({'summary': text})}\n```",
    "sure": lambda text: f"Sure, {text}",
    "exclaimed": lambda text: f"Great question! {text}",
    "found": lambda text: f"I found that {text}",
    "think": lambda text: f"I think {text}",
    "confirm": lambda text: f"I can confirm that {text}",
    "handbook": lambda text: f"According to the handbook, {text}",
    "records show": lambda text: f"The records show that {text}",
    "note": lambda text: f"Please note that {text}",
    "label": lambda text: f"Answer: {text}",
    "offer behind": lambda text: f"{text} Let me know if you need anything else!",
    "letter": lambda text: f"Dear Ms Fox,\n\n{text}\n\nKind regards,\nThe team",
    "zero width": lambda text: "\u200b".join(text.split("l")).replace(
        "\u200b", "l\u200b"
    ),
    "wide digits": lambda text: text.translate({48 + d: 0xFF10 + d for d in range(10)}),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_an_answer_changes_nothing(form: str) -> None:
    """A lie does not pass in any form, and a true sentence passes in every one."""
    write = FORMS[form]
    lie = judged({"final_answer": write(LIE)})
    assert not passes(lie)
    assert any(isinstance(verdict, Fail) for verdict in lie), lie
    true = judged({"final_answer": write(TRUE)})
    assert passes(true), true
    assert any(isinstance(verdict, Pass) for verdict in true), true


def test_a_lie_in_an_output_or_beside_a_listed_claim_is_read() -> None:
    for output in (
        {"final_answer": "Done.", "outputs": {"summary": LIE}},
        {"final_answer": TRUE, "outputs": {"report": {"notes": [LIE]}}},
        {"final_answer": LIE, "claims": [TRUE]},
        {"final_answer": TRUE, "claims": [LIE]},
        {"final_answer": TRUE, "summary": LIE},
    ):
        verdicts = judged(output)
        assert any(isinstance(verdict, Fail) for verdict in verdicts), output


WORDS = st.text(
    alphabet=st.characters(codec="utf-8", categories=("L", "Zs", "Nd", "Po")),
    max_size=60,
)
AGENT_TEXTS: st.SearchStrategy[str] = (
    st.sampled_from([LIE, TRUE, "It is so.", "mill", "1", ""]) | WORDS
)
ENTRIES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("id", "text", "quote", "abstract", "content", "source", "title"), AGENT_TEXTS
    ),
)
OUTPUTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "citations": st.lists(AGENT_TEXTS | ENTRIES, max_size=3),
        "claims": st.lists(st.just(TRUE) | WORDS, max_size=3),
        "outputs": st.fixed_dictionaries(
            {},
            optional={
                name: st.lists(AGENT_TEXTS | ENTRIES, max_size=3)
                for name in ("evidence_list", "documents", "sources", "evidence")
            },
        ),
        "evidence": st.lists(ENTRIES, max_size=2),
    },
)
CALLS: st.SearchStrategy[list[Any]] = st.lists(
    st.fixed_dictionaries(
        {"tool_name": st.just("note"), "arguments": st.just({"text": LIE})},
        optional={"result": st.just(LIE) | st.just(f"Saved: {LIE}")},
    ),
    max_size=2,
)


@settings(deadline=None, max_examples=150)
@given(
    added=OUTPUTS, mark=st.sampled_from(["", " [1]", " [mill]", " [x9]"]), calls=CALLS
)
def test_nothing_that_the_agent_adds_makes_a_lie_pass(
    added: dict[str, Any], mark: str, calls: list[Any]
) -> None:
    answer = {"final_answer": f"The Riverside mill employs 900 people{mark}."}
    verdicts = judged({**added, **answer}, trace={"steps": calls})
    assert not passes(verdicts), (added, verdicts)


@settings(deadline=None, max_examples=100)
@given(added=OUTPUTS, calls=CALLS)
def test_without_evidence_nothing_passes_whatever_the_agent_brings(
    added: dict[str, Any], calls: list[Any]
) -> None:
    run = {"output": {**added, "final_answer": LIE}, "trace": {"steps": calls}}
    assert not passes(drive(claims, make_case({"claims": {}}, run), ()).verdicts)


@given(WORDS)
def test_every_sentence_is_counted(text: str) -> None:
    reading = read_answer(text)
    assert 0 <= reading.talk <= reading.sentences


def test_the_count_is_told() -> None:
    answer = f"Hello! {TRUE} Would you like more? {LIE}"
    verdicts = judged({"final_answer": answer})
    details = [verdict.details["reading"] for verdict in verdicts]
    assert details[0] == {
        "sentences": 4,
        "read": 2,
        "no_claim": 2,
        "claims": 2,
        "unread": [],
    }
    (passed,) = (verdict for verdict in verdicts if isinstance(verdict, Pass))
    assert "2 of 4 sentences read" in passed.diagnostic
