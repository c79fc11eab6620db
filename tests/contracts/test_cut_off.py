"""A quote is not cut off before the unit, the magnitude or the rest of its last number, in any of the languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.text.passages import is_in_text

CUT: dict[str, tuple[str, str]] = {
    "weight": ("Each parcel weighs 18 kg with its box.", "Each parcel weighs 18"),
    "volume a minute": ("The pump moves 0.8 l/min at rest.", "The pump moves 0.8"),
    "counted in words": ("The barrel holds 225 litres of wine.", "The barrel holds 225"),
    "currency": ("The stall costs 35 CHF a day.", "The stall costs 35"),
    "currency in brackets": ("The deposit is 80 (EUR).", "The deposit is 80"),
    "currency by name": ("Die Kaution beträgt 80 Euro.", "Die Kaution beträgt 80"),
    "unknown sign": ("The string carries 9 xu at most.", "The string carries 9"),
    "glued unit": ("The bolt is 40mm long.", "The bolt is 40"),
    "hyphenated unit": ("It has a 12-inch screen.", "It has a 12"),
    "area": ("The plot is 640 m² in size.", "The plot is 640"),
    "duration": ("The warranty lasts 24 months from delivery.", "The warranty lasts 24"),
    "rate": ("The ticket is 9 per child.", "The ticket is 9"),
    "rate for each": ("Der Eintritt ist 9 pro Person.", "Der Eintritt ist 9"),
    "group of digits": ("The hall seats 1 250 guests.", "The hall seats 1"),
    "fraction": ("The recipe needs 2 ½ cups.", "The recipe needs 2"),
    "power of ten": ("The sample has 3 × 10^5 cells.", "The sample has 3"),
    "ordinal": ("It stands on the 14th floor.", "It stands on the 14"),
    "letter of a section": ("Section 4a applies here.", "Section 4"),
    "german million": ("Der Umsatz lag bei 7 Mio. Franken.", "Der Umsatz lag bei 7"),
    "german pounds": ("Die Gans wog 9 Pfund vor dem Fest.", "Die Gans wog 9"),
    "french million": ("Le musée a reçu 4 millions de visiteurs.", "Le musée a reçu 4"),
    "french hours": ("La cuisson dure 6 heures au four.", "La cuisson dure 6"),
    "spanish thousand": ("El puerto movió 8 mil contenedores.", "El puerto movió 8"),
    "spanish metres": ("El pozo mide 30 metros de hondo.", "El pozo mide 30"),
    "italian billion": ("Il bilancio è di 2 miliardi di euro.", "Il bilancio è di 2"),
    "portuguese million": ("A obra custou 5 milhões de reais.", "A obra custou 5"),
    "dutch thousand": ("De kaas kostte 3 duizend gulden.", "De kaas kostte 3"),
    "dutch weeks": ("De levertijd is 6 weken vanaf nu.", "De levertijd is 6"),
    "turkish thousand": ("Depoda 40 bin kutu var.", "Depoda 40"),
    "turkish with suffix": ("Bütçe 6 milyondur.", "Bütçe 6"),
    "polish thousand": ("Miasto liczy 90 tys. mieszkańców.", "Miasto liczy 90"),
    "polish currency": ("Bilet kosztuje 12 złotych.", "Bilet kosztuje 12"),
    "danish crowns": ("Billetten koster 45 kroner.", "Billetten koster 45"),
    "swedish million": ("Staden har 2 miljoner invånare.", "Staden har 2"),
    "norwegian hours": ("Turen tar 5 timer til fots.", "Turen tar 5"),
    "japanese ten thousands": ("入場料は3万円である。", "入場料は3"),
    "japanese years": ("保証は5年間有効です。", "保証は5"),
    "chinese hundred millions": ("投资额为6亿元。", "投资额为6"),
    "before an ellipsis": ("The crate weighs 18 kg with its lid.", "The crate weighs 18 … with its lid"),
}  # fmt: skip
"""A source, and a quote of it that loses what belongs to its last number."""

WHOLE: dict[str, tuple[str, str]] = {
    "year": ("In 2019 the company moved to Bern.", "In 2019"),
    "year before a name": ("In 2019 Ada Roy took over.", "In 2019"),
    "page": ("The table is on page 12 of the annex.", "The table is on page 12"),
    "end of sentence": ("The team won in 2020. Mg is a metal.", "The team won in 2020"),
    "comma": ("Of the 40, kg for kg, few were sold.", "Of the 40"),
    "and": ("The shop has rooms 12 and 14.", "The shop has rooms 12"),
    "verb": ("Version 2 was never shipped.", "Version 2"),
    "short verb": ("Of the crew, 12 had a cold.", "Of the crew, 12"),
    "counted things stay a matter of words": ("The choir has 40 singers.", "The choir has 40"),
    "label before a short word": ("Room 12 mis-reported the count.", "Room 12"),
    "verb of three letters": ("Kids under 12 eat free.", "Kids under 12"),
    "product": ("Windows 11 Pro is required.", "Windows 11"),
    "country": ("Route 66 USA was paved.", "Route 66"),
    "german year": ("Im Jahr 2019 zog die Firma um.", "Im Jahr 2019"),
    "german preposition": ("Die Regel steht in Absatz 3 der Satzung.", "Die Regel steht in Absatz 3"),
    "french year": ("En 2019 la mairie a fermé.", "En 2019"),
    "spanish page": ("El dato está en la página 12 del informe.", "El dato está en la página 12"),
    "italian year": ("Nel 2019 il museo ha chiuso.", "Nel 2019"),
    "portuguese year": ("Em 2019 a escola mudou.", "Em 2019"),
    "dutch year": ("In 2019 is de brug gesloten.", "In 2019"),
    "turkish suffix": ("Şirket 2019'da taşındı.", "Şirket 2019"),
    "turkish year": ("2019 ve 2020 kuraktı.", "2019"),
    "polish year": ("W roku 2019 w Krakowie padało.", "W roku 2019"),
    "swedish year": ("År 2019 var det torrt.", "År 2019"),
    "czech year": ("V roce 2019 se firma přestěhovala.", "V roce 2019"),
    "japanese particle": ("部屋番号は12である。", "部屋番号は12"),
    "unit kept": ("The crate weighs 18 kg with its lid.", "The crate weighs 18 kg"),
    "unit kept, glued": ("The bolt is 40mm long.", "The bolt is 40 mm"),
    "table": ("| width | 40 | mm |\n| depth | 20 | mm |", "width 40"),
    "paragraph": ("The total is 40\n\nMM Ltd owns it.", "The total is 40"),
    "number inside": ("The crate weighs 18 kg with its lid.", "crate weighs 18 kg with"),
}  # fmt: skip
"""A source, and a quote of it that ends at a number and loses nothing that belongs to it."""


@pytest.mark.parametrize(("text", "quote"), CUT.values(), ids=CUT.keys())
def test_a_quote_may_not_lose_what_belongs_to_its_number(text: str, quote: str) -> None:
    assert not is_in_text(quote, text)


@pytest.mark.parametrize(("text", "quote"), WHOLE.values(), ids=WHOLE.keys())
def test_a_quote_may_end_at_a_number(text: str, quote: str) -> None:
    assert is_in_text(quote, text)


UNITS = (
    "mg kg km/h m² °C % EUR € litres Stunden jours años milioni tys. bin miljoner kWh"
)
NUMBERS = st.one_of(
    st.integers(0, 99_999).map(str),
    st.decimals(0, 999, places=2).map(str),
    st.integers(1_000, 9_999).map(lambda number: f"{number:,}"),
)
GOES_ON = "and or of the was were und der ist et la est y el es e il di o as en het ve w z på för"


@given(
    NUMBERS,
    st.sampled_from(UNITS.split()),
    st.sampled_from(["is", "betr\u00e4gt", "fait", "mide", "wynosi"]),
)
def test_a_number_without_its_unit_is_another_statement(
    number: str, unit: str, verb: str
) -> None:
    text = f"Das Rohr {verb} {number} {unit} hier."
    assert is_in_text(f"Rohr {verb} {number} {unit}", text)
    assert not is_in_text(f"Rohr {verb} {number}", text)


@given(
    NUMBERS,
    st.sampled_from(GOES_ON.split()),
    st.text("xqzj", min_size=4, max_size=12),
)
def test_a_number_before_a_common_word_may_end_a_quote(
    number: str, following: str, word: str
) -> None:
    text = f"Der Wert {number} {following} {word}."
    assert is_in_text(f"Der Wert {number}", text)
