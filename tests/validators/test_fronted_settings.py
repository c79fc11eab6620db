"""A quote that drops the time or the condition in front of its sentence is open, and one that keeps it is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Answer, Found, Lookup, Need, NotFound
from judgemesh.contracts.text.fronted_settings import loses_setting
from judgemesh.validators.citations import citations

from .helpers import codes, kinds, verdicts

_SETTINGS = st.sampled_from(["In winter", "On Sundays", "During the school holidays", "From 4 May until October", "If it rains", "Unless it rains",
                             "En hiver", "Pendant les vacances", "En invierno", "Durante la semana", "Nei giorni festivi"])  # fmt: skip
_HARMLESS = st.sampled_from(["In addition", "On the whole", "As you know", "For guests of the house", "At the bar", "Most importantly", "En outre"])  # fmt: skip
_CLAUSES = st.sampled_from(["the bar closes at 4 pm", "dogs wait outside", "le bar ferme", "el bar cierra a las tres"])  # fmt: skip


@given(_SETTINGS, _HARMLESS, _CLAUSES)
def test_what_stands_in_front_of_a_sentence(setting: str, harmless: str, clause: str) -> None:  # fmt: skip
    whole = f"{clause[0].upper()}{clause[1:]}."
    text = f"The house is old. {setting}, {clause}. It has a lift."
    assert loses_setting(whole, text)
    assert not loses_setting(f"{setting}, {clause}.", text)
    assert not loses_setting(f"{clause}.", text)
    assert not loses_setting(whole.rstrip("."), text)
    assert not loses_setting(whole, f"{text} {whole}")
    assert not loses_setting(whole, f"{harmless}, {clause}.")


def _answered(need: Need) -> Answer:
    text = "In winter, the bar closes at 4 pm. Dogs wait outside."
    named = isinstance(need, Lookup) and "quote" not in need.query
    return Found(ref="a:1", fields={"text": text}) if named else NotFound(source="a", authoritative=False)  # fmt: skip


def test_such_a_quote_is_undecided_and_no_failure() -> None:
    contract = {"evidence": {"sources": [{"type": "jsonl", "path": "a.jsonl"}]}}
    for quote, kind in (("The bar closes at 4 pm.", "abstain"), ("Dogs wait outside.", "pass"),
                        ("In winter, the bar closes at 4 pm.", "pass"), ("The bar closes at 5 pm.", "fail")):  # fmt: skip
        output = {"output": f'"{quote}" [SKI-1]'}
        found = verdicts(citations, contract, output, _answered)
        assert kinds(found) == [kind], quote
        assert kind != "abstain" or codes(found) == {FailureCode.LOW_CONFIDENCE_EVALUATION}  # fmt: skip
