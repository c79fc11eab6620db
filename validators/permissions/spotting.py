"""The paths that a text names: a command, a list of paths, or a text that is a path itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from judgemesh.validators.permissions.arguments import Argument, Role

_EMPTY_QUOTES: Final = re.compile(r"''|\"\"")
_BREAKS: Final = re.compile(r"[\s'\"`;|&<>()]+")
_SEPARATORS: Final = re.compile(r"[\n|]|[,;](?=\s|/|~|\.|\w+[/:\\])")
_LISTED: Final = re.compile(r"[/\\]|^~")
_FLAG: Final = re.compile(r"^-[A-Za-z]+(?=[/~.])")
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
_TOOLS: Final = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[\w.+\-]+")
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


def named_paths(argument: Argument) -> list[str]:
    """Every text in an argument that may be a path, for comparison with what is denied."""
    if argument.role is Role.TEXT:
        return []
    text = argument.text
    if argument.role in (Role.OTHER, Role.MAYBE) and _is_prose(text):
        return []
    pieces = dict.fromkeys(_pieces(text))
    if argument.role in (Role.COMMAND, Role.CODE):
        return list(pieces)
    return [text, *pieces]


def used_paths(argument: Argument) -> list[str]:
    """The texts in an argument that are paths, for comparison with what is allowed."""
    text, role = argument.text, argument.role
    is_path = _IS_PATH[role]
    if role in (Role.COMMAND, Role.CODE):
        parts = list(dict.fromkeys(_operands(text)))
    else:
        parts = _listed(text) or [text]
    return [part for part in parts if is_path(part)]


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


def _any_text(_text: str) -> bool:
    return True


def _no_text(_text: str) -> bool:
    return False


def _is_operand(text: str) -> bool:
    """Whether a part of a command is a path to somewhere; a bare name may be anything."""
    slashed = text.replace("\\", "/")
    return looks_like_path(text) and ("/" in slashed or slashed.startswith("~"))


def _is_hardly_else(text: str) -> bool:
    slashed = text.strip().replace("\\", "/")
    if not looks_like_path(slashed) or "/" not in slashed:
        return False
    if _START.match(slashed):
        return True
    return slashed.endswith("/") or _EXTENSION.search(slashed) is not None


def _is_path_by_itself(text: str) -> bool:
    """Whether a text under a name that says nothing can only be a path of the machine."""
    slashed = text.strip().replace("\\", "/")
    if any(character.isspace() for character in slashed):
        return False
    if _KNOWN_ROOT.match(slashed):
        return True
    return _ABSOLUTE_FILE.fullmatch(slashed) is not None


def _is_prose(text: str) -> bool:
    """Whether a text is a sentence rather than a path, a list of paths, or a command."""
    words = text.split()
    if not words or words[0].casefold() in _VERBS:
        return False
    plain_words = sum(_WORD.fullmatch(word) is not None for word in words)
    return plain_words >= _PROSE_WORDS and 2 * plain_words >= len(words)


def _listed(text: str) -> list[str]:
    """The paths of a list that is given as one text; empty where it is none."""
    parts = [part.strip() for part in _SEPARATORS.split(text)]
    if len(parts) > 1 and all(_LISTED.search(part) for part in parts if part):
        return [part for part in parts if part]
    parts = text.split()
    if len(parts) > 1 and all(_is_hardly_else(part) for part in parts):
        return parts
    return []


def _pieces(text: str) -> Iterator[str]:
    """The parts of a command or list that may be paths."""
    for token in _tokens(text):
        yield token
        yield from _inner(token)


def _operands(text: str) -> Iterator[str]:
    """The parts of a command that may be data: without the programs that it starts."""
    for token in _tokens(text):
        if _TOOLS.fullmatch(token):
            continue
        inner = list(_inner(token))
        yield from inner or [token]


def _tokens(text: str) -> Iterator[str]:
    for token in _BREAKS.split(_EMPTY_QUOTES.sub("", text)):
        if token:
            yield token


def _inner(token: str) -> Iterator[str]:
    """What stands behind an option, an equals sign, an at sign or a colon in a part of a command."""
    if "{" not in token:
        parts = re.split(r"[=,\[\]]|@(?=[/~.])|(?<=[\w.])[?#]", token)
    else:
        parts = token.split("=")
    for part in parts:
        for piece in _colon_parts(_FLAG.sub("", part)):
            if piece and piece != token:
                yield piece


def _colon_parts(part: str) -> list[str]:
    """The parts of `host:/path` and `/a:/b`; a URL and a path with a drive stay whole."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:[/\\]{1,2}", part) and (
        "://" in part or re.match(r"[A-Za-z]:|file:", part)
    ):
        return [part]
    return re.split(r":(?=[/~.])", part)


_IS_PATH: Final[Mapping[Role, Callable[[str], bool]]] = {
    Role.PATH: _any_text,
    Role.LIKELY: looks_like_path,
    Role.MAYBE: _is_hardly_else,
    Role.COMMAND: _is_operand,
    Role.CODE: _is_path_by_itself,
    Role.TEXT: _no_text,
    Role.OTHER: _is_path_by_itself,
}
"""When a text is a path, by what the name of its argument says."""
