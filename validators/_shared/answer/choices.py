"""The letter that a text chooses: `B`, `(B)`, `B) Paris`, `Option B is right`, `I think it's B`, `B, not A`."""

from __future__ import annotations

import re
from typing import Final

_LETTER: Final = re.compile(r"[A-Z]")
_LED: Final = re.compile(
    r"^[\s*_(\[\"'#>$]*(?:(?:option|choice|alternative|answers?|letter)\s*(?:is|:|=)?\s*)?[*_(\[\"']*([A-Z])[*_)\]\"'$]*"
    r"(?:$|[\n.:,;)!\u3002\uff0c\u2013\u2014-]|"
    r"\s+[(\u2013\u2014-]|\s+(?:because|since|as|is|not|for|non|over|and not)\b)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?i:options?|choices?|answers?|alternative|letter|it['\u2019]?s|it is|is|be|est|chose|choose|pick|picked|"
    r"select|selected|take|with|for|for sure|clearly|definitely|say)"
    r"(?:\s+(?i:is|must be|should be|would be|clearly|definitely|probably|for sure|surely|option|choice|answer)){0,8}"
    r"\s*[:=]?\s*[*_(\[\"'$]*([A-Z])(?![\w'\u2019])(?!\s+[a-z]+\s+(?i:is|are|was|were|should|needs?|must)\b)"
    r"|(?:^|\s)[*_]*\(([A-Z])\)"
    r"|\b([B-HJ-Z])[*_)\]\"']*\s+(?:is|fits|seems|must be|was)\s+(?:the\s+)?(?:right|correct|best|answer|true|it)\b",
)
_NEGATED: Final = re.compile(
    r"(?:\bnot|n['\u2019]t(?: \w+)?(?: be)?|\bneither|\bnor|\bnever|\brather than|\binstead of|\bnon|\bno[nt]? option|"
    r"\bexcept|"
    r"\u4e0d\u662f|\bexclude[sd]?|\beliminate[sd]?|\brules? out)[\s\w]{0,12}[*_(\[\"']*$",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"[*_)\]\"']*\s+(?:is|was|seems|looks)\s+(?:\w+\s+)?(?:wrong|incorrect|false|not\b|impossible|too\b|out\b)"
    r"|[*_)\]\"']*\s+(?:isn|wasn|can|doesn|won)['\u2019]?t\b",
    re.IGNORECASE,
)
_AND_MORE: Final = re.compile(
    r"[*_)\]\"'$]*\s*(?:,|/|&|\band\b|\bor\b)\s*(?:(?:and|or)\s+)?[*_(\[]*[A-Z](?![\w'\u2019])"
)
_STANDING: Final = re.compile(r"(?<![\w'\u2019.-])([A-HJ-Z])(?![\w'\u2019-])(?!\.\w)")
_ARTICLE: Final = re.compile(
    r"A\s+(?!(?:or|and|is|was|because|since|as|fits|not|nor|but)\b)[a-z]"
)


def is_choice(text: str) -> bool:
    """Whether a text is one capital letter."""
    return _LETTER.fullmatch(text) is not None


def chooses(wanted: str, text: str) -> bool | None:
    """Whether the text chooses a letter; None where it does not say which one, False where it chooses another.

    A letter that the text denies is not chosen. Other letters that it only speaks of do not matter where one is named
    as the choice; where none is, they leave it open. Two letters side by side (`A or B`) are not one choice.
    """
    led = _LED.match(text)
    if led is not None and not _DENIED.match(text[led.end(1) :]):
        rest = _named(text[led.end(1) :])
        letter = led[1].upper()
        if _AND_MORE.match(text[led.end(1) :]):
            return False
        return letter == wanted if rest <= {letter} else None
    return _chosen_of(_named(text) or _asserted(text, _STANDING), wanted, text)


def _chosen_of(letters: set[str], wanted: str, text: str) -> bool | None:
    """Whether the letter of a text that does not begin with one is the wanted one."""
    if len(letters) > 1:
        return False if _AND_MORE.search(text) else None
    if _named(text):
        return letters == {wanted}
    if letters == {wanted} and _alone(text):
        return True
    return None if _STANDING.search(text) else False


def _alone(text: str) -> bool:
    """Whether a text is hardly more than a letter."""
    return len(text.split()) <= _FEW


def _named(text: str) -> set[str]:
    return _asserted(text, _NAMED)


_NEAR_CHARS: Final = 400


def _asserted(text: str, pattern: re.Pattern[str]) -> set[str]:
    letters: set[str] = set()
    for match in pattern.finditer(text):
        group = next(
            number for number, letter in enumerate(match.groups(), 1) if letter
        )
        start, end = match.span(group)
        before = text[max(0, start - _NEAR_CHARS) : start]
        if _NEGATED.search(before) or _DENIED.match(text[end : end + _NEAR_CHARS]):
            continue
        if _ARTICLE.match(text[start : start + _NEAR_CHARS]):
            continue
        letters.add(match[group])
    return letters


_FEW: Final = 4
