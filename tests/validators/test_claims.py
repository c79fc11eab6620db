"""Claims: finding them, their evidence, the rules, the facts, and what is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    Need,
    NotFound,
    Unanswered,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import Abstain, Error, Fail, Pass, Skipped, Verdict
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.claims import claims
from judgemesh.validators.claims.answer.claim_sentences import is_claim

from .helpers import codes, diagnostics, kinds, make_case

Answers = Callable[[Need], Answer]


def judge(
    contract: Mapping[str, Any],
    output: Mapping[str, Any],
    answers: Answers | None = None,
    *,
    with_judge: bool = True,
) -> list[Verdict]:
    case = make_case(
        {"claims": {}, **contract},
        {"output": dict(output)},
        judge=answers is not None and with_judge,
    )
    return drive(claims, case, answers or ()).verdicts


def cites(claim: str, **more: Any) -> dict[str, Any]:
    """An output with one claim that cites the passage `e`."""
    return {"claims": [{"text": claim, "citations": ["e"]}], **more}


def held(*texts: str, **claims: Any) -> dict[str, Any]:
    """A contract with evidence texts; the first is called `e`."""
    ids = ("e", *(f"e{number}" for number in range(1, len(texts))))
    passages = [{"id": id_, "text": text} for id_, text in zip(ids, texts, strict=True)]
    return {"claims": {"evidence": passages, **claims}}


FILLER = "The report has other chapters about rivers, bridges and the price of grain in those years."


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        # Support: all words in order, close together, and the same figures.
        (
            "The bridge was opened in 1932.",
            f"{FILLER} The bridge was opened in 1932 by the mayor.",
            "pass",
        ),
        (
            "The bridge is 504 metres long.",
            "The bridge is about 0.5 km, exactly 504 m, long.",
            "pass",
        ),
        (
            "The plant employs about 1,200 people.",
            "The plant employs 1,213 people.",
            "pass",
        ),
        (
            "The plant employs 1.2 million people.",
            "The plant employs 1,213,000 people.",
            "pass",
        ),
        (
            "Revenue grew by 12 percent in 2021.",
            "Revenue grew by 12.3 % in 2021.",
            "pass",
        ),
        (
            "The treaty was signed on 3 May 1990.",
            "The treaty was signed on May 3, 1990 in Bern.",
            "pass",
        ),
        (
            "The treaty was signed in May 1990.",
            "The treaty was signed on 1990-05-03 in Bern.",
            "pass",
        ),
        ("The company has two factories.", "The company has 2 factories.", "pass"),
        (
            "The drug lowers risk.",
            "The drug does not only lower risk, it lowers cost.",
            "pass",
        ),
        ("GPT-3 is a language model.", "GPT-3 is a large language model.", "pass"),
        # Contradiction: such a sentence with another figure for the same thing, or one negation.
        (
            "The plant employs 1,200 people.",
            "The plant employs 900 people.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        (
            "The bridge is 504 metres long.",
            "The bridge is 904 m long.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        (
            "The treaty was signed on 3 May 1990.",
            "The treaty was signed on 4 May 1990.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        (
            "The drug is approved for children.",
            "The drug is not approved for children.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        (
            "The bridge was opened in 1932.",
            "The bridge was opened in 1942.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        (
            "The bridge was opened in 1932.",
            "It is a myth that the bridge was opened in 1932.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        # Another matter altogether.
        (
            "The bridge was opened in 1932.",
            "Cats sleep most of the day and hunt at dusk, they say.",
            C.CLAIM_EVIDENCE_MISMATCH,
        ),
        # What no rule may decide.
        (
            "The bridge was opened in 1932.",
            "It is a claim that the bridge was opened in 1932.",
            "open",
        ),
        (
            "The bridge was opened in 1932.",
            "The bridge was opened in 1932. This is false, of course.",
            "open",
        ),
        (
            "The bridge was opened in 1932.",
            "The bridge may be opened in 1932, some believed.",
            "open",
        ),
        ("The bridge was opened in 1932.", "Was the bridge opened in 1932?", "open"),
        ("The bridge was opened in 1932.", "The bridge was opened in spring.", "open"),
        ("Anna beat Bert at chess.", "Bert beat Anna at chess.", "open"),
        (
            "The drug is approved for children.",
            "The drug is approved in several countries.",
            "open",
        ),
        ("GPT-3 is a language model.", "GPT-4 is a language model.", "open"),
        ("California has milder winters.", "California has mild winters.", "open"),
        ("C# is a programming language.", "C is a programming language.", "open"),
        (
            "The plant employs about 1,200 people.",
            "The plant employs 900 people.",
            "open",
        ),
        (
            "The plant employs 1,200 people.",
            "The plant employs 900 people in May and 1,100 people in June.",
            "open",
        ),
        (
            "The plant employs 1,200 people.",
            "The plant employs 1,200 robots and people.",
            "open",
        ),
        (
            'She said "we will never close the plant".',
            'She said "we will hardly ever close the plant".',
            "open",
        ),
        (
            "The plant employs 900 people.",
            "The plant employs 900 people. The plant employs 700 people.",
            "open",
        ),
        (
            "The vaccine is safe for pregnant women.",
            "The vaccine is safe for pregnant women only in rare cases.",
            "open",
        ),
        ("Sales rose by 5 percent.", "Sales rose by 5 percentage points.", "open"),
        (
            "The company acquired the startup in 2020.",
            "The company acquired by the startup in 2020 closed.",
            "open",
        ),
        (
            "Profit increased last year.",
            "Profit increased last year, according to an unverified post.",
            "open",
        ),
        (
            "Paris has 3 million inhabitants.",
            "Paris has 2 million inhabitants; Lyon has 3 million.",
            C.CONTRADICTED_BY_EVIDENCE,
        ),
        ("All employees received a bonus.", "Some employees received a bonus.", "open"),
        (
            "The firm sold 3 plants in 2019.",
            "The firm sold 2019 plants in 3 days.",
            "open",
        ),
        ("It employs 900 people there.", "The mill employs 900 people there.", "open"),
    ],
)
def test_rules(claim: str, evidence: str, expected: str | C) -> None:
    (verdict,) = judge(held(evidence), cites(claim))
    if isinstance(expected, C):
        assert isinstance(verdict, Fail)
        assert verdict.codes == (expected,)
        assert claim[:20] in verdict.diagnostic
    elif expected == "pass":
        assert isinstance(verdict, Pass), verdict.diagnostic
        assert verdict.evidence_refs[1].startswith("contract:e:")
    else:
        assert isinstance(verdict, Skipped), verdict
        assert verdict.reason == "not_configured"
    assert verdict.metric == "evidence_consistency"


LONG = "The bridge was opened in 1932. The plant employs 900 people. The treaty was signed on 4 May 1990."


def test_the_score_is_the_share_of_supported_claims() -> None:
    output = {
        "claims": [
            "The bridge was opened in 1932.",
            "The plant employs 900 people.",
            "The plant employs 950 people.",
        ],
    }
    reported = judge(held(LONG), output)
    assert {verdict.check: verdict.weight for verdict in reported} == {
        "supported": 2,
        "contradicted_by_evidence": 1,
    }
    assert "950" in diagnostics(reported)


def test_a_claim_that_cites_is_held_against_what_it_cites() -> None:
    contract = {
        "claims": {
            "evidence": [
                {
                    "id": "https://example.org/a",
                    "text": "Cats sleep most of the day and hunt at dusk.",
                },
                {"id": "doc-7", "text": "The plant employs 900 people."},
            ]
        }
    }

    def output(citation: str) -> dict[str, Any]:
        return {
            "claims": [
                {"text": "The plant employs 900 people.", "citations": [citation]}
            ],
            "citations": [{"id": "A", "url": "https://example.org/a"}, {"id": "doc-7"}],
        }

    expected = {
        "doc-7": set[C](),
        "[2]": set[C](),
        "Doc 7, section 3": set[C](),
        "A": {C.CLAIM_EVIDENCE_MISMATCH},
        "[1]": {C.CLAIM_EVIDENCE_MISMATCH},
        # A document that nobody holds supports nothing; a bare number names none.
        "DOC-99": {C.CLAIM_EVIDENCE_MISMATCH},
        "[9]": set[C](),
    }
    for citation, code in expected.items():
        assert codes(judge(contract, output(citation))) == code


def test_what_the_agent_brings_is_a_pointer() -> None:
    """Its words count where the contract has them, and then the contract's text counts."""
    contract = held("The plant employs 900 people. It makes pumps.")

    def brings(claim: str, **entry: str) -> dict[str, Any]:
        return {
            "claims": [{"text": claim, "citations": ["x"]}],
            "outputs": {"evidence_list": [{"id": "x", **entry}]},
        }

    true, lie = "The plant employs 900 people.", "The plant employs 950 people."
    for output, code in (
        (brings(true, text="the plant employs 900 people"), set[C]()),
        (brings(true, source="e", text="Nine hundred work there."), set[C]()),
        (brings(true, text="The plant of ours has 900 heads."), set[C]()),
        (brings(lie, text=lie), {C.CONTRADICTED_BY_EVIDENCE}),
        (brings(lie, source="e", text=lie), {C.CONTRADICTED_BY_EVIDENCE}),
        (
            brings("It exports to Norway.", text="It exports to Norway."),
            {C.CLAIM_EVIDENCE_MISMATCH},
        ),
    ):
        assert codes(judge(contract, output)) == code
    for key in ("text", "quote", "content", "abstract"):
        citing = {
            "claims": [{"text": lie, "citations": ["1"]}],
            "citations": [{"id": "e", key: lie}],
        }
        answers, asked = votes(support=Vote.YES)
        assert codes(judge(contract, citing, answers)) == {C.CONTRADICTED_BY_EVIDENCE}
        assert not asked


