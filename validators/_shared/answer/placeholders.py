"""Text that stands where a value should be: `N/A`, `TBD`, `[date]`, `could not be determined`, `see below`.

Families of wordings, each a pattern over the whole text: a value that merely holds such a word ("missing gasket") is
a value. Each family is one row; words of other languages are rows of the table too.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from judgemesh.validators._shared.answer.placeholder_words import (
    ACTION_FIELDS,
    ASKING,
    ERROR_MARKS,
    FOREIGN_MARKS,
    MARKS,
    PLACEHOLDERS,
    SIGNS,
    STATUS_FIELDS,
    TEMPLATE_WORDS,
    TURKISH_ENDINGS,
    UNITS,
    WORDINGS,
)
from judgemesh.validators._shared.text import (
    EDGES,
    fold_name,
    fold_value,
    plain,
    seamless,
)

_STATUS_VALUES: Final = (
    "pending", "missing", "outstanding", "awaiting", "unavailable", "in bearbeitung", "in klärung", "in prüfung",
    "in abstimmung", "ausstehend", "noch offen", "en cours", "en attente", "en curso", "pendiente", "in corso",
    "in attesa", "em curso", "pendente", "afventer", "avventer", "inväntar", "w trakcie", "oczekuje", "bekle",
    "確認中", "調整中", "検討中", "準備中", "确认中",
)  # fmt: skip
"""Real values of a field that is a status."""
_BRACKETS: Final = frozenset("{<%_[(")
"""Every template begins with one of these."""
_TEMPLATE_OPENINGS: Final = (
    "insert ", "enter ", "your ", "fill ", "add ", "put ", "name of ", "placeholder", "todo", "tbd",
)  # fmt: skip
_MASK: Final = re.compile(
    r"(?=.*(?:xx|##|__|\?\?))[x#_?\W]+(?:[a-z]{3})?", re.IGNORECASE
)
_DATE_MASK: Final = re.compile(
    r"(?=.*(?:yy|dd|hh))(?>y{2,4}|m{1,4}|d{1,2}|h{2}|s{2})(?:[-/.: t]*+(?>y{2,4}|m{1,4}|d{1,2}|h{2}|s{2}))++"
)
_PARTS: Final = re.compile(r"\s*[;(\u2013\u2014]\s*|\s+-\s+|\s*[,.:]\s+")
_MASK_SIGNS: Final = ("xx", "##", "__", "??")
"""Every mask holds one of these."""
_LETTERS: Final = re.compile(r"\b(?:[a-z]\.\s?){1,3}[a-z]\b\.?")
_INSERT: Final = re.compile(r"(?:please |kindly )?(?:insert|enter|fill in|type in)\b")
_ANYTHING: Final = frozenset(
    {
        "an",
        "the",
        "your",
        "its",
        "this",
        "that",
        "of",
        "here",
        "text",
        "value",
        "some",
        "something",
        "placeholder",
    }
)
_PER: Final = "per"
_PART_SIGNS: Final = frozenset(";(\u2013\u2014-,.:")
"""Every separator of parts holds one of these."""
_ITEM: Final = re.compile(r"^\s*(?:[-*+>\u2022]|\(?\d{1,3}[.)])\s+")
_WORD: Final = re.compile(r"[^\W\d_]+|n/a")
_LETTERS_TOGETHER: Final = re.compile(r"[^\W\d_]+")
_FIGURE: Final = re.compile(r"[A-Za-z/.:-]*\d[A-Za-z\d/.:-]*")
"""One word with a figure in it is a value, unless it ends in a mask: no family of wordings has such a word."""
_MASKED_END: Final = "xxx"
_REGRET: Final = re.compile(
    r"^(?:(?:i['\u2019]?m |i am |we are |we['\u2019]re )?(?:very |so |really |terribly )?sorry|(?:my "
    r"|our )?apologies|unfortunately"
    r"|i['\u2019]m afraid|regrettably|tut mir leid|désolée?|lo siento|mi dispiace"
    r"|desculpe)[,:;.!\u2013-]+\s+(?:but |that )?(?=\S)|^leider,?\s"
)
"""What is said before a declaration of ignorance: `Sorry, I don't know`."""
_REPEATED: Final = frozenset(
    {"null", "none", "nil", "nan", "undefined", "unknown", "tbd", "tba", "tbc", "n/a", "xxx", "missing", "todo"}
)  # fmt: skip
"""Placeholders that are none the less where they stand twice."""
_SEPARATED: Final = re.compile(r"[\s,;]+")
_MAX_CHARS: Final = 300
_MAX_WORDS_BESIDE: Final = 2


def allowed_values(values: list[str]) -> frozenset[str]:
    """What a contract accepts although it looks like a placeholder."""
    as_written = {value.strip().casefold() for value in values}
    folded = set(map(fold_value, values))
    return frozenset(as_written | folded) - {""}


def is_placeholder(
    text: str, allow: frozenset[str] = frozenset(), names: frozenset[str] = frozenset()
) -> bool:
    """Whether `text` is no value: empty, punctuation, `N/A`, `TBD`, `<drug name>`, `could not be determined`.

    Args:
        text: the text in place of the value.
        allow: values the contract accepts (`allowed_values`).
        names: folded names of the field, for templates such as `{{drug_name}}` and for what a status may be.
    """
    if len(text) > _MAX_CHARS:
        return not text.strip(EDGES)
    if _FIGURE.fullmatch(text) and not _ends_masked(text.casefold()):
        return False
    text = _ITEM.sub("", seamless(text))
    folded = fold_value(text).replace("\u2019", "'")
    if allow and (folded in allow or text.strip().casefold() in allow):
        return False
    if not folded:
        return True
    if _is_value_of_its_field(folded, names):
        return False
    return (
        _is_template(text, names)
        or _is_blank_form(text)
        or _is_error(text, names)
        or _says_nothing(_LETTERS.sub(_joined, folded), names)
    )


def _joined(letters: re.Match[str]) -> str:
    """`t.b.d.` as `tbd`, where that is a placeholder."""
    word = re.sub(r"[.\s]", "", letters[0])
    return word if word in PLACEHOLDERS else letters[0]


def _is_blank_form(text: str) -> bool:
    """Whether the text is a form that nobody filled in: a masked code, or a unit beside a blank or a placeholder."""
    shown = text.strip().casefold()
    if any(sign in shown for sign in _MASK_SIGNS) and _is_masked(shown):
        return True
    if not _may_have_unit(shown):
        return False
    from judgemesh.validators._shared.answer import blank_forms

    rest = blank_forms.without_unit(shown)
    if rest is None:
        return False
    if blank_forms.is_blank(rest):
        return True
    return _is_empty_phrase(_LETTERS.sub(_joined, rest).strip(EDGES))


def _is_masked(shown: str) -> bool:
    """Whether a folded text is a mask, or a code of which a part is masked."""
    from judgemesh.validators._shared.answer import blank_forms

    return _MASK.fullmatch(shown) is not None or blank_forms.is_masked_code(shown)


def _ends_masked(folded: str) -> bool:
    """Whether a word with figures ends in a mask."""
    if not folded.endswith("x"):
        return False
    return folded.endswith(_MASKED_END) or (
        _MASK_SIGNS[0] in folded and _is_masked(folded)
    )


def _may_have_unit(shown: str) -> bool:
    """Whether a text begins or ends with a unit, or may do so: `_measured` takes longer, it tries every end of the
    rest."""
    if shown[:1] in SIGNS or shown[-1:] in SIGNS:
        return True
    words = _LETTERS_TOGETHER.findall(shown)
    return bool(words) and (words[0] in UNITS or words[-1] in UNITS or _PER in words)


def _is_value_of_its_field(folded: str, names: frozenset[str]) -> bool:
    """Whether a status says `pending`, or a next step whom to call; a whole answer has no name and may say that."""
    if folded.startswith(_STATUS_VALUES) and is_status(names):
        return True
    asks = folded.startswith(ASKING)
    return asks and (not names or any(name.endswith(ACTION_FIELDS) for name in names))


def is_status(names: frozenset[str]) -> bool:
    """Whether a field of one of these folded names is a status, so that `pending` is a value."""
    return any(name.endswith(STATUS_FIELDS) for name in names)


def _is_error(text: str, names: frozenset[str]) -> bool:
    shown = text.casefold()
    if shown.lstrip()[:1] not in ("4", "5") and not any(
        mark in shown for mark in ERROR_MARKS
    ):
        return False
    from judgemesh.validators._shared.answer.error_messages import is_error_message

    return is_error_message(text, names)


def _says_nothing(folded: str, names: frozenset[str]) -> bool:
    """Whether the whole text is a placeholder, or begins with one and goes on without any figure."""
    folded = _REGRET.sub("", folded)
    if _is_empty_phrase(folded) or _asks_to_insert(folded, names):
        return True
    for name in _spoken(folded, names):
        if _is_empty_phrase(name):
            return True
    if _PART_SIGNS.isdisjoint(folded):
        return False
    first, *rest = _PARTS.split(folded, maxsplit=1)
    if not rest or not _is_empty_phrase(first.strip(EDGES)):
        return False
    beside = rest[0].strip(EDGES)
    return _is_empty_phrase(beside) or not any(map(str.isalnum, beside)) or (
        first not in {"none", "null", "na", "nil", "value", "pending", "missing", "sample"}
        and not any(map(str.isdigit, beside))
    )  # fmt: skip


def _asks_to_insert(folded: str, names: frozenset[str]) -> bool:
    """Whether a form asks for the field itself, or for anything at all: `insert the dose`, `insert a x`."""
    asked = _INSERT.match(folded)
    if asked is None or any(map(str.isdigit, folded)):
        return False
    words = _WORD.findall(folded[asked.end() :])
    said = [word for word in words if len(word) > 1 and word not in _ANYTHING]
    return not said or fold_name(" ".join(said)) in names


def _spoken(folded: str, names: frozenset[str]) -> list[str]:
    """The text after a subject that is the field's own name: `the total could not be determined`."""
    words = folded.removeprefix("the ").removeprefix("its ").split()
    rests: list[str] = []
    if len(words) < 2 or not _begins_name(words[0], names):
        return rests
    for count in range(1, min(len(words), 6)):
        if fold_name(" ".join(words[:count])) in names:
            rests.append(
                " ".join(words[count:]).removeprefix("is ").removeprefix("was ")
            )
    return rests  # fmt: skip


