"""Names, placeholders, and labelled text."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.answer.hollow import is_hollow
from judgemesh.validators._shared.answer.labels import Labels
from judgemesh.validators._shared.answer.placeholders import (
    allowed_values,
    is_placeholder,
)
from judgemesh.validators._shared.text import fold_name


@pytest.mark.parametrize(
    "name",
    [
        "drug_name",
        "drugName",
        "Drug Name",
        "drug-name",
        "DRUG\u00a0NAME",
        "**Drug name**",
        "drug\u2011name",
        "dr\u200bug name",
    ],
)
def test_spellings_of_one_name(name: str) -> None:
    assert fold_name(name) == fold_name("drug_name")


@given(
    st.lists(
        st.text(string.ascii_letters, min_size=1, max_size=6), min_size=1, max_size=4
    )
)
def test_snake_camel_kebab_and_space_fold_alike(words: list[str]) -> None:
    camel = words[0].lower() + "".join(word.capitalize() for word in words[1:])
    assert (
        len(
            {
                fold_name(form)
                for form in ("_".join(words), "-".join(words), " ".join(words), camel)
            }
        )
        == 1
    )


@pytest.mark.parametrize(
    "text",
    ["", " ", "N/A", "n.a.", "TBD", "tbd.", "Unknown", "**unknown**", "-", "--", "\u2014", "...", "\u2026", "none", "NULL", "To be determined",
     "?", "[insert drug name]", "<your answer>", "\u200b", "not  available", "`n/a`", "\uff2e/\uff21"],
)  # fmt: skip
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-5",
        "no",
        "false",
        "nonetheless",
        "Nan Goldin",
        "unknown to me until now",
        "\u2705",
        "$",
        "+",
        "解",
    ],
)
def test_values_are_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "insert" + " a" * 140 + " x",
        "fill in" + " the" * 70 + "!",
        "yy" + "m" * 290 + "!",
        "hh" + "dm" * 140 + "?",
        "dd" + "-m" * 140 + "!",
        "x" * 290 + "!",
        "x_" * 145 + "!",
    ],
)
def test_a_long_text_that_begins_like_a_placeholder_is_read_in_linear_time(
    text: str,
) -> None:
    """A pattern that tries every division of these texts would never end."""
    assert is_placeholder(text) in (True, False)


@given(st.from_regex(r"[A-Za-z/.:-]{0,6}\d[A-Za-z\d/.:-]{0,8}", fullmatch=True))
def test_a_word_with_a_figure_is_judged_as_it_is_beside_a_blank(word: str) -> None:
    """The blank keeps the quick answer away."""
    assert is_placeholder(word) == is_placeholder(f"{word} ")


def test_a_template_that_names_the_field_is_a_placeholder() -> None:
    names = frozenset({fold_name("drug_name")})
    assert is_placeholder("{{drug_name}}", names=names)
    assert is_placeholder("<Drug Name>", names=names)
    assert is_placeholder("<Drug Name>")
    assert not is_placeholder("[Ann Fox]")
    assert not is_placeholder("drug name", names=names)


def test_the_contract_may_allow_a_placeholder() -> None:
    assert not is_placeholder("N/A", allowed_values(["n/a"]))
    assert not is_placeholder("None.", allowed_values(["none"]))
    assert is_placeholder("TBD", allowed_values(["none"]))


@pytest.mark.parametrize(
    "answer",
    [
        ":",
        "Thought process:",
        "**Solution**",
        "Let\u2019s solve this problem step by step.",
        ".",
        " \n\t",
        "\u200b\u200b",
        "N/A",
    ],
)
def test_hollow_answers(answer: str) -> None:
    assert is_hollow(answer)


@pytest.mark.parametrize(
    "answer", ["4", "No.", "Solution: 42", "The answer is 7", "\u2705"]
)
def test_short_answers_are_answers(answer: str) -> None:
    assert not is_hollow(answer)


TABLE = "| Field | Value |\n|---|---|\n| Drug | Imatinib |\n| Dose | N/A |\n\nDone."


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ("Name: Ann", "name", (1, "Ann")),
        ("x\n**Name**: Ann", "name", (2, "Ann")),
        ("**Name:** Ann", "name", (1, "Ann")),
        ("- Name \u2014 Ann", "name", (1, "Ann")),
        ("* `name` = Ann", "name", (1, "Ann")),
        ("1. First name: Ann", "first_name", (1, "Ann")),
        ("> Name\uff1a Ann", "name", (1, "Ann")),
        ("Dose (mg): 5", "dose", (1, "5")),
        ("Name:\n  Ann", "name", (2, "Ann")),
        ("Name:\n- Ann", "name", (2, "- Ann")),
        ("Name:\n\nAnn went home", "name", (3, "Ann went home")),
        ("## Conclusion\n\nIt works.", "conclusion", (3, "It works.")),
        ("## 3. Conclusion ##\nIt works.", "conclusion", (2, "It works.")),
        ("## Results\n### Primary\nPFS 12 months", "results", (3, "PFS 12 months")),
        ("**Conclusion**\nIt works.", "conclusion", (2, "It works.")),
        ("Conclusion\n==========\nIt works.", "conclusion", (3, "It works.")),
        ("# Conclusion: it works", "conclusion", (1, "it works")),
        (TABLE, "drug", (3, "Imatinib")),
        (TABLE, "value", (3, "Imatinib")),
        ("Drug | Dose\n--- | ---\nImatinib | 400", "dose", (3, "400")),
        ('```json\n"drug_name": "X",\n```', "drug_name", (2, "X")),
        ("Name: Ann\r\nAge: 5\r\n", "age", (2, "5")),
    ],
)
def test_values_under_labels(text: str, label: str, expected: tuple[int, str]) -> None:
    line, value = next(iter(Labels(text).values(fold_name(label))))
    assert (line, value.strip("\r")) == expected


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The name is Ann", "name"),
        ("Name:\nAge: 5", "name"),
        ("Name:", "name"),
        ("## Conclusion\n## Next\ntext", "conclusion"),
        ("## Conclusion", "conclusion"),
        ("Names: Ann", "name"),
        ("| Name |\n|---|\n", "name"),
        ("", "name"),
    ],
)
def test_labels_without_value(text: str, label: str) -> None:
    assert list(Labels(text).values(fold_name(label))) == []


@given(st.text(alphabet=st.sampled_from(list("ab:|-#*>_ \n\t=1.()\\")), max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    lines = text.split("\n")
    for label in ("a", "b", "ab", ""):
        for line, value in Labels(text).values(label):
            assert 1 <= line <= len(lines)
            assert value


def test_huge_text_is_read_in_one_pass() -> None:
    text = "|" * 200_000 + "\n" + "a:b\n" * 50_000 + "#" * 100_000 + "\nName: Ann"
    assert next(iter(Labels(text).values("name")))[1] == "Ann"