def test_what_tools_returned_is_evidence_where_the_contract_names_none() -> None:
    def run(*steps: Mapping[str, Any], **contract: Any) -> list[Verdict]:
        case = make_case(
            {"claims": {}, **contract},
            {
                "output": {"final_answer": "The plant employs 900 people."},
                "trace": {"steps": list(steps)},
            },
        )
        return drive(claims, case, ()).verdicts

    says = "The plant employs 900 people."
    search = {"tool_name": "search", "arguments": {"q": "plant"}, "result": says}
    assert kinds(run(search)) == ["pass"]
    note = {"tool_name": "note", "arguments": {"text": says}, "result": says}
    read = {"tool_name": "read_note", "arguments": {"id": 1}, "result": says}
    asked_for_nothing = [
        run(),
        run(note),
        run(note, read),
        run({"role": "assistant", "content": says}, read),
        run({**search, "status": "failed"}),
        run(search, claims={"tool_results": "never"}),
    ]
    for (verdict,) in asked_for_nothing:
        assert (verdict.kind, verdict.gating) == ("skipped", True)
    far = [{"id": "d", "text": "Cats sleep most of the day and hunt at dusk."}]
    assert codes(run(search, claims={"evidence": far})) == {C.UNSUPPORTED_CLAIM}
    both = {"evidence": far, "tool_results": "always"}
    assert kinds(run(search, claims=both)) == ["pass"]


