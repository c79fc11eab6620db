"""What a quote drops may stand outside its marks; where it stands nowhere, the quote is not the source's statement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.results import AgentOutput
from judgemesh.contracts.text.passages import is_in_text
from judgemesh.validators.citations.reading import citations_of

_SUBJECTS = st.sampled_from(
    ["work", "flash", "a courier", "the fee", "a loan of coins"]
)
_VERBS = st.sampled_from(["is permitted on the roof", "is needed for each object", "may be waived in May"])  # fmt: skip
_LIMITS = st.sampled_from(["except in an emergency", "unless the board objects", "but not on Sundays", "provided it is dry"])  # fmt: skip
_SAYS = st.sampled_from(["The manual says", "The rules state:", "According to the manual,"])  # fmt: skip


def found(answer: str, source: str) -> list[bool]:
    """Whether each passage that the answer quotes from R-1 stands in the source."""
    output = AgentOutput.model_validate({"final_answer": answer})
    passages = [one for each in citations_of(output).checked for one in each.passages]
    return [is_in_text(passage, source) for passage in passages]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


@given(_SUBJECTS, _VERBS, _SAYS)
def test_a_negation_in_front(subject: str, verb: str, says: str) -> None:
    clause = f"{subject} {verb}"
    source = f"It is an old house. Never say that {clause}. No {clause}."
    turned = f"In this house no {clause}."
    assert found(f'{says} "{clause}" [R-1].', turned) == [False]
    assert found(f'{says} "no {clause}" [R-1].', turned) == [True]
    assert found(f'There, no "{clause}" [R-1].', turned) == [True]
    assert found(f'{says} "No {clause}" [R-1].', source) == [True]


@given(_SUBJECTS, _VERBS, _LIMITS, _SAYS)
def test_a_limit_behind(subject: str, verb: str, limit: str, says: str) -> None:
    clause = _upper(f"{subject} {verb}")
    source = f"It is an old house. {clause}, {limit}. Ask the warden."
    assert found(f'{says} "{clause}" [R-1].', source) == [False]
    assert found(f'{says} "{clause}, {limit}" [R-1].', source) == [True]
    assert found(f'{says} "{clause}" [R-1], {limit}.', source) == [True]


@given(_SUBJECTS, _VERBS, _SAYS)
def test_a_contrast_behind_a_comma(subject: str, verb: str, says: str) -> None:
    clause = _upper(f"{subject} {verb}")
    assert found(f'{says} "{clause}" [R-1].', f"{clause}, not in the hall.") == [True]
