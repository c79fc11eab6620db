"""What stands in quotation marks beside a citation is read, whatever the marks, and an apostrophe is none."""

from __future__ import annotations

import unicodedata
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.results import AgentOutput
from judgemesh.validators.citations.quotation_marks import quoted_in
from judgemesh.validators.citations.reading import citations_of

PAIRS = (
    '""', "“”", "„“", "„”", "‟”", "«»", "»«", "»»", "””", "‹›", "›‹", "››", "‘’", "‛’", "‚‘", "‚’", "''", "’’",
    "「」", "『』", "｢｣", "❝❞", "〝〞", "〝〟", "＂＂",
)  # fmt: skip
WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "orchard",
            "don’t",
            "it's",
            "has",
            "trees",
            "1250",
            "3.5",
            "des",
            "Hofes",
            "l'eau",
            "d’or",
            "n'y",
        ]
    ),
    min_size=4,
    max_size=12,
).map(" ".join)


def _quoted(text: str) -> list[str]:
    return [quoted for _, _, quoted in quoted_in(text)]


@given(st.sampled_from(PAIRS), WORDS)
def test_every_pair_of_marks_is_read(marks: str, words: str) -> None:
    # An apostrophe at the end of a text in single marks could be the closing one.
    assert _quoted(f"It says {marks[0]}{words} here{marks[1]} [OR-1].") == [
        f"{words} here"
    ]


@given(st.sampled_from(PAIRS), st.sampled_from(PAIRS), WORDS, WORDS)
def test_two_quotations_are_two(first: str, second: str, one: str, two: str) -> None:
    text = (
        f"A {first[0]}{one} a{first[1]} [A-1], b {second[0]}{two} b{second[1]} [B-1]."
    )
    assert _quoted(text) == [f"{one} a", f"{two} b"]


def test_every_mark_that_opens_or_closes_a_quotation_in_unicode_is_read() -> None:
    editorial = range(0x2E00, 0x2E80)
    marks = {
        chr(code)
        for code in range(0x10000)
        if unicodedata.category(chr(code)) in ("Pi", "Pf") and code not in editorial
    }
    assert marks <= set("".join(PAIRS))


@pytest.mark.parametrize(
    "text",
    [
        "The farmers' trees and the owner's trees [OR-1].",
        "It's the growers’ choice, and it isn’t ours [OR-1].",
        "The 1990s' trees were tall [OR-1].",
        "Settings › Network › Proxy [OR-1]",
        "a » b » c [OR-1]",
        "a < b > c [OR-1]",
        "French spacing ends » here » [OR-1]",
        "〈Orchards〉 and 《The Year of the Orchard》 are titles [OR-1].",
    ],
)
def test_what_is_no_quotation(text: str) -> None:
    assert _quoted(text) == []


def _passages(text: str) -> list[str]:
    output = AgentOutput.model_validate({"final_answer": text})
    return [passage for one in citations_of(output).checked for passage in one.passages]


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("Das Register sagt: »Der Hof hat 12 Bäume« [OR-1].", "Der Hof hat 12 Bäume"),
        ("‚Der Hof hat 12 Bäume‘ (OR-1)", "Der Hof hat 12 Bäume"),
        ("»Der Hof hat 12 Bäume«, heißt es in [OR-1].", "Der Hof hat 12 Bäume"),
        ("« Le verger a 12 arbres » (voir OR-1)", "Le verger a 12 arbres"),
        ("«El huerto tiene 12 árboles» (véase [OR-1])", "El huerto tiene 12 árboles"),
        ("”Gården har 12 träd” (se [OR-1])", "Gården har 12 träd"),
        ('"Bahçede 12 ağaç var" deniyor [OR-1].', "Bahçede 12 ağaç var"),
        (
            "記録には「果樹園には12本の木がある」とある [OR-1]。",
            "果樹園には12本の木がある",
        ),
        ("『雨の日は門を閉める。』（OR-1）", "雨の日は門を閉める。"),
        ('The register [OR-1] says: "12" kg of plums.', "12 kg"),
    ],
)
def test_a_quotation_beside_a_citation_is_its_passage(text: str, passage: str) -> None:
    assert passage in [one.strip().rstrip(".") for one in _passages(text)]


HOSTILE = {
    "one mark": "‹", "turned": "» ", "turned words": "»a ", "low": "‚a", "graves": "``", "curled": "’’a", "corner": "「",
    "twice": "”a ", "single": " ’a", "lines": "„a\n",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_marks_take_time_in_proportion_to_the_text(text: str) -> None:
    started = process_time()
    list(quoted_in(text * (400_000 // len(text))))
    assert process_time() - started < 4
