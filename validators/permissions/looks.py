"""What a text looks like: a path, a sentence, or something else with a slash."""

from __future__ import annotations

import re
from typing import Final

_SEGMENT: Final = r"[^\s/]+"
_START: Final = re.compile(
    r"/|\./|\.\./|\.\.$|~|\$\{?\w+\}?/|%\w+%|[A-Za-z]:/|[A-Za-z][A-Za-z0-9+.\-]*://|file:",
    re.IGNORECASE,
)
_EXTENSION: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_NO_PATH: Final = re.compile(
    # dates and fractions, media types, substitutions of an editor, addresses of mail
    r"[\d.,]+(?:/[\d.,]+)+|(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+\-*]+"
    r"|[sy]/[^/]*/[^/]*/\w*|\+?%[\w%/:.\-]*|[^\s/@]+@[^\s/@]+|and/or|n/a",
    re.IGNORECASE,
)
_STANDARD: Final = frozenset(
    {"", "-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}
)
_KNOWN_ROOT: Final = re.compile(
    r"/(?:etc|home|var|usr|tmp|root|opt|mnt|srv|proc|sys|users|private|volumes|library)/"
    r"|\.\./|~/|file:|[A-Za-z]:/|\$\{?home\}?/",
    re.IGNORECASE,
)
_ABSOLUTE_FILE: Final = re.compile(
    rf"/(?:{_SEGMENT}/)*{_SEGMENT}\.[A-Za-z][A-Za-z0-9]{{0,4}}"
)
_WORD: Final = re.compile(r"[A-Za-z][a-z]*[,.;:!?]?")
_PROSE_WORDS: Final = 3
_VERBS: Final = frozenset(
    {
        "cat", "cp", "mv", "rm", "ls", "less", "more", "head", "tail", "grep", "find", "tar", "zip", "unzip", "scp",
        "rsync", "curl", "wget", "open", "sudo", "python", "python3", "bash", "sh", "chmod", "chown", "touch", "tee",
        "sed", "awk", "type", "copy", "del", "move", "select", "insert", "load", "attach", "with", "from", "export",
        "import", "read", "write", "echo", "git", "cd", "source", "vi", "vim", "nano", "node", "make",
    }
)  # fmt: skip


def is_standard(path: str) -> bool:
    """Whether the path is a standard stream, or nothing."""
    return path.strip() in _STANDARD


def looks_like_path(text: str) -> bool:
    """Whether a text is a path by its looks; a date, a media type or a fraction is none."""
    slashed = text.strip().replace("\\", "/")
    if not slashed or _NO_PATH.fullmatch(slashed):
        return False
    if _START.match(slashed):
        return True
    if any(character.isspace() for character in slashed):
        return "/" in slashed and _EXTENSION.search(slashed) is not None
    return "/" in slashed or _EXTENSION.search(slashed) is not None


def is_operand(text: str) -> bool:
    """Whether a part of a command is a path to somewhere; a bare name may be anything."""
    slashed = text.replace("\\", "/")
    return looks_like_path(text) and ("/" in slashed or slashed.startswith("~"))


def is_hardly_else(text: str) -> bool:
    """Whether a text can hardly be anything but a path: by how it begins, or by slash and suffix."""
    slashed = text.strip().replace("\\", "/")
    if not looks_like_path(slashed) or "/" not in slashed:
        return False
    if _START.match(slashed):
        return True
    return slashed.endswith("/") or _EXTENSION.search(slashed) is not None


def is_path_by_itself(text: str) -> bool:
    """Whether a text under a name that says nothing can only be a path of the machine."""
    slashed = text.strip().replace("\\", "/")
    if any(character.isspace() for character in slashed):
        return False
    if _KNOWN_ROOT.match(slashed):
        return True
    return _ABSOLUTE_FILE.fullmatch(slashed) is not None


def is_prose(text: str) -> bool:
    """Whether a text is a sentence rather than a path, a list of paths, or a command."""
    words = text.split()
    if not words or words[0].casefold() in _VERBS:
        return False
    plain_words = sum(_WORD.fullmatch(word) is not None for word in words)
    return plain_words >= _PROSE_WORDS and 2 * plain_words >= len(words)


def is_below_known_root(text: str) -> bool:
    """Whether a text is a folder of the system, or below one."""
    return _KNOWN_ROOT.match(f"{text}/") is not None