def test_claims_without_any_evidence() -> None:
    output = {"final_answer": "The plant employs 900 people."}
    nothing: list[dict[str, Any]] = [{}, {"evidence": {}}]
    for contract in nothing:
        (verdict,) = judge(contract, output)
        assert isinstance(verdict, Skipped)
        assert verdict.gating is True
    assert codes(judge(held(LONG), output)) == set()
    far = held("Cats sleep most of the day and hunt at dusk.")
    assert codes(judge(far, output)) == {C.UNSUPPORTED_CLAIM}


def test_what_counts_as_a_claim() -> None:
    answer = """# Findings
Sure, here is what I found:
- **The plant employs 900 people** [d].
- Cats sleep most of the day [2, d].
I think you should visit. Would you like more? Please call us.
Dr. Smith opened the bridge in 1932. [d]
```
the_code = 42
```
"""
    (verdict,) = judge(
        {"claims": {"evidence": [{"id": "x", "text": "words " * 20}]}},
        {"final_answer": answer},
    )
    rows = verdict.details["claims"]
    assert isinstance(rows, list)
    assert [
        (row["claim"], row["cites"]) for row in cast("list[dict[str, Any]]", rows)
    ] == [
        ("The plant employs 900 people.", ["d"]),
        ("Cats sleep most of the day.", ["2", "d"]),
        ("Dr. Smith opened the bridge in 1932.", ["d"]),
    ]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("It has 900 staff.", True),
        ("Chapter 7.", False),
        ("Berlin lies on the Spree.", True),
        ("Does Berlin lie on the Spree?", False),
        ("I believe Berlin lies on the Spree.", True),
        ("Sure, Berlin lies on the Spree.", True),
        ("High season runs from June to August.", True),
        ("Great Britain is an island.", True),
        ("The user has three orders.", True),
        ("Did you know that Berlin lies on the Spree?", True),
        ("950 employees.", True),
        ("Please contact Berlin.", False),
        ("If you need more, see the list of 20 cities.", False),
        ("Here are 3 facts about Berlin:", False),
        ("Very nice.", False),
        ("The treaty was not signed.", True),
        ("The treaty was not signed by Denmark.", True),
    ],
)
def test_a_claim_states_something(sentence: str, *, claim: bool) -> None:
    assert is_claim(sentence) is claim


