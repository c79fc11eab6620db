"""Near misses of a failure code's name.

An entry of `must_not_include` that is no code is forbidden text. One that was meant as a code would then be looked for
as text, never found, and the code never checked: it is an error. Prose stays text: what has spaces counts only where it
is the code's name but for case, separators, a plural or a letter or two.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache
from typing import Final

from judgemesh.contracts.codes import FailureCode, parse_code

_UPPER_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+|[A-Z]{8,}")
_LOWER_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_CAMEL_NAME: Final = re.compile(r"[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_EDITS: Final = 2
_MIN_FOLDED_CHARS: Final = 9
_UPPER_RATIO: Final = 0.76
_LOWER_RATIO: Final = 0.86
_MEANT: Final = {
    "hallucination": FailureCode.UNSUPPORTED_CLAIM,
    "hallucinations": FailureCode.UNSUPPORTED_CLAIM,
    "hallucinated_claim": FailureCode.UNSUPPORTED_CLAIM,
    "hallucinated_fact": FailureCode.WRONG_FACT,
    "hallucinated_reference": FailureCode.FABRICATED_REFERENCE,
    "hallucinated_citation": FailureCode.FABRICATED_REFERENCE,
    "fabricated_citation": FailureCode.FABRICATED_REFERENCE,
    "fake_citation": FailureCode.FABRICATED_REFERENCE,
    "fake_reference": FailureCode.FABRICATED_REFERENCE,
    "invented_reference": FailureCode.FABRICATED_REFERENCE,
    "duplicate_action": FailureCode.DUPLICATE_EXECUTION,
    "duplicate_payment": FailureCode.DUPLICATE_EXECUTION,
    "double_execution": FailureCode.DUPLICATE_EXECUTION,
    "unauthorized_tool": FailureCode.UNAUTHORIZED_ACTION,
    "unauthorized_transaction": FailureCode.UNAUTHORIZED_PAYMENT,
    "forbidden_action": FailureCode.UNAUTHORIZED_ACTION,
    "unconfirmed_action": FailureCode.UNCONFIRMED_HIGH_RISK_ACTION,
    "sop_violation": FailureCode.SOP_NOT_FOLLOWED,
    "false_fact": FailureCode.WRONG_FACT,
    "incorrect_fact": FailureCode.WRONG_FACT,
}
"""Names that people write as if they were codes. Those of more than one word count only when written as a name."""


def near_code(text: str) -> FailureCode | None:
    """The code that an entry was probably meant to name; None for a code, and for text."""
    entry = text.strip()
    if parse_code(entry) is not None:
        return None
    words = _words(entry)
    if not words:
        return None
    return _same_name(words) or _meant(entry, words) or _like(entry, words)


def _words(entry: str) -> tuple[str, ...]:
    if _CAMEL_NAME.fullmatch(entry):
        entry = _HUMP.sub(" ", entry)
    return tuple(word.casefold() for word in _WORD.findall(entry))


def _same_name(words: tuple[str, ...]) -> FailureCode | None:
    """The code of the same words or nearly so, however they are separated."""
    folded = "".join(words)
    if len(folded) < _MIN_FOLDED_CHARS:
        return None
    for code, name in _folded_codes().items():
        same_count = len(words) in (1, code.count("_") + 1)
        close = abs(len(name) - len(folded)) <= _MAX_EDITS
        if same_count and close and _edits(folded, name) <= _MAX_EDITS:
            return code
    return None


def _meant(entry: str, words: tuple[str, ...]) -> FailureCode | None:
    is_name = len(words) == 1 or _is_name(entry)
    if not is_name:
        return None
    name = "_".join(words)
    return _MEANT.get(name) or _MEANT.get(name.removesuffix("s"))


def _is_name(entry: str) -> bool:
    forms = (_UPPER_NAME, _LOWER_NAME, _CAMEL_NAME)
    return any(form.fullmatch(entry) for form in forms)


def _like(entry: str, words: tuple[str, ...]) -> FailureCode | None:
    """The most similar code of an entry that is written as a name; capitals need less similarity."""
    if _UPPER_NAME.fullmatch(entry):
        least = _UPPER_RATIO
    elif _is_name(entry):
        least = _LOWER_RATIO
    else:
        return None
    name = "_".join(words)
    best, similarity = max(
        ((code, _similarity(name, code)) for code in FailureCode),
        key=lambda pair: pair[1],
    )
    return best if similarity >= least else None


def _similarity(name: str, code: FailureCode) -> float:
    """By letters in order, or by letters of the same words in any order."""
    target = code.value.casefold()
    in_order = SequenceMatcher(None, name, target, autojunk=False).ratio()
    left = " ".join(sorted(name.split("_")))
    right = " ".join(sorted(target.split("_")))
    return max(in_order, SequenceMatcher(None, left, right, autojunk=False).ratio())


@cache
def _folded_codes() -> dict[FailureCode, str]:
    return {code: code.value.replace("_", "").casefold() for code in FailureCode}


def _edits(left: str, right: str) -> int:
    """The Levenshtein distance."""
    row = list(range(len(right) + 1))
    for number, char in enumerate(left, start=1):
        above, row[0] = row[0], number
        for column, other in enumerate(right, start=1):
            change = above + (char != other)
            above = row[column]
            row[column] = min(row[column] + 1, row[column - 1] + 1, change)
    return row[-1]
