"""What an item may be called: its id with a section behind it, its file with or without folder and suffix, its title.

Only spelling is forgiven. `POL-7, p. 3` names `POL-7`; `POL-77`, `POL-7 v2` and `archive/POL-7` are other items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import unquote

from judgemesh.contracts.identifiers import fold

_MAX_NAME_CHARS: Final = 400
_MAX_FORMS: Final = 24
_LABEL = re.compile(
    r"^(?:\[?\^?[0-9]{1,3}[\]:.)]+\s|(?:source|sources|ref|reference|see(?: also)?|cf\.?|doc|document|file|per|from|via"
    r"|according to|based on|quoted from|the)\b\s?[:=]?\s?)",
    re.IGNORECASE,
)
_EDGES: Final = " \t\r\n\"'`*_<>[](){}\u3010\u3011\u201c\u201d\u2018\u2019,;.:"
_LOCATOR = re.compile(
    r"[\s,;:(\[\u2013\u2014-]{1,4}(?:(?:pp?|pgs?|pages?|sections?|sect?|\u00a7{1,2}|chapters?|chap|ch|paragraphs?|paras?"
    r"|lines?|ll?|articles?|art|clauses?|cl|items?|rows?|tables?|figures?|fig|appendix|annex|slides?|steps?|point|part"
    r"|rule|heading|footnote|question)\b\.?|\u00a7{1,2})\s?#?[\w.,()&\u2013-]{0,30}(?:\s(?:and|to|-|\u2013)\s[\w.]{1,12})?[)\]]?$",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"(?::\s?L?[0-9]{1,6}(?:[-\u2013:]L?[0-9]{1,6})?|\s?L[0-9]{1,6}(?:-L?[0-9]{1,6})?)$"
)
_SPLIT = re.compile(
    r"(?:(?<!\s)\s++)?[:|\u2013\u2014>\u2192]\s+|(?<!\s)\s++[-/]\s+|(?:(?<!\s)\s++)?[(\[\])]\s*|,\s+|;\s+"
)
_VERSION = re.compile(
    r"(?:v(?:er(?:sion)?)?|rev(?:ision)?|draft|edition|no)?\.?\s?[0-9]", re.IGNORECASE
)
_SUFFIX = re.compile(
    r"\.(?:md|markdown|txt|text|rst|html?|xhtml|pdf|docx?|csv|json|xml)$", re.IGNORECASE
)
_FAMILY = re.compile(r"([^\W\d_]{2,}[-_ /.]?)[0-9]")


def forms_of(name: str) -> list[str]:
    """The names that a text may mean, the most literal first: itself, without locator, its parts that look like ids."""
    forms: dict[str, None] = {}
    text = unquote(name)[:_MAX_NAME_CHARS].strip()
    for form in _shortened(text):
        forms[form] = None
    first, _, rest = text.strip(_EDGES).partition(" ")
    if rest and _looks_like_id(first) and not _VERSION.match(rest):
        forms[first.strip(_EDGES)] = None
    pieces = [piece for piece in _SPLIT.split(text) if piece.strip(_EDGES)]
    for number, piece in enumerate(pieces):
        if number == 0 or _looks_like_id(piece):
            forms |= dict.fromkeys(_shortened(piece))
    return list(filter(None, forms))[:_MAX_FORMS]


def _shortened(text: str) -> Iterator[str]:
    """The text, then without what stands around a name: labels, brackets, a fragment, a page or section."""
    yield text
    for _ in range(3):
        bare = _LABEL.sub("", text.strip(_EDGES), count=1).strip(_EDGES)
        bare = _LINES.sub("", bare)
        before_fragment = bare.partition("#")[0]
        if before_fragment.strip(_EDGES):
            bare = before_fragment
        bare = _LOCATOR.sub("", bare).strip(_EDGES)
        if bare == text:
            return
        yield bare
        text = bare


def _looks_like_id(piece: str) -> bool:
    """Whether a part of a longer name may be an id by itself: one word with a digit, or a file."""
    bare = piece.strip(_EDGES)
    if " " in bare:
        return False
    return (any(map(str.isdigit, bare)) and not bare.isdigit()) or bool(
        _SUFFIX.search(bare)
    )


def stem_of(name: str) -> str:
    """A name without the suffix of a file."""
    return _SUFFIX.sub("", name)


def same_name(left: str, right: str) -> bool:
    """Whether two names are spelled alike: without case, and with any separator between their parts."""
    return fold(left) == fold(right)


def path_parts(name: str) -> list[str]:
    """The folders and the file of a path, folded; the file without its suffix."""
    path = name.replace("\\", "/").removeprefix("file://")
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not parts:
        return []
    parts[-1] = stem_of(parts[-1])
    return [fold(part) for part in parts]


def is_path_of(name: str, path: str, root: str = "") -> bool:
    """Whether a name means the file at a path below a root folder.

    It may begin anywhere below the root, or with folders that lead to the root; folders must not contradict.
    """
    named, held = path_parts(name), path_parts(path)
    if not named or not held or named[-1] != held[-1]:
        return False
    if "/" not in name.replace("\\", "/"):
        return True
    if len(named) <= len(held):
        return held[-len(named) :] == named
    above = named[: -len(held)]
    return named[-len(held) :] == held and (not root or above[-1] == fold(root))


def family_of(name: str) -> str:
    """How an id begins, before its first number: `pol-` for `POL-7`. Empty where it has no such beginning."""
    match = _FAMILY.match(name.strip(_EDGES).casefold())
    return match[1] if match else ""


def has_kin(name: str, known: Iterable[str]) -> bool:
    """Whether known names are built as this one, or as an id in it."""
    families = {family_of(form.rsplit("/", 1)[-1]) for form in forms_of(name)} - {""}
    if not families:
        return False
    return any(family_of(other.rsplit("/", 1)[-1]) in families for other in known)
