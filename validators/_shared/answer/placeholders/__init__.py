"""Text that stands where a value should be: `N/A`, `TBD`, `[date]`, `could not be determined`, `see below`.

Families of wordings, each a pattern over the whole text: a value that merely holds such a word ("missing gasket") is
a value. Each family is one row; words of other languages are rows of the table too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from judgemesh.validators._shared.answer.placeholders.phrases import (
    is_empty_phrase,
    is_mask,
    may_be_mask,
)
from judgemesh.validators._shared.answer.placeholders.words import (
    ACTION_FIELDS,
    ASKING,
    ERROR_MARKS,
    PER,
    PLACEHOLDERS,
    SIGNS,
    STATUS_FIELDS,
    UNITS,
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
_ANYTHING: Final = frozenset(
    {
        "an", "the", "your", "its", "this", "that", "of", "here", "text", "value", "some", "something", "placeholder",
    }
)  # fmt: skip
"""Words that name no field."""
_REGRETS: Final = (
    "i", "we", "very ", "so ", "really ", "terribly ", "sorry", "my ", "our ", "apologies", "unfortunately",
    "regrettably", "tut mir leid", "désolé", "lo siento", "mi dispiace", "desculpe", "leider",
)  # fmt: skip
"""How a regret begins."""
_REQUESTS: Final = (
    "please ", "kindly ", "insert", "enter", "fill in", "type in",
)  # fmt: skip
"""How a request to insert something begins."""
_PART_SIGNS: Final = frozenset(";(\u2013\u2014-,.:")
"""Every separator of parts holds one of these."""
_ITEM: Final = re.compile(r"^\s*(?:[-*+>\u2022]|\(?\d{1,3}[.)])\s+")
_LETTERS_TOGETHER: Final = re.compile(r"[^\W\d_]+")
_FIGURE: Final = re.compile(r"[A-Za-z/.:-]*\d[A-Za-z\d/.:-]*")
"""One word with a figure in it is a value, unless it ends in a mask: no family of wordings has such a word."""
_MASKED_END: Final = "xxx"
_MAX_CHARS: Final = 300


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
        or _says_nothing(_spelled(folded), names)
    )


def _spelled(folded: str) -> str:
    """The text with `tbd` for `t.b.d.`."""
    return _letters().sub(_joined, folded) if "." in folded else folded


def _joined(letters: re.Match[str]) -> str:
    """`t.b.d.` as `tbd`, where that is a placeholder."""
    word = re.sub(r"[.\s]", "", letters[0])
    return word if word in PLACEHOLDERS else letters[0]


def _is_blank_form(text: str) -> bool:
    """Whether the text is a form that nobody filled in: a masked code, or a unit beside a blank or a placeholder."""
    shown = text.strip().casefold()
    if may_be_mask(shown) and _is_masked(shown):
        return True
    if not _may_have_unit(shown):
        return False
    from judgemesh.validators._shared.answer.placeholders import blank_forms

    rest = blank_forms.without_unit(shown)
    if rest is None:
        return False
    if blank_forms.is_blank(rest):
        return True
    return is_empty_phrase(_spelled(rest).strip(EDGES))


def _is_masked(shown: str) -> bool:
    """Whether a folded text is a mask, or a code of which a part is masked."""
    from judgemesh.validators._shared.answer.placeholders import blank_forms

    return is_mask(shown) or blank_forms.is_masked_code(shown)


def _ends_masked(folded: str) -> bool:
    """Whether a word with figures ends in a mask."""
    if not folded.endswith("x"):
        return False
    return folded.endswith(_MASKED_END) or ("xx" in folded and _is_masked(folded))


def _may_have_unit(shown: str) -> bool:
    """Whether a text begins or ends with a unit, or may do so: `_measured` takes longer, it tries every end of the
    rest."""
    if shown[:1] in SIGNS or shown[-1:] in SIGNS:
        return True
    words = _LETTERS_TOGETHER.findall(shown)
    return bool(words) and (words[0] in UNITS or words[-1] in UNITS or PER in words)


def _is_template(text: str, names: frozenset[str]) -> bool:
    """Whether a template stands there and, beside it, no figure and hardly a word."""
    shown = plain(text)
    if _BRACKETS.isdisjoint(shown):
        return False
    from judgemesh.validators._shared.answer.placeholders.templates import is_template

    return is_template(shown, names)


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
    from judgemesh.validators._shared.answer.placeholders.error_messages import (
        is_error_message,
    )

    return is_error_message(text, names)


def _says_nothing(folded: str, names: frozenset[str]) -> bool:
    """Whether the whole text is a placeholder, or begins with one and goes on without any figure."""
    if may_be_regret(folded):
        folded = regrets().sub("", folded)
    if is_empty_phrase(folded) or _asks_to_insert(folded, names):
        return True
    for name in _spoken(folded, names):
        if is_empty_phrase(name):
            return True
    if _PART_SIGNS.isdisjoint(folded):
        return False
    first, *rest = _parts().split(folded, maxsplit=1)
    if not rest or not is_empty_phrase(first.strip(EDGES)):
        return False
    beside = rest[0].strip(EDGES)
    return is_empty_phrase(beside) or not any(map(str.isalnum, beside)) or (
        first not in {"none", "null", "na", "nil", "value", "pending", "missing", "sample"}
        and not any(map(str.isdigit, beside))
    )  # fmt: skip


def may_be_regret(folded: str) -> bool:
    """Whether a text begins as a regret does."""
    return folded.startswith(_REGRETS)


def may_be_request(folded: str) -> bool:
    """Whether a text begins as a request to insert something does."""
    return folded.startswith(_REQUESTS)


def _asks_to_insert(folded: str, names: frozenset[str]) -> bool:
    """Whether a form asks for the field itself, or for anything at all: `insert the dose`, `insert a x`."""
    if not may_be_request(folded):
        return False
    asked = requests().match(folded)
    if asked is None or any(map(str.isdigit, folded)):
        return False
    words = _LETTERS_TOGETHER.findall(folded[asked.end() :])
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


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def regrets() -> re.Pattern[str]:
    """What is said before a declaration of ignorance: `Sorry, I don't know`."""
    return re.compile(
        r"^(?:(?:i['\u2019]?m |i am |we are |we['\u2019]re )?(?:very |so |really |terribly )?sorry|(?:my "
        r"|our )?apologies|unfortunately"
        r"|i['\u2019]m afraid|regrettably|tut mir leid|désolée?|lo siento|mi dispiace"
        r"|desculpe)[,:;.!\u2013-]+\s+(?:but |that )?(?=\S)|^leider,?\s"
    )


@cache
def requests() -> re.Pattern[str]:
    """How a form asks for something."""
    return re.compile(r"(?:please |kindly )?(?:insert|enter|fill in|type in)\b")


@cache
def _letters() -> re.Pattern[str]:
    """Single letters with full stops between them."""
    return re.compile(r"\b(?:[a-z]\.\s?){1,3}[a-z]\b\.?")


@cache
def _parts() -> re.Pattern[str]:
    """What separates a placeholder from a remark about it."""
    return re.compile(r"\s*[;(\u2013\u2014]\s*|\s+-\s+|\s*[,.:]\s+")
