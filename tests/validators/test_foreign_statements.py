"""Sentences in other languages that give a field its value, and those that do not."""

from __future__ import annotations

import pytest

from judgemesh.validators.required_fields import required_fields

from .helpers import kinds, verdicts

GIVEN = (
    ("Losnummer", "Die Losnummer lautet L-204."), ("Abholtag", "Abholtag ist der Montag."), ("Losnummer", "Die Losnummer für den Kuchen ist L-204."),
    ("Gebühr", "Die Gebühr beträgt 12 Euro."), ("Gärtner", "Gärtner ist Frau Öz."),
    ("numéro de lot", "Le numéro de lot est L-204."), ("tarif", "Le tarif s'élève à 12 euros."),
    ("número de lote", "El número de lote es L-204."), ("importe", "El importe de la reserva asciende a 12 euros."),
    ("numero di lotto", "Il numero di lotto è L-204."), ("número do lote", "O número do lote é L-204."),
    ("lotnummer", "Het lotnummer is L-204."), ("bedrag", "Het bedrag bedraagt 12 euro."),
    ("lodnummer", "Lodnummeret lyder.\nLodnummer er L-204."), ("partinummer", "Partinummer är L-204."),
    ("numer partii", "Numer partii jest L-204."), ("kwota", "Kwota wynosi 12 zł."), ("parti numarası", "Parti numarası L-204'tür."),
    ("番号", "番号はL-204です。"), ("担当者", "担当者は佐藤様です。"),
)  # fmt: skip
NOT_GIVEN = (
    ("Losnummer", "Die Losnummer ist noch nicht vergeben."), ("Losnummer", "Die Losnummer ist nicht L-204."),
    ("Losnummer", "Wie lautet die Losnummer?"), ("Losnummer", "Wenn die Losnummer L-204 ist, rufen Sie an."),
    ("Losnummer", "Ist die Losnummer L-204?"), ("Losnummer", "Die Losnummer ist Teil der Akte."),
    ("Losnummer", "Die Losnummer ist in der App zu sehen."), ("Losnummer", "Die Losnummer wird noch mitgeteilt."),
    ("numéro de lot", "Le numéro de lot est disponible en ligne."), ("numéro de lot", "Le numéro de lot n'est pas L-204."),
    ("número de lote", "El número de lote no es L-204."), ("número de lote", "El número de lote es desconocido."),
    ("numero di lotto", "Il numero di lotto è in arrivo."), ("lotnummer", "Het lotnummer is nog niet bekend."),
    ("numer partii", "Numer partii to tajemnica."), ("番号", "番号は未定です。"), ("番号", "番号は後日連絡します。"),
    ("番号", "番号はアプリで確認できます。"),
)  # fmt: skip


def _kinds(name: str, text: str) -> set[str]:
    contract = {"success_criteria": {"must_include": [name]}}
    return set(kinds(verdicts(required_fields, contract, {"output": text})))


@pytest.mark.parametrize(("name", "text"), GIVEN)
def test_a_sentence_gives_the_value(name: str, text: str) -> None:
    assert _kinds(name, text) == {"pass"}


@pytest.mark.parametrize(("name", "text"), NOT_GIVEN)
def test_a_sentence_that_gives_no_value(name: str, text: str) -> None:
    assert "pass" not in _kinds(name, text)
