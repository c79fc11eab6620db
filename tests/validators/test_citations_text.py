"""Citations are found where they stand: data, identifiers in text, a reference list and what refers to it."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.results import AgentOutput
from judgemesh.validators.citations.cited import MAX_CITATIONS, Cited, Standing
from judgemesh.validators.citations.reading import citations_of


def cited(text: str, **output: object) -> tuple[Cited, ...]:
    return surely_cited(AgentOutput.model_validate({"final_answer": text, **output}))


def surely_cited(output: AgentOutput) -> tuple[Cited, ...]:
    """The citations that count whether a source knows them or not."""
    checked = citations_of(output).checked
    return tuple(one for one in checked if one.standing is Standing.CITED)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("see doi:10.1000/182.", {"doi": "10.1000/182"}),
        ("see https://doi.org/10.1000/(sici)1.", {"doi": "10.1000/(sici)1"}),
        ("(see https://doi.org/10.1000/abc)", {"doi": "10.1000/abc"}),
        ("in arXiv:2101.00001v2, we", {"arxiv": "2101.00001"}),
        ("in arXiv: hep-th/9901001", {"arxiv": "hep-th/9901001"}),
        ("https://arxiv.org/abs/2101.00001", {"arxiv": "2101.00001"}),
        ("PMID: 12345.", {"pmid": "12345"}),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", {"pmid": "12345"}),
        ("trial NCT01234567 found", {"nct": "NCT01234567"}),
        ("ISBN 978-0-306-40615-7, p. 3", {"isbn": "9780306406157"}),
        ("ISBN-10: 0-306-40615-2", {"isbn": "9780306406157"}),
        ("https://example.org/a_(b)?q=1.", {"url": "https://example.org/a_(b)?q=1"}),
        ("[a page](https://example.org/x)", {"url": "https://example.org/x"}),
        ("nothing at all, version 10.2/3 of it", {}),
        ("`doi:10.1000/code` and ```\nhttps://example.org/code\n```", {}),
    ],
)
def test_identifiers_in_text(text: str, ids: dict[str, str]) -> None:
    citations = cited(text)
    assert [dict(citation.ids) for citation in citations] == ([ids] if ids else [])


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        ("ISBN 978-0-306-40615-8", ("isbn", "978-0-306-40615-8")),
        ("NCT0123456", ("nct", "NCT0123456")),
        ("arXiv:2113.00001", ("arxiv", "2113.00001")),
        ("PMID 1234567890123", None),
    ],
)
def test_an_identifier_that_is_none_is_kept_as_it_was_written(
    text: str, malformed: tuple[str, str] | None
) -> None:
    citations = [citation.malformed for citation in cited(text)]
    assert citations == ([(malformed,)] if malformed else [])


ANSWER = """Foxes jump [1], dogs do not [2, 3]. "The quick brown fox jumps over the dog" [1].
Others agree (Cat et al., 2018; Dog & Fox, 2019). See Fox and Dog (2011) and [9]; in (May, 2019) nothing happened.

## References
[1] Fox, A., & Dog, B. (2020). Foxes and their jumps. Journal of Jumps, 3(4). https://doi.org/10.1000/fox
[2] B. Dog and A. Fox, "Why dogs do not jump," in Proc. ICML, 2019.
[3] Cy Cat, Ann Fox et al. Cats who watch others jump. arXiv:2101.00001, 2018.

