"""What an object of state holds: whether a file, a row or a field has content that can be read.

A file is an entry of a snapshot (`{size, sha256, text, document}`), or its text under a name with a suffix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from judgemesh.validators._shared.answer.fillers import placeholder_in
from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import (
    Path,
    as_mapping,
    as_sequence,
    is_container,
)

ENTRY_KEYS: Final = frozenset(
    {"size", "sha256", "text", "content", "document", "mode", "unreadable", "md5"}
)
"""The keys of a file's entry in a snapshot."""
_SIZES: Final = ("size", "bytes", "size_bytes", "byte_size", "file_size")
_TELLING_KEYS: Final = frozenset(
    {*_SIZES, "sha256", "unreadable", "document", "md5", "readable", "exists"}
)
_SAID: Final = (
    ("exists", False, "does not exist"),
    ("readable", False, "cannot be read"),
    ("non_empty", False, "is empty"),
    ("empty", True, "is empty"),
    ("is_empty", True, "is empty"),
)
"""What an entry may say of the file by itself."""
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
_TAG: Final = re.compile(
    r"<(?:script|style)\b.*?</(?:script|style)>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)
_MEDIA: Final = re.compile(
    r"<(?:img|svg|video|audio|canvas|iframe|object|input)\b", re.IGNORECASE
)
_UNREADABLE: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_MAX_UNREADABLE_SHARE: Final = 0.05
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
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, str):
            if inner.strip():
                return False
        elif is_container(inner):
            mapping = as_mapping(inner)
            stack.extend(
                as_sequence(inner) or () if mapping is None else mapping.values()
            )
        elif inner is not None:
            return False
    return True


def why_hollow(path: Path, value: object) -> str | None:
    """Why the value at a path is no content that can be read, in words; None where it is, or nobody knows."""
    fields = as_mapping(value)
    if fields is not None and is_entry(path, value):
        return _hollow_entry(path, fields)
    if is_blank(value):
        return "is null" if value is None else "is empty"
    if fields is not None:
        return _hollow_record(fields)
    return _hollow_string(path, value) if isinstance(value, str) else None


def _hollow_string(path: Path, text: str) -> str | None:
    """Why a text is hollow: that of a file, or of a field that people write."""
    if names_file(path):
        return _hollow_text(path, text, whole=True)
    # A text that is an element itself is named by its collection: `/notes/n1`.
    names = {fold_name(name) for name in path[-2:]}
    if not _WRITTEN_FIELDS.isdisjoint(
        names | {name.removesuffix("s") for name in names}
    ):
        return placeholder_in(text)
    return None


def _hollow_record(fields: Mapping[str, object]) -> str | None:
    """Why an object is hollow that says where its content is."""
    for key in _TEXT_KEYS & fields.keys():
        if is_blank(fields[key]):
            return f"has no {key}"
    return None


def _hollow_entry(path: Path, fields: Mapping[str, object]) -> str | None:
    """Why a file is hollow, by its entry in a snapshot."""
    said = _said_of(fields)
    if said is not None:
        return said
    text = fields.get("text", fields.get("content"))
    if not isinstance(text, str):
        return None
    size = _size_of(fields)
    whole = size is None or len(text.encode(errors="replace")) >= size
    return _hollow_text(path, text, whole=whole)


def _said_of(fields: Mapping[str, object]) -> str | None:
    """What is wrong with a file, as its entry says it."""
    if fields.get("unreadable"):
        return f"cannot be read: {fields['unreadable']}"
    for key, value, why in _SAID:
        if fields.get(key) is value:
            return why
    digests = (str(fields.get("sha256")), str(fields.get("md5")))
    if _size_of(fields) == 0 or not _EMPTY_HASHES.isdisjoint(digests):
        return "is empty"
    if isinstance(fields.get("error"), str) and _TEXT_KEYS.isdisjoint(fields):
        return f"cannot be read: {fields['error']}"
    return _said_of_document(as_mapping(fields.get("document")) or {})


def _said_of_document(profile: Mapping[str, object]) -> str | None:
    if profile.get("opens") is False:
        return f"does not open as {profile.get('format')}: {profile.get('error')}"
    if profile.get("opens") and profile.get("chars") == 0:
        return "is empty"
    return None


def _size_of(fields: Mapping[str, object]) -> int | None:
    for name in _SIZES:
        size = fields.get(name)
        if isinstance(size, int) and not isinstance(size, bool):
            return size
    return None


def _hollow_text(path: Path, text: str, *, whole: bool) -> str | None:
    """Why the text of a file is hollow. `whole`: whether it is all of the file."""
    if not text.strip():
        return "is empty" if whole else None
    if len(_UNREADABLE.findall(text)) > _MAX_UNREADABLE_SHARE * len(text):
        return "is no readable text"
    suffix = path[-1].rpartition(".")[2].casefold() if path else ""
    if whole and suffix == "json":
        return _hollow_json(text)
    if whole and suffix in ("html", "htm") and _MEDIA.search(text) is None:
        text = _TAG.sub(" ", text)
        if not text.strip():
            return "is empty but for its tags"
    return placeholder_in(text)


def _hollow_json(text: str) -> str | None:
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        value: object = parse_json(text)
    except ValueError:
        return "is no JSON"
    return "holds no data" if is_blank(value) else None
