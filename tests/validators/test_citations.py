"""The citations validator, driven by hand: what it asks, and what it makes of every kind of answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as Code
from judgemesh.contracts.needs import Answer, Found, Lookup, Need, NotFound, Unanswered
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.citations import citations

from .helpers import codes, diagnostics, kinds, make_case

NOTHING: frozenset[Code] = frozenset()
A, B = {"type": "a"}, {"type": "b"}
CITED = {
    "title": "Foxes and Dogs at Work",
    "authors": ["Ann Fox", "Bob Dog"],
    "year": 2020,
    "doi": "10.1000/fox",
}
HELD: dict[str, object] = {
    "title": "Foxes and Dogs at Work",
    "authors": ["Ann Fox", "Bob Dog"],
    "years": [2020],
    "ids": {"doi": ["10.1000/fox"]},
    "schemes": ["doi"],
}
DOWN = Unanswered(
    error_type="source_inaccessible", message="no network", inaccessible=True
)
BROKEN = Unanswered(error_type="not_configured", message="unknown option")
CLOSED = NotFound(source="a", authoritative=False)
DENIED = NotFound(source="a", authoritative=True)
UNCOVERED = NotFound(source="a", authoritative=False, covers=False)
Say = Callable[[Lookup], Answer]


def held(**changes: object) -> Found:
    return Found(ref="a:1", fields={**HELD, **changes}, source="a")


def judged(
    say: Say,
    cited: Any = CITED,
    sources: tuple[dict[str, str], ...] = (A,),
    **evidence: Any,
) -> list[Verdict]:
    result: dict[str, Any] = {
        "output": {
            "final_answer": "See there.",
            "citations": cited if isinstance(cited, list) else [cited],
        }
    }

    def answer(need: Need) -> Answer:
        assert isinstance(need, Lookup)
        return say(need)

    return drive(
        citations,
        make_case({"evidence": {"sources": list(sources), **evidence}}, result),
        answer,
    ).verdicts


def by(doi: Answer = CLOSED, title: Answer = CLOSED, quote: Answer = CLOSED) -> Say:
    def say(need: Lookup) -> Answer:
        return (
            quote if "quote" in need.query else title if "title" in need.query else doi
        )

    return say


def test_a_citation_that_is_what_it_says_passes_with_its_place() -> None:
    (verdict,) = judged(by(held()))
    assert isinstance(verdict, Pass)
    assert verdict.evidence_refs == ("citations/0", "a:1")
    assert verdict.details["parts"] == {
        "title": "same",
        "authors": "same",
        "year": "same",
    }


@pytest.mark.parametrize(
    ("doi", "title", "expected"),
    [
        (CLOSED, CLOSED, {Code.CITATION_NOT_FOUND}),
        (DENIED, CLOSED, {Code.FABRICATED_REFERENCE}),
        (DOWN, CLOSED, {Code.EVIDENCE_SOURCE_INACCESSIBLE}),
        (CLOSED, DOWN, {Code.EVIDENCE_SOURCE_INACCESSIBLE}),
        (DENIED, DOWN, {Code.FABRICATED_REFERENCE}),
        (UNCOVERED, UNCOVERED, {Code.EVIDENCE_SOURCE_INACCESSIBLE}),
        (BROKEN, BROKEN, {Code.EVALUATOR_FAILURE}),
        (UNCOVERED, held(), NOTHING),
        (DOWN, held(), {Code.EVIDENCE_SOURCE_INACCESSIBLE}),
        (CLOSED, held(ids={"doi": ["10.1000/other"]}), {Code.CITATION_NOT_FOUND}),
        (CLOSED, held(ids={}), {Code.CITATION_NOT_FOUND}),
        (CLOSED, held(ids={}, schemes=[]), NOTHING),
        (held(title="The economics of umbrellas"), CLOSED, {Code.FABRICATED_REFERENCE}),
        (held(title="Foxes and Dogs at Play"), CLOSED, {Code.CITATION_NOT_FOUND}),
        (held(authors=["Zoe Zebra"]), CLOSED, {Code.FABRICATED_REFERENCE}),
        (
            held(authors=["Ann Fox", "Bob Dog", "Cy Cat"]),
            CLOSED,
            {Code.CITATION_NOT_FOUND},
        ),
        (held(years=[2001]), CLOSED, {Code.FABRICATED_REFERENCE}),
        (held(years=[2021]), CLOSED, {Code.CITATION_NOT_FOUND}),
        (
            UNCOVERED,
            held(authors=["Zoe Zebra"], schemes=[]),
            {Code.FABRICATED_REFERENCE},
        ),
        (UNCOVERED, held(years=[2001], schemes=[]), {Code.FABRICATED_REFERENCE}),
        (
            UNCOVERED,
            held(years=[2001], authors=[], schemes=[]),
            {Code.CITATION_NOT_FOUND},
        ),
        (
            UNCOVERED,
            held(title="Foxes and Dogs at Play", schemes=[]),
            {Code.CITATION_NOT_FOUND},
        ),
    ],
)
def test_no_code_is_guessed_from_another(
    doi: Answer, title: Answer, expected: frozenset[Code] | set[Code]
) -> None:
    verdicts = judged(by(doi, title))
    assert codes(verdicts) == expected, diagnostics(verdicts)
    assert len(verdicts) == 1


def test_the_beginning_of_a_title_may_belong_to_two_works() -> None:
    cited = {
        "title": "Foxes and Dogs at Work: A Survey",
        "authors": ["Zoe Zebra"],
        "year": 2001,
    }
    assert codes(judged(by(title=held(schemes=[])), cited)) == {Code.CITATION_NOT_FOUND}


def test_a_short_title_may_belong_to_two_works() -> None:
    cited = {"title": "Foxes", "authors": ["Ann Fox"]}
    assert codes(
        judged(by(title=held(title="Foxes", authors=["Zoe Zebra"])), cited)
    ) == {Code.CITATION_NOT_FOUND}


def _of_type(answers: Mapping[str, Answer], need: Lookup) -> Answer:
    return answers[str(need.source["type"])]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (CLOSED, held(), NOTHING),
        (DOWN, held(), NOTHING),
        (DENIED, held(), NOTHING),
        (DENIED, DOWN, {Code.FABRICATED_REFERENCE}),
        (CLOSED, DOWN, {Code.EVIDENCE_SOURCE_INACCESSIBLE}),
        (UNCOVERED, CLOSED, {Code.CITATION_NOT_FOUND}),
        (held(years=[2019]), held(years=[2020]), NOTHING),
        (held(years=[2001]), DOWN, {Code.FABRICATED_REFERENCE}),
    ],
)
def test_several_sources_are_one_set(
    first: Answer, second: Answer, expected: frozenset[Code] | set[Code]
) -> None:
    for answers in ({"a": first, "b": second}, {"a": second, "b": first}):
        verdicts = judged(partial(_of_type, answers), sources=(A, B))
        assert codes(verdicts) == expected, diagnostics(verdicts)


def test_each_identifier_has_to_be_the_work() -> None:
    cited = {**CITED, "arxiv": "2101.00001"}
    other = held(title="The economics of umbrellas", ids={"arxiv": ["2101.00001"]})
    verdicts = judged(lambda need: other if "arxiv" in need.query else held(), cited)
    assert codes(verdicts) == {Code.FABRICATED_REFERENCE}
    assert "arXiv 2101.00001" in diagnostics(verdicts)


@pytest.mark.parametrize(
    ("cited", "words"),
    [
        ({"title": "T", "isbn": "978-0-306-40615-8"}, "no ISBN"),
        ({"title": "T", "doi": "10.1/x"}, "no DOI"),
        ({"nct": "NCT1"}, "no trial"),
    ],
)
def test_a_malformed_identifier_is_never_looked_up(
    cited: dict[str, str], words: str
) -> None:
    def nobody(need: Lookup) -> Answer:
        raise AssertionError(need)

    verdicts = judged(nobody, cited)
    assert codes(verdicts) == {Code.OUTPUT_FORMAT_INVALID}
    assert words in diagnostics(verdicts)


@pytest.mark.parametrize(
    ("levels", "answer", "kind"),
    [
        (["identifier"], CLOSED, "pass"),
        (["identifier", "exists"], held(title="The economics of umbrellas"), "pass"),
        (["identifier", "exists"], CLOSED, "fail"),
        (
            ["identifier", "exists", "match"],
            held(title="The economics of umbrellas"),
            "fail",
        ),
    ],
)
def test_levels_say_how_far_it_goes(
    levels: list[str], answer: Answer, kind: str
) -> None:
    assert kinds(judged(by(answer), levels=levels)) == [kind]


def test_thresholds_are_the_contracts() -> None:
    cited = {**CITED, "title": "Foxes and dogs at play", "year": 2022}
    assert kinds(judged(by(held()), cited)) == ["fail"]
    assert kinds(judged(by(held()), cited, thresholds={"title": 0.7, "year": 2})) == [
        "pass"
    ]


QUOTED = {**CITED, "quote": "the quick brown fox jumps over the lazy dog"}


@pytest.mark.parametrize(
    ("fields", "elsewhere", "expected", "quote_state"),
    [
        (
            {"text": "So the quick, brown fox jumps over the lazy dog."},
            CLOSED,
            NOTHING,
            "found",
        ),
        (
            {"text": "Nothing of the kind."},
            held(),
            {Code.CLAIM_EVIDENCE_MISMATCH},
            "misattributed",
        ),
        (
            {"text": "Nothing of the kind."},
            CLOSED,
            {Code.UNSUPPORTED_CLAIM},
            "not_found",
        ),
        (
            {"text": "Nothing of the kind."},
            DOWN,
            {Code.EVIDENCE_SOURCE_INACCESSIBLE},
            None,
        ),
        (
            {"text": "Only the abstract.", "excerpt": True},
            CLOSED,
            {Code.EVIDENCE_SOURCE_INACCESSIBLE},
            None,
        ),
        ({}, CLOSED, {Code.EVIDENCE_SOURCE_INACCESSIBLE}, None),
    ],
)
def test_a_quoted_passage_is_found_misattributed_or_not_found(
    fields: Mapping[str, object],
    elsewhere: Answer,
    expected: frozenset[Code] | set[Code],
    quote_state: str | None,
) -> None:
    (verdict,) = judged(by(held(**fields), quote=elsewhere), QUOTED)
    assert codes([verdict]) == expected
    assert verdict.details.get("quote") == quote_state


@pytest.mark.parametrize(
    ("answer", "evidence", "expected"),
    [
        ("It is so.", {}, {Code.MISSING_EVIDENCE}),
        ("Several studies have shown that it is so.", {}, {Code.MISSING_CITATION}),
        ("It is so [1].", {}, {Code.MISSING_CITATION}),
        ("It is so.", {"required": False}, NOTHING),
        ("It is so [1].", {"required": False}, {Code.MISSING_CITATION}),
        ("See https://example.org/a.", {"min_citations": 2}, {Code.MISSING_CITATION}),
        ("See https://example.org/a.", {}, NOTHING),
    ],
)
def test_what_should_be_cited_and_is_not(
    answer: str, evidence: dict[str, Any], expected: frozenset[Code] | set[Code]
) -> None:
    case = make_case(
        {"evidence": {"levels": ["identifier"], **evidence}}, {"output": answer}
    )
    assert codes(drive(citations, case).verdicts) == expected


def test_without_a_source_nothing_is_verified() -> None:
    (verdict,) = drive(
        citations, make_case({"evidence": {}}, {"output": "See https://example.org/a."})
    ).verdicts
    assert isinstance(verdict, Abstain)
    assert "evidence.sources" in verdict.diagnostic
    (silent,) = drive(
        citations, make_case({"evidence": {"required": False}}, {"output": "x"})
    ).verdicts
    assert isinstance(silent, Pass)
    assert silent.metric is None


def test_the_score_is_the_share_of_citations_verified() -> None:
    cited = [{**CITED, "doi": f"10.1000/{name}"} for name in ("a", "b", "c", "d")]
    answers = {"10.1000/a": held(), "10.1000/b": held(), "10.1000/c": held()}
    verdicts = judged(
        lambda need: answers.get(need.query.get("doi", ""), CLOSED), cited
    )
    assert kinds(verdicts) == ["fail", "pass", "pass", "pass"]
    assert {verdict.metric for verdict in verdicts} == {"evidence_validity"}


@pytest.mark.parametrize(
    ("evidence", "codes_looked_for"),
    [
        (
            {},
            {Code.MISSING_CITATION, Code.MISSING_EVIDENCE, Code.OUTPUT_FORMAT_INVALID},
        ),
        (
            {"required": False, "levels": ["identifier"]},
            {Code.MISSING_CITATION, Code.OUTPUT_FORMAT_INVALID},
        ),
        ({"sources": [A]}, set(citations.codes)),
        (
            {"sources": [A], "levels": ["identifier", "exists", "match"]},
            set(citations.codes)
            - {Code.CLAIM_EVIDENCE_MISMATCH, Code.UNSUPPORTED_CLAIM},
        ),
    ],
)
def test_what_cannot_be_found_out_is_not_looked_for(
    evidence: dict[str, Any], codes_looked_for: set[Code]
) -> None:
    case = make_case({"evidence": evidence}, {"output": "x"})
    assert citations.codes_under(case.contract) == codes_looked_for


def test_a_threshold_for_quotes_is_refused() -> None:
    with pytest.raises(ValueError, match="word for word"):
        make_case({"evidence": {"thresholds": {"quote": 0.9}}}, {"output": "x"})


def test_a_source_may_say_the_strangest_things() -> None:
    strange: dict[str, object] = {
        "title": 7,
        "authors": "Ann",
        "years": ["x", None],
        "ids": [1],
        "schemes": {"doi": 1},
        "text": b"x",
        "preprint": "yes",
    }
    (verdict,) = judged(by(Found(ref="a:1", fields=strange)))
    assert isinstance(verdict, Pass | Fail)
