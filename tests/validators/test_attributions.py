"""A document that a sentence names as its source is cited, in any of the languages that the rules know."""

from __future__ import annotations

import pytest

from judgemesh.contracts.results import AgentOutput
from judgemesh.validators.citations.cited import Standing
from judgemesh.validators.citations.reading import citations_of

ATTRIBUTED = (
    "According to {}, they bloom.", "Laut {} blühen sie.", "Gemäß {} blühen sie.", "{} zufolge blühen sie.",
    "D’après {} elles fleurissent.", "Selon {}, elles fleurissent.", "Según {}, florecen.",
    "De acuerdo con {}, florecen.", "Secondo {}, fioriscono.", "Segundo {}, florescem.", "De acordo com {}, florescem.",
    "Volgens {} bloeien ze.", "Ifølge {} blomstrer de.", "Enligt {} blommar de.", "Według {} kwitną.",
    "{}'ye göre açıyorlar.", "{}’e göre açıyorlar.", "{}によると咲いている。", "{}によれば咲いている。", "根据{}，花开了。",
    "Quelle: {}", "Fuente: {}", "Fonte: {}", "Bron: {}", "Kilde: {}", "Källa: {}", "Źródło: {}", "Kaynak: {}", "出典：{}",
    "Sie blühen (Quelle: {}).",
)  # fmt: skip
LIKELY = (
    "Nach {} blühen sie.", "Siehe {} dazu.", "Sie blühen (siehe {}, S. 3).", "Elles fleurissent (voir {}, p. 3).",
    "Florecen (véase {}).", "Fioriscono (vedi {}).", "Ze bloeien (zie {}).", "Açıyorlar (bkz. {}).",
)  # fmt: skip
OTHER = (
    "Laut Uhr ist es 12.", "Nach dem Umbau blühen sie.", "Segundo piso, sala 204.", "Volgens mij is het 12 uur.",
    "Saat 12'ye göre ayarlandı.", "Conforme o plano, florescem.", "Quelle: eigene Notizen", "Fuente: ver arriba",
    "En 2019 florecen.", "Selon l'heure, elles fleurissent.",
)  # fmt: skip


def _standings(text: str) -> set[Standing]:
    checked = citations_of(AgentOutput.model_validate({"final_answer": text})).checked
    return {one.standing for one in checked if "GART-77" in one.names}


@pytest.mark.parametrize("form", ATTRIBUTED)
def test_a_document_that_is_named_as_the_source_is_cited(form: str) -> None:
    assert Standing.CITED in _standings(form.format("GART-77"))


@pytest.mark.parametrize("form", LIKELY)
def test_a_document_that_is_referred_to_is_likely_cited(form: str) -> None:
    assert not _standings(form.format("GART-77")).isdisjoint(
        {Standing.LIKELY, Standing.CITED}
    )


@pytest.mark.parametrize("text", OTHER)
def test_other_words_cite_nothing(text: str) -> None:
    checked = citations_of(AgentOutput.model_validate({"final_answer": text})).checked
    assert all(one.standing is Standing.NAMED for one in checked)
