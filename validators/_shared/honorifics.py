"""Titles before names: `Mr Osei` is Osei, `Herr Osei` is Mr Osei, and `Ms Osei` is somebody else. Pure."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from judgemesh.contracts.text.word_sets import word_set


class Address(StrEnum):
    """Whom a title addresses: a man, a woman, or either."""

    MAN = "man"
    WOMAN = "woman"
    EITHER = "either"


_MEN: Final = "mr mister herr herrn hr monsieur m señor sr don sig signor dhr meneer senhor pan sir"
_WOMEN: Final = (
    "mrs ms miss frau fr fru madame mme mademoiselle mlle señora sra señorita srta doña signora mevrouw mevr senhora"
    " pani dame madam"
)
_EITHER: Final = "mx dr dra prof professor professorin doktor docteur doctor doctora"
_TITLE: Final = re.compile(
    r"(?<![^\W_])(?P<title>[A-Z][a-zñ]{0,12})\.? (?=[A-ZÀ-ÖØ-Þ])"
)
_ARTICLE: Final = re.compile(r"^(?:der|die|den|dem|le|la|el|il|the) (?=[A-Z])")
"""`el Sr. Ruiz`, `la docteure Roy`."""
_NAME: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
TITLES: Final = (_MEN, _WOMEN, _EITHER)
"""The titles in small letters without their full stop, as texts of words."""


class Titled(NamedTuple):
    """Whom the titles before a name address (None without one), and the name."""

    address: Address | None
    name: str


def without_title(text: str) -> Titled:
    """The titles in front of a text, and the text behind them: `Prof. Dr. Osei`."""
    address: Address | None = None
    name = _ARTICLE.sub("", text)
    while (found := _TITLE.match(name)) is not None:
        given = _address(found["title"])
        if given is None:
            break
        address = given if address in (None, Address.EITHER) else address
        name = name[found.end() :]
    return Titled(address, name if address else text)


def addressed_otherwise(text: str, other: str) -> str:
    """A name that one text gives to a man and the other to a woman; empty where there is none."""
    ours = _addresses(text)
    if not ours:
        return ""
    theirs = _addresses(other)
    return next((name for name, one in ours.items() if one.isdisjoint(theirs.get(name, one))), "")  # fmt: skip


def _addresses(text: str) -> dict[str, set[Address]]:
    """The titles that say of a man or a woman, by the first name behind them."""
    found: dict[str, set[Address]] = {}
    for match in _TITLE.finditer(text):
        address = _address(match["title"])
        name = _NAME.match(text, match.end())
        if name is None or address is None or address is Address.EITHER:
            continue
        found.setdefault(name[0], set()).add(address)
    return found


def _address(title: str) -> Address | None:
    word = title.casefold()
    if word in word_set(_MEN):
        return Address.MAN
    if word in word_set(_WOMEN):
        return Address.WOMAN
    return Address.EITHER if word in word_set(_EITHER) else None
