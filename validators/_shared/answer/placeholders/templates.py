"""Templates in brackets that nobody filled in: `{{drug_name}}`, `<your answer>`, `[insert date]`.

Few texts have a bracket, and compiling the patterns takes longer than grading a result, so that they are loaded when a
text has one.
"""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.answer.placeholders.absent_words import (
    asks_to_fill_in,
)
from judgemesh.validators._shared.answer.placeholders.phrases import is_empty_phrase
from judgemesh.validators._shared.answer.placeholders.words import TEMPLATE_WORDS
from judgemesh.validators._shared.text import fold_name, fold_value

_TEMPLATE_OPENINGS: Final = (
    "insert ", "enter ", "your ", "fill ", "add ", "put ", "name of ", "placeholder", "todo", "tbd",
)  # fmt: skip
_BRACKETED: Final = (
    (re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%[^%]*%>|%[A-Za-z_]+%|\{[A-Za-z_][\w .\-]*\}|__[A-Z_]+__"), False),
    (re.compile(r"<(?=[^<>]*[A-Za-z])[\w .'\-/]{1,60}>"), False),
    (re.compile(r"\[(?=[^\[\]]*[^\W\d_])[^\[\]]{1,80}\](?!\()|\((?:insert|enter|your|tb[adc]|"
    r"todo)[^()]*\)", re.IGNORECASE),
     True),
)  # fmt: skip
"""Templates, and whether the words inside decide: `[Ann Fox]` may be a value, `[name]` is none."""
_CODE: Final = re.compile(r"<[A-Z]{1,8}[-_. ]?\d[\w.\-]*>")
"""`<SOP-12>` names a document; `<address line 1>` is a template."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_MAX_WORDS_BESIDE: Final = 2


def is_template(beside: str, names: frozenset[str]) -> bool:
    """Whether a template stands in a plain text and, beside it, no figure and hardly a word."""
    found = False
    for pattern, by_words in _BRACKETED:
        for match in pattern.finditer(beside):
            if _CODE.fullmatch(match[0]):
                continue
            if not by_words or _names_a_slot(match[0], names):
                found = True
                beside = beside.replace(match[0], " ", 1)
    if not found or any(map(str.isdigit, beside)):
        return False
    return len(_WORD.findall(beside)) <= _MAX_WORDS_BESIDE


def _names_a_slot(bracketed: str, names: frozenset[str]) -> bool:
    inside = fold_value(bracketed)
    if inside.startswith(_TEMPLATE_OPENINGS) or fold_name(inside) in names:
        return True
    if is_empty_phrase(inside):
        return True
    words = _WORD.findall(inside)
    has_figures = any(map(str.isdigit, inside))
    if not has_figures and asks_to_fill_in(inside):
        return True
    return (
        not has_figures and "," not in inside and not TEMPLATE_WORDS.isdisjoint(words)
    )
