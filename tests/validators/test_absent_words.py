"""Text in place of a value is no value in other languages either, and values that hold such words are values."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.answer.placeholders import is_placeholder

ABSENT = (
    "liegt nicht vor", "liegt mir noch nicht vor", "liegen derzeit nicht vor", "steht noch aus", "steht noch nicht fest",
    "wird noch mitgeteilt", "wird später bekannt gegeben", "wird Ihnen separat mitgeteilt", "noch zu klären",
    "noch nicht vergeben", "ist noch nicht bekannt", "in Klärung", "[Nummer einfügen]", "[Frachtnummer]", "[Datum]",
    "[bitte ergänzen]", "sera communiqué ultérieurement", "reste à préciser", "pas encore connu", "n'est pas disponible",
    "en cours de traitement", "en attente de confirmation", "[à compléter]", "[Insérer le numéro]",
    "se comunicará más tarde", "sin determinar", "aún por definir", "pendiente de confirmar", "todavía no disponible",
    "no consta", "no está disponible", "[indicar número]", "sarà comunicato a breve", "ancora da definire",
    "non ancora disponibile", "in attesa di conferma", "[inserire numero]", "será informado em breve",
    "ainda não disponível", "por confirmar", "sem informação", "[preencher]", "wordt nog doorgegeven",
    "nog niet bekend", "volgt nog", "in afwachting van bevestiging", "[invullen]", "oplyses senere", "ikke kendt endnu",
    "endnu ikke fastsat", "meddelas senare", "ännu inte fastställt", "inväntar besked", "zostanie podany później",
    "jeszcze nie ustalono", "do potwierdzenia", "niedostępne", "[wpisz numer]", "belirlenecek",
    "daha sonra bildirilecek", "henüz belli değil", "henüz belirlenmedi", "mevcut değil", "açıklanacaktır",
    "[numarayı girin]", "確認中", "確認中です", "後日連絡", "追ってご連絡いたします", "未定", "未確認", "情報なし", "[番号を入力]",
    "[番号]", "尚未确定", "待确认", "另行通知", "暂无数据", "siehe Aushang", "Siehe Website", "voir l'affiche", "ver tablón",
    "see the notice board", "check our website", "auf Anfrage", "sur demande", "nous consulter", "a consultar", "se anunciará",
    "sera publié", "wird noch veröffentlicht",
)  # fmt: skip
VALUES = (
    "Vor dem Tor 4", "Aus der Au", "Halle 3, steht links", "wird am 3. Mai geliefert", "Nicht brennbar", "Nichtraucher",
    "Kein Zutritt für Hunde", "Noch, Peter", "Folgt dem Weg am Ufer", "Sera Rossi", "À la Bonne Heure", "Pas de Deux",
    "Sans Souci", "non-fumeur", "A Coruña", "Sin City", "Por Favor", "No fumadores", "Serán de Vic", "Da Vinci",
    "Non Stop Reisen", "In Bocca al Lupo", "Não fumador", "Volgt de rode route", "Geen huisdieren", "Nog een Bakker",
    "Kommer Straße", "Kommerz GmbH", "Ikke-rygere", "Ej Jakob", "Nie Wieder e.V.", "Do Rzeki 4", "Büyükada", "Değirmen",
    "Gelecek Ltd.", "確認株式会社", "中田", "未来堂", "無印良品", "待兼山", "[Ann Fox]", "[FN-2231]", "[München]", "[Öztürk]",
    "bestätigt", "confirmado", "onaylandı", "verfügbar", "Müller-Vorlieg", "Alles offen am Montag", "Ort: Ulm",
    "no. 14", "a la carte", "in der Au", "sin gluten", "sans gluten", "senza glutine", "nicht rostend", "da Enzo",
    "aus", "Aus der Nähe", "feststehend", "Voir Paris", "Ver-sur-Mer", "Consultar SL", "Siehe GmbH", "See Street 4", "Se Bjørn",
)  # fmt: skip


@pytest.mark.parametrize("text", ABSENT)
def test_a_text_that_says_that_there_is_no_value(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", VALUES)
def test_a_value_is_a_value(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("in Bearbeitung", "zustand"),
        ("en cours", "statut"),
        ("pendiente", "estado"),
        ("in attesa", "stato"),
        ("w trakcie weryfikacji", "stan"),
        ("bekleniyor", "durum"),
        ("確認中", "状態"),
    ],
)
def test_a_status_may_be_pending(text: str, field: str) -> None:
    assert not is_placeholder(text, names=frozenset({field}))


@given(
    st.sampled_from([text for text in ABSENT if not text.startswith("[")]),
    st.sampled_from([".", "!", " ...", " **", ""]),
)
def test_case_marks_and_decoration_change_nothing(text: str, end: str) -> None:
    assert is_placeholder(f"{text}{end}")
    assert is_placeholder(text[:1].upper() + text[1:])


@given(st.sampled_from(ABSENT), st.integers(10, 99_999))
def test_a_figure_beside_it_makes_a_value(text: str, number: int) -> None:
    assert not is_placeholder(f"{number} {text}")


@pytest.mark.parametrize(
    "part", ["nicht ", "noch ", "sera ", "henüz ", "後日", "a", "no "]
)
def test_hostile_texts_take_time_in_proportion_to_their_length(part: str) -> None:
    started = process_time()
    for length in range(1, 400):
        is_placeholder((part * length)[:300])
    assert process_time() - started < 4