def _begins_name(word: str, names: frozenset[str]) -> bool:
    """Whether one of the names begins with this word."""
    begin = fold_name(word)
    if not any(map(str.isalnum, begin)):
        return True
    return any(name.startswith(begin) for name in names)


@lru_cache(maxsize=16_384)
def _is_empty_phrase(folded: str) -> bool:
    if folded in PLACEHOLDERS or _MASK.fullmatch(folded):
        return True
    if len(words := set(_SEPARATED.split(folded))) == 1 and words <= _REPEATED:
        return True
    if _DATE_MASK.fullmatch(folded):
        return True
    if may_be_wording(folded) and wordings().fullmatch(folded) is not None:
        return True
    return _may_be_foreign(folded) and _says_absent(folded)


def _may_be_foreign(folded: str) -> bool:
    """Whether a text has what every wording of another language has."""
    words = _LETTERS_TOGETHER.findall(folded)
    if not FOREIGN_MARKS.isdisjoint(words):
        return True
    if any(word.endswith(TURKISH_ENDINGS) for word in words):
        return True
    return not folded.isascii() and any("\u3040" <= sign <= "\u9fff" for sign in folded)


def _says_absent(folded: str) -> bool:
    # Wordings of other languages are many, and few answers hold one of their words.
    from judgemesh.validators._shared.answer.absent_words import says_absent

    return says_absent(folded)


