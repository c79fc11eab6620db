"""A title before a name is none of the name, and says only whom it addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.honorifics import addressed_otherwise, without_title
from judgemesh.validators.claims import claims
from judgemesh.validators.expected_answer import expected_answer

from .helpers import kinds, verdicts

_MEN = st.sampled_from(["Mr", "Mr.", "Herr", "Monsieur", "M.", "Sr.", "Señor", "Sig."])
_WOMEN = st.sampled_from(["Ms", "Mrs.", "Frau", "Mme", "Sra.", "Señora", "Miss"])
_DOCTORS = st.sampled_from(["Dr", "Dr.", "Prof.", "Prof. Dr."])
_NAMES = st.sampled_from(["Osei", "Keil", "Ana Nadie", "Öztürk", "O'Brien", "Baptiste-Roy"])  # fmt: skip


def _kinds(expected: str, text: str) -> list[str]:
    contract = {"fields": {"interpreter": {"equals": expected}}}
    return kinds(verdicts(expected_answer, contract, {"output": f"Interpreter: {text}"}))  # fmt: skip


@given(_MEN, _MEN, _WOMEN, _DOCTORS, _NAMES)
def test_a_title_before_a_name(man: str, other: str, woman: str, doctor: str, name: str) -> None:  # fmt: skip
    for title in (man, woman, doctor):
        assert _kinds(name, f"{title} {name}") == ["pass"]
        assert _kinds(name, f"{title} {name}, who arrives late") == ["pass"]
        assert _kinds(f"{title} {name}", name) == ["abstain"]
        assert _kinds(name, f"{title} Holm") == ["fail"]
        assert _kinds(name, f"la {title} {name}") == ["pass"]
    assert _kinds(f"{man} {name}", f"{other} {name}") == ["pass"]
    assert _kinds(f"{man} {name}", f"{woman} {name}") == ["fail"]
    assert _kinds(f"{man} {name}", f"{doctor} {name}") == ["abstain"]


@given(_MEN, _WOMEN, _NAMES)
def test_whom_two_texts_address(man: str, woman: str, name: str) -> None:
    first = name.split(maxsplit=1)[0]
    assert addressed_otherwise(f"Ask {man} {name}.", f"{woman} {name} came") == first
    assert not addressed_otherwise(f"Ask {man} {name}.", f"{man} {name} came")
    assert not addressed_otherwise(f"Ask {man} {name}.", f"Dr {name} came, and {woman} Holm")  # fmt: skip
    assert not addressed_otherwise(name, f"{woman} {name}")


@pytest.mark.parametrize(
    "text",
    ["Mr", "Miss the boat", "Dr. 4", "mr Osei", "Don", "Sir", "le Corbusier", "La Paz"],
)
def test_what_has_no_title(text: str) -> None:
    assert without_title(text) == (None, text)


def test_a_claim_that_gives_the_name_another_title_is_open() -> None:
    contract = {"claims": {"evidence": [{"id": "log", "text": "The pump was sealed by Mr Osei."}]}}  # fmt: skip
    for claim, kind in (("Mr Osei", "pass"), ("Osei", "pass"), ("Ms Osei", "skipped")):
        output = {"output": f"The pump was sealed by {claim}."}
        assert kinds(verdicts(claims, contract, output)) == [kind], claim
