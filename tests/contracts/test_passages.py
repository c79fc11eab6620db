"""A quoted passage stands in a text word for word: typography is forgiven, and nothing else."""

from __future__ import annotations

import unicodedata
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgemesh.contracts.text.passages import difference, is_in_text

TEXT = (
    "The quick brown fox, it is said, jumps over the lazy dog.\nNobody has seen it do so in winter; the snow is deep."
    " The trans-\naction fee is 1.5% of \u20ac140 (10\u201315 days)[3]. The long-\nterm rate is \u22125 \u00b0C. Pump 3"
    " is not\neffective above 20 m\u00b2. \u201cWell\u2014known\u201d rules\u00b9 are \ufb01ne. The US office is closed."
    " It runs 5 million tests & 3/4 of them pass."
)


@pytest.mark.parametrize(
    "quote",
    [
        "quick brown fox, it is said, jumps over",
        "\u201cThe Quick Brown Fox\u2014it is said\u2014jumps over the lazy dog\u201d",
        "the quick brown fox [...] jumps over the lazy dog",
        "The quick brown fox \u2026 jumps over",
        "jumps over [all] the lazy dog",
        "[T]he transaction fee is 1.5 % of \u20ac 140 (10-15 days).",
        "1.5% of \u20ac140 (10\u201415 days)[7]. The long-term rate",
        "transaction fee is 1.5% of \u20ac140 (10-15 days). The long-term rate is -5 \u00b0C",
        "**Pump 3** is _not_ effective above 20 m\u00b2",
        "`well-known` rules are fine",
        "The snow is deep. ... The long-term rate is -5 \u00b0C",
        "the US office",
        "effective above 20 m\u00b2",
        "5 million tests and 3/4 of them",
        "fox",
    ],
)
def test_typography_is_forgiven(quote: str) -> None:
    assert is_in_text(quote, TEXT), difference(quote, TEXT)


@pytest.mark.parametrize(
    "quote",
    [
        "quick brown fox, it is sad, jumps over the lazy dog",
        "The quick brown fox never jumps over the lazy dog",
        "The quick fox",
        "in winter ... the quick brown fox",
        "The quick brown fox ... jumps over ... in winter",
        "jumps over [not] the lazy dog",
        "jumps over [7] of [8] the lazy dogs",
        "fee is 15% of \u20ac140",
        "fee is 1.5 of \u20ac140",
        "fee is 1.5",
        "fee is 1.5% of $140",
        "rate is 5 \u00b0C",
        "Pump 3 is effective",
        "Pump 3 is ... effective",
        "above 20 m",
        "the us office",
        "Effective above 20 m\u00b2",
        "... effective above 20 m\u00b2",
        "It runs 5",
        "3/5 of them",
        "lazy do",
        "",
        "...",
        "[...]",
    ],
)
def test_nothing_else_is(quote: str) -> None:
    assert not is_in_text(quote, TEXT)


def test_the_difference_names_the_words() -> None:
    assert difference(
        "Doses above 940 mg are harmful", "Doses above 140 mg are harmful."
    ) == ("'140' stands there, and '940' in the quote")
    assert difference(
        "they are admitted to the ward", "Children: they are not admitted to the ward"
    ) == ("'not' is left out of the quote")
    assert difference("nothing of the kind", TEXT) == ""


WORDS = st.lists(
    st.sampled_from(
        [
            "patients",
            "staff",
            "refunds",
            "not",
            "are",
            "take",
            "within",
            "after",
            "days",
            "14",
            "30",
            "1.5",
            "-2",
            "75%",
            "EUR",
            "goods",
            "never",
            "only",
            "the",
            "ward",
            "of",
            "five",
        ]
    ),
    min_size=6,
    max_size=30,
)


def _rewritten(words: list[str], choices: list[int]) -> str:
    """The words in another typography: other spaces, dashes, quotation marks, mark-up, forms of the letters."""
    parts: list[str] = []
    for word, choice in zip(words, choices, strict=False):
        if choice == 0:
            parts.append(f"**{word}**")
        elif choice == 1:
            parts.append(f"\u201c{word}\u201d")
        elif choice == 2:
            parts.append(unicodedata.normalize("NFD", word) + "\u200b")
        elif choice == 3 and word.isalpha():
            parts.append(f"{word}[3]")
        elif choice == 4:
            parts.append(f"{word}\u00a0 ")
        elif choice == 5 and word.isalpha() and len(word) > 3:
            parts.append(f"{word[:2]}\u00ad{word[2:]}")
        else:
            parts.append(word)
    return "\n ".join(parts)


@given(WORDS, st.lists(st.integers(0, 7), min_size=30, max_size=30), st.data())
def test_a_true_quote_in_another_typography_is_found(
    words: list[str], choices: list[int], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 3))
    end = data.draw(st.integers(start + 2, len(words)))
    quoted = words[start:end]
    assume(
        not (
            end < len(words)
            and quoted[-1].strip("-.%").replace(".", "").isdigit()
            and words[end] in ("%", "days", "EUR")
        )
    )
    assert is_in_text(_rewritten(quoted, choices), " ".join(words))


@given(WORDS, st.data())
def test_a_quote_with_another_digit_is_never_found(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    numbers = [at for at, word in enumerate(words) if any(map(str.isdigit, word))]
    assume(numbers)
    at = data.draw(st.sampled_from(numbers))
    changed = words[at].translate(str.maketrans("0123456789", "9876501234"))
    quote = [*words[:at], changed, *words[at + 1 :]]
    assert not is_in_text(" ".join(quote), text)


@given(WORDS, st.data())
def test_a_quote_with_a_word_more_or_less_is_never_found(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    at = data.draw(st.integers(1, len(words) - 2))
    # What is as long as the text cannot be a part of it; what lacks an inner word is shorter, and may be only if the
    # words repeat.
    more = [
        *words[:at],
        data.draw(st.sampled_from(["not", "never", "2", "goods"])),
        *words[at:],
    ]
    assert not is_in_text(" ".join(more), text)
    less = [*words[:at], *words[at + 1 :]]
    joined = f" {' '.join(less)} "
    assume(joined not in f" {text} ")
    assert not is_in_text(" ".join(less), text)


HOSTILE = {
    "letters": ("a" * 2_000 + "b", "a" * 2_000_000),
    "words": ("a " * 1_000 + "b", "a " * 700_000),
    "ellipses": ("a ... " * 50 + "b", "a " * 500_000),
    "insertions": ("x [a] " * 800, "x y " * 300_000),
    "brackets": ("[" * 5_000, "[" * 1_000_000),
    "hyphens": ("a-\n" * 2_000, "a-\n" * 300_000),
    "tags": ("<a " * 3_000, "<a " * 500_000),
    "raised": ("\u00b2" * 2_000, "\u00b2" * 1_000_000),
    "points": (". . " * 3_000, "." * 1_000_000),
    "spaces": (" " * 3_000, " \t" * 500_000),
    "combining": ("a" + "\u0301" * 2_000, "a" + "\u0301" * 700_000),
    "links": ("[a](" * 2_000, "[a](" * 200_000),
    "repeated": ("a b ... c d", "a b " * 300_000),
}


@pytest.mark.parametrize(("quote", "text"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_take_time_in_proportion_to_their_length(
    quote: str, text: str
) -> None:
    started = process_time()
    is_in_text(quote, text)
    difference(quote, text)
    assert process_time() - started < 8