def may_be_wording(folded: str) -> bool:
    """Whether a text has a word that every wording has one of."""
    return not MARKS.isdisjoint(_LETTERS_TOGETHER.findall(folded))


@cache
def wordings() -> re.Pattern[str]:
    """The families of wordings as one pattern over a whole folded text."""
    return re.compile("|".join(WORDINGS))


def _is_template(text: str, names: frozenset[str]) -> bool:
    """Whether a template stands there and, beside it, no figure and hardly a word."""
    beside = plain(text)
    if _BRACKETS.isdisjoint(beside):
        return False
    found = False
    for pattern, by_words in _bracketed():
        for match in pattern.finditer(beside):
            if _code().fullmatch(match[0]):
                continue
            if not by_words or _names_a_slot(match[0], names):
                found = True
                beside = beside.replace(match[0], " ", 1)
    if not found or any(map(str.isdigit, beside)):
        return False
    return len(_WORD.findall(beside)) <= _MAX_WORDS_BESIDE


def _asks_to_fill_in(inside: str) -> bool:
    from judgemesh.validators._shared.answer.absent_words import asks_to_fill_in

    return asks_to_fill_in(inside)


def _names_a_slot(bracketed: str, names: frozenset[str]) -> bool:
    inside = fold_value(bracketed)
    if inside.startswith(_TEMPLATE_OPENINGS) or fold_name(inside) in names:
        return True
    if _is_empty_phrase(inside):
        return True
    words = _WORD.findall(inside)
    has_figures = any(map(str.isdigit, inside))
    if not has_figures and _asks_to_fill_in(inside):
        return True
    return (
        not has_figures and "," not in inside and not TEMPLATE_WORDS.isdisjoint(words)
    )


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def _bracketed() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Templates, and whether the words inside decide: `[Ann Fox]` may be a value, `[name]` is none."""
    return (
    (re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%[^%]*%>|%[A-Za-z_]+%|\{[A-Za-z_][\w .\-]*\}|__[A-Z_]+__"), False),
    (re.compile(r"<(?=[^<>]*[A-Za-z])[\w .'\-/]{1,60}>"), False),
    (re.compile(r"\[(?=[^\[\]]*[^\W\d_])[^\[\]]{1,80}\](?!\()|\((?:insert|enter|your|tb[adc]|"
    r"todo)[^()]*\)", re.IGNORECASE),
     True),
    )  # fmt: skip


@cache
def _code() -> re.Pattern[str]:
    """`<SOP-12>` names a document; `<address line 1>` is a template."""
    return re.compile(r"<[A-Z]{1,8}[-_. ]?\d[\w.\-]*>")