FILE = {"subject": "file 26/0417", "property": "fee", "value": 206, "unit": "EUR"}
ORDER = {
    "subject": "order A-1001",
    "property": "total",
    "value": 61.4,
    "unit": "EUR",
    "aliases": ["your order"],
}


@pytest.mark.parametrize(
    ("fact", "answer", "expected"),
    [
        (ORDER, "The total of order A-1001 is 61.40 EUR.", "pass"),
        (ORDER, "Your order has a total of 61.40 EUR.", "pass"),
        (ORDER, "The total of order A-1001 is 16.40 EUR.", C.WRONG_FACT),
        (
            ORDER,
            "The total of order A-1001 is 16.40 EUR, of which 2 EUR are postage.",
            "open",
        ),
        (ORDER, "The total of order A-1001 is not 16.40 EUR.", "open"),
        (ORDER, "The total of order A-1001 is quite low.", "open"),
        (ORDER, "The total of order B-2002 is 16.40 EUR.", "none"),
        ({**ORDER, "tolerance": 0.5}, "The total of order A-1001 is 61 EUR.", "pass"),
        (
            {"subject": "Bern", "property": "founded", "value": "1191"},
            "Bern was founded in 1191.",
            "pass",
        ),
        (
            {"subject": "Bern", "property": "founded", "value": "1191"},
            "Bern was founded in 1218.",
            C.WRONG_FACT,
        ),
        (
            {"subject": "Bern", "property": "founded", "value": "3 May 1191"},
            "Bern was founded on 4 May 1191.",
            C.WRONG_FACT,
        ),
        (
            {"subject": "order 17", "property": "status", "value": "shipped"},
            "The status of order 17 is shipped.",
            "pass",
        ),
        (
            {"subject": "order 17", "property": "status", "value": "shipped"},
            "The status of order 17 is lost.",
            "open",
        ),
        (
            {"subject": "order 17", "property": "items", "value": 3},
            "There are 3 items in order 17.",
            "pass",
        ),
        (
            {"subject": "order 17", "property": "items", "value": 3},
            "There are 4 items in order 17.",
            C.WRONG_FACT,
        ),
        (FILE, "The fee for file 26/0417 is 206 EUR.", "pass"),
        (FILE, "The fee of file 26/0417 is 206 EUR.", "pass"),
        (FILE, "The fee for file 26/0417 is 260 EUR.", C.WRONG_FACT),
        (FILE, "The fee for file 26/0714 is 260 EUR.", "none"),
    ],
)
def test_facts(fact: dict[str, Any], answer: str, expected: str | C) -> None:
    (verdict,) = judge({"claims": {"facts": [fact]}}, {"final_answer": answer})
    if isinstance(expected, C):
        assert codes([verdict]) == {expected}
    else:
        assert verdict.kind == ("pass" if expected == "pass" else "skipped")
        assert (verdict.gating is False) == (expected == "none")


