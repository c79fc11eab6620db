"""What an object of state holds: whether a file, a row or a field has content that can be read.

A file is an entry of a snapshot (`{size, sha256, text, document}`), or its text under a name with a suffix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isclose
from typing import Final

from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.placeholders import is_placeholder
from judgemesh.validators._shared.text import fold_name, fold_value
from judgemesh.validators._shared.values import (
    Path,
    as_mapping,
    as_sequence,
    flatten,
    is_number,
    show,
)

ENTRY_KEYS: Final = frozenset(
    {"size", "sha256", "text", "content", "document", "mode", "unreadable", "md5"}
)
"""The keys of a file's entry in a snapshot."""
_TELLING_KEYS: Final = frozenset({"size", "sha256", "unreadable", "document", "md5"})
_TEXT_KEYS: Final = frozenset({"text", "content"})
_EMPTY_HASHES: Final = frozenset(
    {
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "d41d8cd98f00b204e9800998ecf8427e",
    }
)
_SUFFIX: Final = re.compile(r"[^./][^/]*\.([A-Za-z][A-Za-z0-9]{0,5})$")
_MARK: Final = re.compile(
    r"\.\w*keep|\.nojekyll|\.placeholder|__init__\.pyi?|_?success|done|.*\.(?:lock|lck|log|pid|keep|gitkeep|done|flag|"
    r"stamp|typed|ready|marker)",
    re.IGNORECASE,
)
_PLAIN_OR_HIDDEN: Final = re.compile(
    r"\..*|[^.]*|.*\.(?:tmp|temp|out|err|ok|bak|cache)", re.IGNORECASE
)
_WRITTEN_FIELDS: Final = frozenset(
    {
        "text", "body", "content", "contents", "summary", "description", "note", "notes", "comment", "message",
        "resolution", "report", "answer", "reply", "abstract", "html", "markdown",
    }
)  # fmt: skip
_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|=+\s*$|-+\s*$)")
_LABEL: Final = re.compile(r"^\s*(?:[-*+]\s+)?(?:[\w ]{1,40}:\s+)?")
_FILLER: Final = ("lorem ipsum", "todo", "tbd", "fixme", "placeholder", "coming soon")
_UNREADABLE: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_MAX_UNREADABLE_SHARE: Final = 0.05
_LAST_BITS: Final = 1e-14
_MAX_JSON_CHARS: Final = 1_000_000


def is_entry(path: Path, value: object) -> bool:
    """Whether the value at a path is a file's entry in a snapshot."""
    fields = as_mapping(value)
    if fields is None:
        return False
    if not _TELLING_KEYS.isdisjoint(fields):
        return True
    return names_file(path) and not _TEXT_KEYS.isdisjoint(fields)


def names_file(path: Path) -> bool:
    """Whether a path ends in the name of a file."""
    return bool(path) and _SUFFIX.fullmatch(path[-1]) is not None


def is_mark(path: Path) -> bool:
    """Whether a file of that name means something although it is empty: `.gitkeep`, `__init__.py`, a lock."""
    return not path or _MARK.fullmatch(path[-1]) is not None


def may_be_empty(path: Path) -> bool:
    """Whether a file that nobody asked for may be empty by its name: a mark, a hidden or temporary file, no suffix."""
    return is_mark(path) or _PLAIN_OR_HIDDEN.fullmatch(path[-1]) is not None


def is_blank(value: object) -> bool:
    """Whether a value holds nothing: null, blank text, an empty container, or a container of such."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if as_mapping(value) is None and as_sequence(value) is None:
        return False
    leaves = flatten(value).leaves.values()
    return all(
        leaf is None or leaf in ("", [], {}) or _blank_text(leaf) for leaf in leaves
    )


def _blank_text(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def why_hollow(path: Path, value: object) -> str | None:
    """Why the value at a path is no content that can be read, in words; None where it is, or nobody knows."""
    fields = as_mapping(value)
    if fields is not None and is_entry(path, value):
        return _hollow_entry(path, fields)
    if is_blank(value):
        return "is null" if value is None else "is empty"
    if not isinstance(value, str):
        return None
    if names_file(path):
        return _hollow_text(path, value, whole=True)
    if path and fold_name(path[-1]) in _WRITTEN_FIELDS:
        return placeholder_in(value)
    return None


def _hollow_entry(path: Path, fields: Mapping[str, object]) -> str | None:
    """Why a file is hollow, by its entry in a snapshot."""
    if fields.get("unreadable"):
        return f"cannot be read: {fields['unreadable']}"
    size = fields.get("size")
    digests = (fields.get("sha256"), fields.get("md5"))
    if (size == 0 and not isinstance(size, bool)) or not _EMPTY_HASHES.isdisjoint(
        map(str, digests)
    ):
        return "is empty"
    profile = as_mapping(fields.get("document"))
    if profile is not None and profile.get("opens") is False:
        return f"does not open as {profile.get('format')}: {profile.get('error')}"
    if profile is not None and profile.get("chars") == 0 and profile.get("opens"):
        return "is empty"
    text = fields.get("text", fields.get("content"))
    if not isinstance(text, str):
        return None
    whole = not isinstance(size, int) or len(text.encode(errors="replace")) >= size
    return _hollow_text(path, text, whole=whole)


def _hollow_text(path: Path, text: str, *, whole: bool) -> str | None:
    """Why the text of a file is hollow. `whole`: whether it is all of the file."""
    if not text.strip():
        return "is empty" if whole else None
    if len(_UNREADABLE.findall(text)) > _MAX_UNREADABLE_SHARE * len(text):
        return "is no readable text"
    if whole and path[-1:] and path[-1].casefold().endswith(".json"):
        return _hollow_json(text)
    return placeholder_in(text)


def _hollow_json(text: str) -> str | None:
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        parse_json(text)
    except ValueError:
        return "is no JSON"
    return None


def placeholder_in(text: str) -> str | None:
    """What stands in place of content: `TODO`, `N/A`, lorem ipsum, under headings and labels or alone."""
    lines = [line for line in text.splitlines() if line.strip()]
    body = [line for line in lines if not _HEADING.match(line)]
    if body and all(map(_is_filler, body)):
        return f"holds only a placeholder: {show(body[0].strip(), 40)}"
    return None


def _is_filler(line: str) -> bool:
    bare = _LABEL.sub("", line, count=1)
    if is_placeholder(bare) or is_placeholder(line):
        return True
    folded = fold_value(bare)
    return folded.startswith(_FILLER[0]) or folded in _FILLER


def same_number(left: object, right: object) -> bool:
    """Whether two numbers are one but for the last bits of their binary form: 59.97 and 59.970000000000006."""
    if not (is_number(left) and is_number(right)):
        return False
    if not (isinstance(left, float) or isinstance(right, float)):
        return False
    return isclose(float(str(left)), float(str(right)), rel_tol=_LAST_BITS, abs_tol=0.0)


def same_text(left: object, right: object) -> bool:
    """Whether two texts of a file are one but for line endings and the end of the last line, or one number."""
    if isinstance(left, str) and isinstance(right, str):
        return _lines(left) == _lines(right)
    return same_number(left, right)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")
