"""YAML files as plain data with the line and column of every value. Built on libyaml's event stream.

Mapping keys are always text. Duplicate keys, alias bombs, unknown tags, numbers JSON does not know and endless nesting
are errors that say where.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any, Final, cast

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.files.limits import CONTRACT
from judgemesh.mesh.inputs.files.reading import read_text_file, unreadable
from judgemesh.mesh.inputs.problems import KeyPath
from judgemesh.mesh.inputs.yaml_reader import DocumentReader, YamlDocument


def text_of(file: pathlib.Path) -> str:
    """The text of a YAML file.

    Raises:
        ContractError: it cannot be read, is larger than 64 MiB, or is not UTF-8; names the file.
    """
    where = str(file)
    try:
        return read_text_file(file, CONTRACT)
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError(unreadable(error), where=where) from None


def documents(text: str, name: str) -> Iterator[YamlDocument]:
    """Every document of a YAML text.

    Raises:
        ContractError: `name:line:column: what is wrong`.
    """
    import yaml

    try:
        yield from _documents(_without_pairs(text), name, yaml)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        message = f"not valid YAML: {error.problem or error.context}"
        raise ContractError(message, where=where) from None
    except yaml.reader.ReaderError as error:
        # The C parser gives the code point, the Python one the character.
        character = error.character
        code = character if isinstance(character, int) else ord(character)
        line = text.count("\n", 0, max(text.find(chr(code)), 0)) + 1
        message = f"not valid YAML: the character U+{code:04X} is not allowed"
        raise ContractError(message, where=f"{name}:{line}:1") from None
    except yaml.YAMLError as error:
        message = f"not valid YAML: {str(error).splitlines()[0]}"
        raise ContractError(message, where=name) from None


def _without_pairs(text: str) -> str:
    r"""JSON with the character for each pair of escapes (`\ud83d\ude00`), which YAML reads as two wrong ones."""
    if not text.lstrip().startswith(("{", "[")) or "\\u" not in text:
        return text
    return _PAIR.sub(_paired, text)


def _paired(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    return match[1] + chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))


_PAIR: Final = re.compile(
    r"(?<!\\)((?:\\\\)*+)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)


def _documents(text: str, name: str, yaml: Any) -> Iterator[YamlDocument]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader: DocumentReader | None = None
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.DocumentStartEvent):
            reader = DocumentReader(name, yaml)
        elif isinstance(event, yaml.DocumentEndEvent):
            if reader is not None and reader.document is not None:
                yield reader.document
            reader = None
        elif reader is not None:
            reader.take(event)


def items_of(document: YamlDocument, key: str) -> Iterator[tuple[Any, KeyPath]]:
    """The items of a document with their keys: those of its list, of the list under its only `key`, or itself."""
    data: Any = document.data
    prefix: KeyPath = ()
    if isinstance(data, dict) and data.keys() == {key} and isinstance(data[key], list):
        data = cast("list[Any]", data[key])
        prefix = (key,)
    if isinstance(data, list):
        for index, item in enumerate(cast("list[Any]", data)):
            yield item, (*prefix, index)
    elif data is not None:
        yield data, ()
