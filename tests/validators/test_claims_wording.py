"""Full stops that end no sentence, talk that goes on to state something, measures: nothing that is said is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.verdicts import Pass
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.claims import claims
from judgemesh.validators.claims.language.sentences import split

from .helpers import make_case

ONE_SENTENCE = [
    "Das Archiv schloss am 8. Mai 2027 seine Türen.",
    "Wir liefern am 12. Januar und am 3. Februar.",
    "Die 3. Etage ist gesperrt.",
    "Im 2. Bauabschnitt fehlt der Strom.",
    "Der Umbau kostet 1,2 Mio. Franken.",
    "Rund 40 Tsd. Besucher kamen.",
    "Mødet er den 31. maj 2026.",
    "Festivalen åpner 4. juli.",
    "Kokous pidetään 8. toukokuuta.",
    "Schůze je 8. května.",
    "La Sra. Molina firma el acta.",
    "Mme. Petit dirige le service.",
    "Il Dott. Rossi ha firmato.",
    "Bkz. Madde bölümü.",
    "The lab closes at 5 p.m. on Friday.",
    "Dr. Lenz met Prof. Aydin.",
    "Acme Ltd. paid the invoice.",
    "See fig. The diagram.",
    "It moved to Halden Corp. of Oslo.",
]
TWO_SENTENCES = [
    "We sold 12. Tom left early.",
    "The total is 40. May I help you?",
    "It took 45 min. Then we left.",
    "Boats go at 8 km/h. Seals rest.",
    "Der Umbau kostet 2 Mio. Darf ich noch etwas tun?",
    "Die Kosten liegen bei 3 Mrd. Die Sache ist klar.",
    "El total es de 30. La obra sigue.",
    "Der Bock ist 3. Der Rest folgt.",
    "I parked in hall B. The gate was open.",
    "It opened in 2019. Visitors came.",
    "The pumps come from Halden Ltd. The spare parts are kept in Oslo.",
    "She joined Marlow Inc. It closed a year later.",
    "We stock filters, seals, etc. They are free.",
    "The shop is on Mill St. Is it open?",
]


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_a_full_stop_inside_a_sentence(text: str) -> None:
    assert [sentence for _, sentence in split(text)] == [text]


@pytest.mark.parametrize("text", TWO_SENTENCES)
def test_a_full_stop_between_two_sentences(text: str) -> None:
    assert len(list(split(text))) == 2


@given(st.lists(st.sampled_from([*ONE_SENTENCE, *TWO_SENTENCES]), max_size=6))
def test_no_letter_is_lost(texts: list[str]) -> None:
    text = " ".join(texts)
    pieces = [piece for _, piece in split(text)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(text[start:].startswith(piece) for start, piece in split(text))


MONTHS = {
    "de": (
        "Das Museum zeigte die Vasen ab dem {day}. {month} {year}.",
        ["Januar", "März", "April", "Mai", "Juni", "Juli", "Oktober", "Dezember"],
    ),
    "da": (
        "Havnen lukkede den {day}. {month} {year}.",
        ["januar", "marts", "april", "maj", "juni", "juli", "oktober", "december"],
    ),
    "nl": (
        "De haven sloot op {day} {month} {year}.",
        ["januari", "maart", "april", "mei", "juni", "juli", "oktober", "december"],
    ),
}
DATES = st.fixed_dictionaries(
    {"day": st.integers(1, 28), "month": st.integers(0, 7), "year": st.just(2027)}
)


def passes(evidence: str, answer: str) -> bool:
    """Whether the gate of an answer with this evidence would pass."""
    contract = {"claims": {"evidence": [{"id": "e", "text": evidence}]}}
    found = drive(claims, make_case(contract, {"output": answer}), ()).verdicts
    return all(isinstance(verdict, Pass) for verdict in found)


@given(st.sampled_from(sorted(MONTHS)), DATES, DATES)
def test_another_date_never_passes(
    language: str, true: dict[str, int], said: dict[str, int]
) -> None:
    form, months = MONTHS[language]
    texts = [
        form.format(**{**date, "month": months[date["month"]]}) for date in (true, said)
    ]
    assert passes(texts[0], texts[1]) == (true == said)


EVIDENCE = "The depot holds 300 crates. The crane lifted crate 17 on 3 March 2027."
OPENERS = [
    *("Thanks for asking,", "Thanks for waiting,", "Let me know, since", "Sorry for the delay,"),
    *("Gracias por su pregunta,", "Vielen Dank für Ihre Frage,", "Happy to help,"),
]  # fmt: skip
FALSE = [
    "crane 4 lifted crate 18 on 9 March 2027.",
    "the crane collapsed.",
    "the depot holds 900 crates.",
    "la grúa abre los lunes.",
]


@pytest.mark.parametrize("false", FALSE)
@pytest.mark.parametrize("opener", OPENERS)
def test_an_opener_hides_no_statement(opener: str, false: str) -> None:
    assert not passes(EVIDENCE, f"The depot holds 300 crates. {opener} {false}")


COURTEOUS = [
    *("Thanks for waiting, Tom!", "Thank you for your patience.", "Let me know, please."),
    *("Gracias por todo, un saludo.", "Vielen Dank, Ihr Team.", "Merci, bonne journée !"),
    "Thanks for asking, and have a lovely weekend!",
]  # fmt: skip


@pytest.mark.parametrize("courtesy", COURTEOUS)
def test_a_courtesy_is_no_claim(courtesy: str) -> None:
    assert passes(EVIDENCE, f"The depot holds 300 crates. {courtesy}")


AREAS = ["74 m²", "74 m2", "74 m^2", "74 square metres", "74 square meters"]


@pytest.mark.parametrize("said", AREAS)
@pytest.mark.parametrize("held", AREAS)
def test_an_area_is_one_in_every_spelling(held: str, said: str) -> None:
    assert passes(f"The loft covers {held}.", f"The loft covers {said}.")


@pytest.mark.parametrize(
    "other", ["74 m", "74 m³", "74 cubic metres", "75 m²", "74 km²"]
)
def test_another_measure_is_not_that_area(other: str) -> None:
    assert not passes("The loft covers 74 m².", f"The loft covers {other}.")
