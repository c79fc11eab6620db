"""Numbers that a turn writes in words: English to 999,999, and the small ones of other languages."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.numbers.number_words import number_of_words
from judgemesh.validators._shared.text import plain

_ABROAD: Final = {
    2: "zwei deux dos twee dwa iki",
    3: "drei trois tres tre drie trzy üç",
    4: "vier quatre cuatro quattro quatro fyra cztery dört",
    5: "fünf cinq cinco cinque vijf fem pięć beş",
    6: "sechs seis zes seks sześć alt\u0131",
    7: "sieben sept siete sette sete zeven sju siedem yedi",
    8: "acht huit ocho otto oito åtta osiem sekiz",
    9: "neun neuf nueve nove negen nio dziewięć dokuz",
    10: "zehn dix diez dieci dez tien tio dziesięć",
    11: "elf onze once undici elva jedenaście",
    12: "zwölf douze doce dodici doze twaalf tolv dwanaście dozen dutzend douzaine docena",
    13: "dreizehn treize trece tredici treze dertien tretton",
    14: "vierzehn quatorze catorce quattordici catorze veertien fjorton",
    15: "fünfzehn quinze quince quindici vijftien femton",
    16: "sechzehn seize dieciséis sedici zestien sexton",
    17: "siebzehn diecisiete diciassette zeventien sjutton",
    18: "achtzehn dieciocho diciotto achttien arton",
    19: "neunzehn diecinueve diciannove negentien nitton",
    20: "zwanzig vingt veinte venti vinte twintig tjugo yirmi",
    30: "dreißig dreissig trente treinta trenta trinta dertig otuz",
    40: "vierzig quarante cuarenta quaranta quarenta veertig k\u0131rk",
    50: "fünfzig cinquante cincuenta cinquanta cinquenta vijftig elli",
    60: "sechzig soixante sesenta sessanta sessenta zestig",
    70: "siebzig setenta settanta zeventig",
    80: "achtzig ochenta ottanta oitenta tachtig",
    90: "neunzig noventa novanta negentig",
    100: "hundert cent cien cento cem honderd hundra",
    1000: "tausend mille mil duizend tusen bin",
}  # fmt: skip
_BY_WORD: Final = {
    word: Decimal(number)
    for number, words in _ABROAD.items()
    for word in words.split()
    if word not in {"once", "elf", "bin", "cent", "fem"}
}
"""Without words that mean something else in English or German."""
_SMALL: Final = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]
_NUMERAL: Final = (
    rf"(?:one|{'|'.join(sorted(_SMALL, key=len, reverse=True))}|hundred|thousand)"
)
_RUN: Final = re.compile(rf"\b{_NUMERAL}(?:(?:\s|-|\sand\s){_NUMERAL})*\b")
_WORD: Final = re.compile(r"[^\W\d_]+")


def numbers_in_words(text: str) -> set[Decimal]:
    """The numbers that a text writes in words; a single `one` is none."""
    return set(_numbers_in_words(plain(text).casefold()))


@lru_cache(maxsize=1_024)
def _numbers_in_words(shown: str) -> frozenset[Decimal]:
    found = {_BY_WORD[word] for word in _WORD.findall(shown) if word in _BY_WORD}
    for run in _RUN.finditer(shown):
        if run[0] == "one":
            continue
        number = number_of_words(run[0])
        if number is not None:
            found.add(Decimal(number))
    return frozenset(found)