def votes(**by_kind: Vote) -> tuple[Answers, list[Ask]]:
    """Answers by kind of question, and what was asked."""
    asked: list[Ask] = []

    def answer(need: Need) -> Answer:
        assert isinstance(need, Ask)
        asked.append(need)
        return Judged(vote=by_kind[need.question_id.split("_")[1]], reason="because")

    return answer, asked


OPEN_CLAIM = cites("The plant hires many people.")
OPEN = held(
    f"{FILLER} The plant took on hundreds of workers last year. {FILLER}",
)


@pytest.mark.parametrize(
    ("support", "contradiction", "kind", "code", "questions"),
    [
        (Vote.YES, None, "pass", None, 1),
        (Vote.NO, Vote.YES, "fail", C.CONTRADICTED_BY_EVIDENCE, 2),
        (Vote.NO, Vote.NO, "fail", C.CLAIM_EVIDENCE_MISMATCH, 2),
        (Vote.NO, Vote.CANNOT_ASSESS, "fail", C.CLAIM_EVIDENCE_MISMATCH, 2),
        (Vote.CANNOT_ASSESS, Vote.YES, "fail", C.CONTRADICTED_BY_EVIDENCE, 2),
        (Vote.CANNOT_ASSESS, Vote.NO, "abstain", C.LOW_CONFIDENCE_EVALUATION, 2),
    ],
)
def test_what_rules_leave_open_is_asked(
    support: Vote, contradiction: Vote | None, kind: str, code: C | None, questions: int
) -> None:
    answers, asked = votes(support=support, contradiction=contradiction or Vote.NO)
    (verdict,) = judge(OPEN, OPEN_CLAIM, answers)
    assert (verdict.kind, codes([verdict]), len(asked)) == (
        kind,
        {code} if code else set(),
        questions,
    )
    shown = {material.name: material.text for material in asked[0].materials}
    assert shown["claim"] == "The plant hires many people."
    assert "hundreds of workers" in shown["passages"]


def test_what_was_said_before_goes_with_the_claim() -> None:
    answers, asked = votes(support=Vote.YES)
    output = {
        "final_answer": "The plant stands in Riverside. It employs many people.",
    }
    judge(held(LONG), output, answers)
    shown = [
        {material.name: material.text for material in one.materials} for one in asked
    ]
    assert "said_before_it" not in shown[0]
    assert (shown[1]["claim"], shown[1]["said_before_it"]) == (
        "It employs many people.",
        "The plant stands in Riverside.",
    )


def test_nothing_is_asked_that_rules_decided() -> None:
    answers, asked = votes()
    assert kinds(
        judge(held(LONG), cites("The bridge was opened in 1932."), answers)
    ) == ["pass"]
    assert not asked


def test_a_fact_is_asked_about_where_the_claim_is_unclear() -> None:
    contract = {"claims": {"facts": [ORDER]}}
    for vote, code in (
        (Vote.YES, set[C]()),
        (Vote.NO, {C.WRONG_FACT}),
        (Vote.CANNOT_ASSESS, {C.LOW_CONFIDENCE_EVALUATION}),
    ):
        answers, asked = votes(fact=vote)
        reported = judge(
            contract,
            {"final_answer": "The total of order A-1001 is quite low."},
            answers,
        )
        assert codes(reported) == code
        assert asked[0].materials[1].text == "total of order A-1001: 61.4 EUR"


