"""Identifiers in every spelling, check digits, and names as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.identifiers import (
    SCHEMES,
    fold,
    identify,
    normal,
    person,
    trim,
)
from judgemesh.contracts.references import read_fields, split_authors


@pytest.mark.parametrize(
    ("scheme", "text", "expected"),
    [
        ("doi", "https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("doi", "doi: 10.1000/abc", "10.1000/abc"),
        ("doi", "DOI:https://dx.doi.org/10.1000%2Fabc", "10.1000/abc"),
        ("doi", "10.48550/arXiv.2101.00001v2", "10.48550/arxiv.2101.00001"),
        ("doi", "10.1/short", None),
        ("doi", "10.1000/", None),
        ("doi", "10.1000/with space", None),
        ("arxiv", "arXiv:2101.00001v3", "2101.00001"),
        ("arxiv", "https://arxiv.org/pdf/2101.00001.pdf", "2101.00001"),
        ("arxiv", "hep-th/9901001", "hep-th/9901001"),
        ("arxiv", "math.GT/0309136v1", "math/0309136"),
        ("arxiv", "0704.0001", "0704.0001"),
        ("arxiv", "1501.0001", None),
        ("arxiv", "1412.00001", None),
        ("arxiv", "2113.00001", None),
        ("arxiv", "2101.00000", None),
        ("arxiv", "hep-th/0901001", None),
        ("pmid", "PMID: 12345", "12345"),
        ("pmid", "https://pubmed.ncbi.nlm.nih.gov/12345/", "12345"),
        ("pmid", "0", None),
        ("pmid", "1234567890", None),
        ("nct", "nct01234567", "NCT01234567"),
        ("nct", "https://clinicaltrials.gov/study/NCT01234567", "NCT01234567"),
        ("nct", "NCT1234", None),
        ("isbn", "0-306-40615-2", "9780306406157"),
        ("isbn", "978-0-306-40615-7", "9780306406157"),
        ("isbn", "080442957X", "9780804429573"),
        ("isbn", "978-0-306-40615-8", None),
        ("isbn", "0-306-40615-3", None),
        ("isbn", "\u0660306406152", None),
        ("url", "HTTPS://Example.ORG:443/a/?q=1#top", "https://example.org/a?q=1"),
        ("url", "javascript:alert(1)", None),
        ("url", "http://", None),
    ],
)
def test_one_normal_form_for_every_spelling(
    scheme: str, text: str, expected: str | None
) -> None:
    assert normal(scheme, text) == expected


@given(st.integers(0, 10**9 - 1))
def test_every_isbn_10_is_its_isbn_13_and_no_other_check_digit_will_do(
    number: int,
) -> None:
    body = f"{number:09}"
    good = [digit for digit in "0123456789X" if normal("isbn", body + digit)]
    assert len(good) == 1
    wide = normal("isbn", body + good[0])
    assert wide is not None
    assert normal("isbn", wide) == wide
    assert [digit for digit in "0123456789" if normal("isbn", wide[:-1] + digit)] == [
        wide[-1]
    ]


@given(st.sampled_from(SCHEMES), st.text(max_size=60))
def test_a_normal_form_is_its_own_normal_form(scheme: str, text: str) -> None:
    found = normal(scheme, text)
    if found is not None:
        assert normal(scheme, found) == found
    identify(text)
    trim(text)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 100_000,
        "10.1000/" + "(" * 100_000,
        "http://" + "a." * 50_000,
        "arxiv:" * 20_000,
        "\ud800",
        "\x00" * 100,
    ],
)
def test_hostile_identifiers_take_no_time(text: str) -> None:
    assert all(normal(scheme, text) is None or len(text) < 2_049 for scheme in SCHEMES)
    assert identify(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Caf\u00e9 & Cr\u00e8me", "cafe and creme"),
        ('{K}\\"onigsberg', "konigsberg"),
        ("<i>E. coli</i> &amp; more", "e coli and more"),
        ("Chain\u2011of-Thought", "chain of thought"),
        ("\u200bA\u200d b\u00ad", "a b"),
        ("Stra\u00dfe \u00d8re", "strasse ore"),
    ],
)
def test_words_without_their_dress(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Jie Zhou 0001", ("zhou", ("jie",))),
        ("Zhou, Jie", ("zhou", ("jie",))),
        ("Zhou J", ("zhou", ("j",))),
        ("A. N. Gomez", ("gomez", ("a", "n"))),
        ("Gomez AN", ("gomez", ("a", "n"))),
        ("Ludwig van Beethoven", ("van beethoven", ("ludwig",))),
        ("King, Jr., Martin Luther", ("king", ("martin", "luther"))),
        ("Plato", ("plato", ())),
        ("", ("", ())),
    ],
)
def test_persons(name: str, expected: tuple[str, tuple[str, ...]]) -> None:
    assert person(name) == expected


@pytest.mark.parametrize(
    ("text", "names", "more"),
    [
        ("Ann Fox and Bob Dog", ("Ann Fox", "Bob Dog"), False),
        ("Fox, A., Dog, B. C., & Cat, D.", ("Fox, A", "Dog, B. C", "Cat, D"), False),
        ("Ann Fox, Bob Dog, and Cy Cat", ("Ann Fox", "Bob Dog", "Cy Cat"), False),
        ("Fox, Ann", ("Fox, Ann",), False),
        ("Fox, Ann and Dog, Bob", ("Fox, Ann", "Dog, Bob"), False),
        ("Fox A; Dog B", ("Fox A", "Dog B"), False),
        ("Ann Fox et al.", ("Ann Fox",), True),
        ("Ann Fox and others", ("Ann Fox",), True),
        ("", (), False),
    ],
)
def test_lists_of_authors(text: str, names: tuple[str, ...], more: bool) -> None:
    assert split_authors(text) == (names, more)


def test_objects_are_read_whatever_their_keys_are_called() -> None:
    read = read_fields(
        {
            "Title": "T u v",
            "Author": [{"given": "Ann", "family": "Fox"}, "et al."],
            "publication-date": "2020-05",
            "container title": "J",
            "DOI": "10.1000/A",
            "isbn": "1",
            "url": "https://arxiv.org/abs/2101.00001",
        }
    )
    assert (read.title, read.authors, read.et_al, read.year, read.venue) == (
        "T u v",
        ("Fox, Ann",),
        True,
        2020,
        "J",
    )
    assert read.ids == {"doi": "10.1000/a", "arxiv": "2101.00001"}
    assert read.malformed == (("isbn", "1"),)
