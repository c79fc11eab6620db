"""Titles, people, years and venues compared as a reader would: what is the same, what differs, what contradicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.sections.evidence import EvidenceThresholds
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.compare import FieldAgreement, compare
from judgemesh.validators.citations.people import same_person
from judgemesh.validators.citations.titles import title_score
from judgemesh.validators.citations.venues import same_venue
from judgemesh.validators.citations.works import Work

LIMITS = EvidenceThresholds()


@pytest.mark.parametrize(
    ("cited", "held"),
    [
        ("Foxes and Dogs: A Long Jump", "FOXES AND DOGS - a long jump."),
        ("Pre-training of Foxes", "Pretraining of foxes"),
        ("The K\u00f6nigsberg Bridges", 'The K{\\"o}nigsberg bridges'),
        (
            "Counting Foxes in Winter Snow",
            "Counting Foxes in Winter Snow: Evidence from Three Countries",
        ),
        (
            "Counting Foxes in Winter Snow (Extended Abstract)",
            "Counting foxes in winter snow",
        ),
        ("E. coli &amp; Foxes", "<i>E. coli</i> and foxes"),
    ],
)
def test_one_title_in_two_spellings(cited: str, held: str) -> None:
    assert title_score(cited, held) == 1.0


@pytest.mark.parametrize(
    ("cited", "held", "most"),
    [
        ("Learning to Jump over Dogs", "Training to Jump over Dogs", 0.9),
        ("The Risk of Foxes", "Risk of Foxes", 0.99),
        ("Trial 1 of Foxes and Dogs", "Trial 2 of Foxes and Dogs", 0.99),
        ("Foxes", "Foxes and Other Animals of the Wood", 0.5),
        ("Jump: A Method", "Jump: Another Thing", 0.9),
        ("", "Foxes", 0.0),
    ],
)
def test_another_wording_is_another_title(cited: str, held: str, most: float) -> None:
    assert title_score(cited, held) <= most


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_score_is_a_share_and_does_not_depend_on_the_side(
    left: str, right: str
) -> None:
    assert 0.0 <= title_score(left, right) <= 1.0
    assert title_score(left, right) == title_score(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Jie Zhou 0001", "Jie Zhou"),
        ("J. Zhou", "Zhou, Jie"),
        ("Vaswani A", "Ashish Vaswani"),
        ("K. M\u00fcller", "Klaus Mueller"),
        ("Zhou Jie", "Jie Zhou"),
        ("Matthew Brennan", "Matthew S. Brennan"),
        ("Jun-Yan Zhu", "Junyan Zhu"),
        ("Garcia, G.", "Gabriel Garcia Marquez"),
        ("Mihaela van der Schaar", "van der Schaar, M."),
        ("Erd\u0151s, P.", "Paul Erdos"),
    ],
)
def test_one_person_in_two_spellings(left: str, right: str) -> None:
    assert same_person(left, right)
    assert same_person(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Wei Chen", "Wei Zhang"),
        ("Yang Liu", "Yuan Liu"),
        ("A. Fox", "B. Fox"),
        ("Ann Fox", "Ann Cox"),
        ("", "Fox"),
    ],
)
def test_two_persons(left: str, right: str) -> None:
    assert not same_person(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("NeurIPS", "Advances in Neural Information Processing Systems 34"),
        ("NIPS", "NeurIPS"),
        (
            "CVPR",
            "2021 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)",
        ),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research"),
        ("JMLR", "Journal of Machine Learning Research"),
        (
            "NAACL",
            "North American Chapter of the Association for Computational Linguistics",
        ),
        ("KDD", "Knowledge Discovery and Data Mining"),
        (
            "Proc. Natl. Acad. Sci. USA",
            "Proceedings of the National Academy of Sciences",
        ),
        ("arXiv preprint arXiv:2101.00001", "CoRR"),
        ("NeurIPS Datasets and Benchmarks Track", "NeurIPS"),
    ],
)
def test_one_venue_in_two_spellings(left: str, right: str) -> None:
    assert same_venue(left, right)
    assert same_venue(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ICML", "ICLR"),
        ("Nature", "Nature Communications"),
        ("ICML", "International Conference on Quantum Machine Learning"),
        ("ICML", "International Conference on Machine Learning and Applications"),
        ("NeurIPS", "NeurIPS Workshop on Foxes"),
        ("ACL", "NAACL"),
        ("Symposium on Fox Scaling", "NeurIPS"),
    ],
)
def test_two_venues(left: str, right: str) -> None:
    assert not same_venue(left, right)


ITEM = Work(
    title="Foxes and Dogs at Work",
    authors=("Ann Fox", "Bob Dog", "Cy Cat"),
    years=(2019, 2020),
    venue="ICML",
)


@pytest.mark.parametrize(
    ("cited", "part", "agreement"),
    [
        (
            {"authors": ("Fox, A.", "Dog, B.", "Cat, C.")},
            "authors",
            FieldAgreement.SAME,
        ),
        (
            {"authors": ("Cat, C.", "Fox, A.", "Dog, B.")},
            "authors",
            FieldAgreement.SAME,
        ),
        ({"authors": ("Ann Fox",), "et_al": True}, "authors", FieldAgreement.SAME),
        ({"authors": ("Ann Fox",)}, "authors", FieldAgreement.DIFFERS),
        (
            {"authors": ("Ann Fox", "Bob Dog", "Zoe Zebra")},
            "authors",
            FieldAgreement.DIFFERS,
        ),
        ({"authors": ("Zoe Zebra", "Yan Yak")}, "authors", FieldAgreement.CONTRADICTS),
        (
            {"authors": ("Zoe Zebra",), "et_al": True},
            "authors",
            FieldAgreement.CONTRADICTS,
        ),
        ({}, "authors", FieldAgreement.UNKNOWN),
        ({"year": 2019}, "year", FieldAgreement.SAME),
        ({"year": 2021}, "year", FieldAgreement.DIFFERS),
        ({"year": 2031}, "year", FieldAgreement.CONTRADICTS),
        (
            {"venue": "International Conference on Machine Learning"},
            "venue",
            FieldAgreement.SAME,
        ),
        ({"venue": "CVPR"}, "venue", FieldAgreement.DIFFERS),
        ({"title": "Foxes and dogs at work"}, "title", FieldAgreement.SAME),
        ({"title": "Foxes and dogs at play"}, "title", FieldAgreement.DIFFERS),
        ({"title": "The economics of umbrellas"}, "title", FieldAgreement.CONTRADICTS),
        (
            {"text": "Fox A. et al., Foxes and Dogs at Work, 2020", "title": "Fox A"},
            "title",
            FieldAgreement.SAME,
        ),
        (
            {"text": "Zebra Z. Foxes and dogs at work.", "authors_text": "Zebra Z"},
            "authors",
            FieldAgreement.CONTRADICTS,
        ),
        (
            {"text": "Dog B. Foxes and dogs at work.", "authors_text": "Dog B"},
            "authors",
            FieldAgreement.SAME,
        ),
    ],
)
def test_every_part_has_its_own_outcome(
    cited: dict[str, object], part: str, agreement: FieldAgreement
) -> None:
    citation = Cited(ref="p", **cited)  # type: ignore[arg-type]
    outcomes = {
        comparison.part: comparison.agreement
        for comparison in compare(citation, ITEM, LIMITS)
    }
    assert outcomes[part] is agreement


def test_what_was_a_preprint_may_be_cited_as_published_later() -> None:
    preprint = Work(title="Foxes in Space", years=(2021,), venue="arXiv", preprint=True)
    for year, agreement in (
        (2020, FieldAgreement.DIFFERS),
        (2023, FieldAgreement.SAME),
        (2025, FieldAgreement.DIFFERS),
        (2031, FieldAgreement.CONTRADICTS),
    ):
        outcomes = {
            comparison.part: comparison.agreement
            for comparison in compare(
                Cited(ref="p", year=year, venue="ICML"), preprint, LIMITS
            )
        }
        assert outcomes["year"] is agreement
        assert outcomes["venue"] is FieldAgreement.UNKNOWN