def test_a_broken_judge_is_no_grade() -> None:
    def broken(_need: Need) -> Answer:
        return Unanswered(error_type="down", message="down")

    (verdict,) = judge(OPEN, OPEN_CLAIM, broken)
    assert isinstance(verdict, Error)


def test_a_model_may_find_the_claims() -> None:
    contract = {"claims": {"extract": "model", "evidence": [{"id": "d", "text": LONG}]}}
    output = {"final_answer": "Nine hundred work there."}

    def answer(need: Need) -> Answer:
        assert isinstance(need, Extract)
        return Extracted(
            data={
                "claims": [
                    {"text": "The plant employs 900 people.", "citations": ["d"]},
                    {"x": 1},
                ]
            }
        )

    assert kinds(judge(contract, output, answer)) == ["pass"]
    (verdict,) = judge(contract, output)
    assert isinstance(verdict, Skipped)
    (verdict,) = judge(contract, output, lambda _need: Extracted(data=[]))
    assert isinstance(verdict, Error)


def test_cited_texts_come_out_of_the_sources() -> None:
    contract = {"evidence": {"sources": [{"type": "directory", "path": "docs"}]}}
    output = {
        "claims": [{"text": "The plant employs 900 people.", "citations": ["report-7"]}]
    }
    asked: list[Need] = []

    def source(answer: Answer) -> Answers:
        def reply(need: Need) -> Answer:
            asked.append(need)
            return answer

        return reply

    reported = source(Found(ref="docs/report-7", fields={"text": LONG}))
    assert kinds(judge(contract, output, reported, with_judge=False)) == ["pass"]
    assert isinstance(asked[0], Lookup)
    assert (asked[0].query, asked[0].want_text) == ({"id": "report-7"}, True)
    nowhere = source(NotFound(source="docs", authoritative=False))
    assert codes(judge(contract, output, nowhere, with_judge=False)) == {
        C.CLAIM_EVIDENCE_MISMATCH
    }
    down = Unanswered(error_type="timeout", message="no answer", inaccessible=True)
    (verdict,) = judge(contract, output, source(down), with_judge=False)
    assert isinstance(verdict, Abstain)
    assert verdict.code is C.EVIDENCE_SOURCE_INACCESSIBLE


def test_more_claims_than_the_limit_leave_the_gate_open() -> None:
    output = {
        "claims": ["The plant employs 900 people."] * 4,
    }
    reported = judge(held(LONG, max_claims=3), output)
    assert [(verdict.kind, verdict.weight) for verdict in reported] == [
        ("pass", 3),
        ("abstain", 1),
    ]


NO_CLAIMS: list[dict[str, Any]] = [
    {},
    {"final_answer": "Hello! What can I do for you?"},
    {"claims": [], "final_answer": ""},
]


@pytest.mark.parametrize("output", NO_CLAIMS)
def test_no_claims_no_failure(output: dict[str, Any]) -> None:
    (verdict,) = judge({}, output)
    assert isinstance(verdict, Skipped)
    assert verdict.gating is False


@pytest.mark.parametrize(
    "text",
    [
        "a" * 400_000,
        "The plant " * 40_000,
        "1 " * 100_000,
        "9" * 50_000 + " EUR",
        "(" * 50_000 + "[" * 50_000,
        '"' * 100_000,
        "\u202e\u0000\ufeff" * 10_000,
        "not " * 50_000,
        "Dr. " * 50_000,
        "May " * 50_000 + "1 May 1990" * 1_000,
        "**" * 50_000 + "_a_" * 10_000,
        "[1] " * 50_000,
        "\u4e00\u3002" * 20_000,
        "```" * 20_001,
        "\n- " * 50_000,
    ],
)
def test_hostile_texts_stay_within_bounds(text: str) -> None:
    reported = judge(
        held(text, LONG, max_claims=20),
        {"final_answer": text, "outputs": {"evidence": [text, LONG]}},
    )
    reported += judge(held(text), cites(text))
    assert reported
    assert all(len(verdict.diagnostic) < 5_000 for verdict in reported)