## Notes
None.
"""


def test_a_reference_list_is_read_and_referred_to() -> None:
    citations = citations_of(AgentOutput(final_answer=ANSWER))
    assert [
        (citation.title, citation.year, dict(citation.ids))
        for citation in surely_cited(AgentOutput(final_answer=ANSWER))
    ] == [
        ("Foxes and their jumps", 2020, {"doi": "10.1000/fox"}),
        ("Why dogs do not jump", 2019, {}),
        ("Cats who watch others jump", 2018, {"arxiv": "2101.00001"}),
    ]
    assert citations.checked[0].passages == ("The quick brown fox jumps over the dog.",)
    assert citations.dangling == ("[9]", "(Fox, 2011)")


def test_references_may_lead_to_citations_given_as_data() -> None:
    output = AgentOutput.model_validate(
        {
            "final_answer": "So it is [1] (Fox, 2020), and not [3].",
            "citations": [
                {"title": "T", "author": "Ann Fox", "year": 2020},
                "https://example.org/b",
            ],
        }
    )
    citations = citations_of(output)
    assert citations.dangling == ("[3]",)
    assert [dict(citation.ids) for citation in surely_cited(output)] == [
        {},
        {"url": "https://example.org/b"},
    ]


def test_footnotes_without_a_heading_are_a_reference_list() -> None:
    citations = citations_of(
        AgentOutput(
            final_answer="It jumps [1].\n\n[1]: https://example.org/jump A page on jumping\n"
        )
    )
    assert [dict(citation.ids) for citation in citations.checked] == [
        {"url": "https://example.org/jump"}
    ]
    assert not citations.dangling


def test_an_item_cited_twice_counts_once() -> None:
    output = AgentOutput.model_validate(
        {
            "final_answer": "See https://doi.org/10.1000/fox, doi:10.1000/FOX.",
            "citations": [{"doi": "10.1000/fox", "title": "Foxes"}],
            "outputs": {
                "references": [
                    {"doi": "10.1000/fox", "title": "Foxes"},
                    {"title": "Dogs", "doi": "10.1000/dog"},
                ]
            },
        }
    )
    assert [citation.title for citation in citations_of(output).checked] == [
        "Foxes",
        "Dogs",
    ]


def test_text_can_be_left_out() -> None:
    assert not citations_of(AgentOutput(final_answer=ANSWER), text=False).checked


HOSTILE = {
    "brackets": "[" * 200_000,
    "numbers": "[1," * 100_000,
    "ranges": "[1-999] " * 20_000,
    "quotes": '"' * 200_000,
    "parentheses": "(" * 200_000,
    "addresses": "http://" * 50_000,
    "dois": "10.1000/" * 40_000,
    "one doi": "10.1000/" + "a" * 400_000,
    "authors": "(Aa, 2000; " * 20_000,
    "headings": "References:\n" * 40_000,
    "entries": "References\n" + "[1] Fox, A. (2020). Foxes.\n" * 20_000,
    "one entry": "References\n[1] " + "Fox, A., & " * 40_000,
    "code": "```" * 100_000,
    "isbn": "ISBN " + "9-" * 100_000,
    "spaces": " " * 500_000,
    "nul": "\x00" * 200_000,
    "surrogates": "\ud800" * 100_000,
    "combining": "a" + "\u0301" * 200_000,
    "direction": "\u202e" * 200_000,
    "links": "[a](http://x" * 20_000,
    "named links": "[POL-7](a.md) " * 20_000,
    "names": "(POL-7, p. 3) [POL-8] " * 15_000,
    "quotations": '"so it is" [1] ' * 20_000,
    "block quotes": "> so it is (POL-7)\n" * 20_000,
    "sayings": "the policy says that the " * 15_000,
    "titles": "according to the A B C " * 15_000,
    "table": "Sources\n" + "| 1 | POL-7 |\n" * 20_000,
    "one name": "A-" * 200_000 + "7",
    "source lines": "Source: POL-7; POL-8\n" * 20_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_bounded_time(text: str) -> None:
    started = process_time()
    citations = citations_of(AgentOutput(final_answer=text))
    assert len(citations.checked) <= MAX_CITATIONS
    assert process_time() - started < 5


def test_citations_over_the_limit_are_counted() -> None:
    output = AgentOutput.model_validate(
        {"citations": [{"title": f"Title {at}"} for at in range(MAX_CITATIONS + 7)]}
    )
    citations = citations_of(output)
    assert (len(citations.checked), citations.excess) == (MAX_CITATIONS, 7)


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    citations_of(
        AgentOutput.model_validate(
            {"final_answer": f"References\n{text}\n[1] {text}", "citations": [text]}
        )
    )
