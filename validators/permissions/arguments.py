"""Where the arguments of a call hold paths: what the name of an argument says, and every text with its argument.

| role | names | a text in it |
| --- | --- | --- |
| PATH | `path`, `file`, `url`, `output_path`, `target_file`, `files` | is a path |
| LIKELY | `src`, `dst`, `download_url` | is a path where it looks like one |
| MAYBE | `source`, `destination`, `to`, `input` | is a path where it can hardly be anything else |
| COMMAND | `cmd`, `args`, `shell` | may name paths |
| CODE | `code`, `script`, `sql` | may name paths, and has slashes of its own |
| TEXT | `message`, `body`, `content` | is data that the agent writes: it names paths and reads none |
| OTHER | any other | may be a path |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence


class Role(Enum):
    """What the name of an argument says about the texts in it."""

    PATH = "path"
    LIKELY = "likely"
    MAYBE = "maybe"
    COMMAND = "command"
    CODE = "code"
    TEXT = "text"
    OTHER = "other"


class Argument(NamedTuple):
    """A text in the arguments of a call."""

    name: str
    role: Role
    text: str


_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES: Final = frozenset({"name", "names"})
_PATHS: Final = frozenset(
    {
        "path", "paths", "file", "files", "dir", "dirs", "directory", "directories", "folder", "folders", "url", "urls",
        "uri", "uris", "filename", "filenames", "filepath", "filepaths", "pathname", "dirname",
    }
)  # fmt: skip
_ENDINGS: Final = (
    "path", "paths", "filename", "files", "file", "folder", "dir", "directory", "url", "uri",
)  # fmt: skip
_NO_FILES: Final = frozenset({"profile", "profiles"})
_LIKELY: Final = frozenset({"src", "srcs", "dst", "dest"})
_MAYBE: Final = frozenset(
    {
        "source", "sources", "destination", "destinations", "target", "targets", "from", "to", "input", "inputs",
        "output", "outputs", "location", "attachment", "attachments", "document", "documents", "resource", "resources",
        "object", "key", "link", "href", "image", "dataset", "archive", "mount", "root", "cwd", "workdir", "prefix",
    }
)  # fmt: skip
_COMMANDS: Final = frozenset(
    {
        "cmd", "cmds", "command", "commands", "commandline", "cmdline", "shell", "bash", "sh", "args", "argv",
        "powershell",
    }
)  # fmt: skip
_CODE: Final = frozenset(
    {"code", "script", "program", "python", "sql", "javascript", "patch", "diff"}
)
_TEXTS: Final = frozenset(
    {
        "message", "messages", "body", "content", "contents", "text", "note", "notes", "comment", "comments",
        "description", "details", "reason", "summary", "subject", "title", "caption", "label", "prompt", "question",
        "answer", "reply", "response", "instruction", "instructions", "task", "goal", "objective", "plan", "thought",
        "thoughts", "explanation", "justification", "feedback", "remark", "remarks", "html", "markdown", "data",
        "str", "string", "strings", "snippet", "replacement",
    }
)  # fmt: skip
_FORMS: Final = frozenset(
    {
        "type",
        "types",
        "mime",
        "format",
        "formats",
        "pattern",
        "regex",
        "date",
        "encoding",
    }
)
_DATA_URLS: Final = frozenset(
    {
        "callback", "return", "redirect", "webhook", "website", "homepage", "avatar", "logo", "profile", "tracking",
    }
)  # fmt: skip
_URLS: Final = frozenset({"url", "urls", "uri", "uris"})


def arguments_of(
    arguments: object, names: Collection[str] | None
) -> Iterator[Argument]:
    """Every text in the arguments of a call, keys of objects that stand for paths too.

    Args:
        arguments: the arguments.
        names: folded names of the arguments that hold paths; None where the names themselves say it.
    """
    stack: list[tuple[str, Role, object]] = [("", Role.OTHER, arguments)]
    while stack:
        name, role, value = stack.pop()
        mapping = as_mapping(value)
        if isinstance(value, str):
            yield Argument(name, role, value)
        elif mapping is not None:
            for key, child in mapping.items():
                inner = _role(key, names)
                if inner is Role.OTHER:
                    inner = _inherited(role)
                stack.append((key, inner, child))
                if name and "/" in key.replace("\\", "/"):
                    yield Argument(name, role, key)
        else:
            stack.extend((name, role, child) for child in as_sequence(value) or ())


def _role(name: str, names: Collection[str] | None) -> Role:
    if names is None:
        return role_of(name)
    return Role.PATH if fold_name(name) in names else Role.OTHER


def _inherited(role: Role) -> Role:
    """The role of an argument inside another one, where its own name says nothing."""
    return Role.LIKELY if role is Role.PATH else role


@lru_cache(maxsize=4096)
def role_of(name: str) -> Role:
    """What the name of an argument says. The last word counts most: `file_type` is a type, `type_file` a file."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words:
        return Role.OTHER
    if words[-1] in _NAMES and len(words) > 1:
        words.pop()
    last = words[-1]
    if last in _URLS and len(words) > 1:
        return Role.OTHER if _DATA_URLS.intersection(words) else Role.LIKELY
    if last in _PATHS or (last.endswith(_ENDINGS) and last not in _NO_FILES):
        return Role.PATH
    for role, known in _LAST_WORDS:
        if last in known:
            return role
    return Role.MAYBE if _PATHS.intersection(words) else Role.OTHER


_LAST_WORDS: Final = (
    (Role.LIKELY, _LIKELY),
    (Role.COMMAND, _COMMANDS),
    (Role.CODE, _CODE),
    (Role.TEXT, _TEXTS),
    (Role.TEXT, _FORMS),
    (Role.MAYBE, _MAYBE),
)
