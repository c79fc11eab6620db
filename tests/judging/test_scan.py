"""One pass of RE2 finds at least what the patterns themselves match: a text that it rules out has no match."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.mesh.judging.prompting import disguises, languages, sanitise
from judgemesh.mesh.judging.prompting.fold import fold, is_plain
from judgemesh.mesh.judging.prompting.scan import Scan

_STRUCTURE = [pattern for _, pattern in sanitise._RESERVED] + [*sanitise._VERDICTS]
_CODES = {
    "digits": disguises._DIGIT_IN_WORD,
    "spaced": disguises._SPACED,
    "snake": disguises._SNAKE,
    "blob": disguises._BLOB,
    "pairs": disguises._HEX_PAIRS,
}
_ASCII = st.characters(codec="ascii")
_AROUND = st.text(_ASCII, max_size=4)


@pytest.mark.parametrize("pattern", _STRUCTURE, ids=lambda one: one.pattern[:30])
@settings(max_examples=20)
@given(data=st.data())
def test_every_token_marker_and_verdict_is_seen(
    pattern: re.Pattern[str], data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(pattern, alphabet=_ASCII))
    if is_plain(text) and pattern.search(text):
        assert sanitise._structure().found(text)


@pytest.mark.parametrize("name", _CODES)
@settings(max_examples=20)
@given(data=st.data())
def test_every_code_is_seen(name: str, data: st.DataObject) -> None:
    pattern = _CODES[name]
    text = data.draw(st.from_regex(pattern, alphabet=_ASCII))
    if pattern.search(text):
        assert name in disguises._codes().found(text)


@settings(max_examples=200)
@given(data=st.data(), before=_AROUND, behind=_AROUND)
def test_every_stem_is_seen_where_a_word_begins_with_it(
    data: st.DataObject, before: str, behind: str
) -> None:
    meaning = data.draw(st.sampled_from(sorted(languages._stems())))
    whole, beginnings = languages._stems()[meaning]
    stems = sorted(stem for stem in whole | beginnings if stem.isascii())
    text = before + data.draw(st.sampled_from(stems)) + behind
    words = languages._meanings_of(set(languages._WORD.findall(text)))
    present = languages._ascii_stems().found(text)
    assert frozenset[str]().union(*words.values()) <= present


@given(text=st.text(max_size=40))
def test_plain_text_has_one_blank_where_another_blank_is_ruled_out(text: str) -> None:
    view = fold(text)
    other = [
        found[0] for found in disguises._BLANKS.finditer(view.text) if found[0] != " "
    ]
    assert (disguises.joined_words(view.text, view) is None) == (not other)


def test_several_patterns_may_stand_for_one_value() -> None:
    scan = Scan([("fox", "animal"), ("oak", "tree"), ("dog", "animal")])
    assert scan.found("a dog under an oak") == {"animal", "tree"}
    assert scan.found("\ud800") == frozenset()


def test_an_automaton_without_memory_rules_nothing_out() -> None:
    scan = Scan([("fox", "animal")])
    # RE2 reports no match then, not even of the empty pattern.
    scan._set = SimpleNamespace(Match=lambda _: [])  # type: ignore[assignment]
    assert scan.found("nothing") == {"animal"}
