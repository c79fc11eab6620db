"""YAML text -> plain data with the line and column of every value. Built on libyaml's event stream.

Scalars follow the YAML 1.2 core schema, so that `no` stays a word and `12:30` stays a time of day; mapping keys are
always text. Duplicate keys, alias bombs, unknown tags, numbers JSON does not know and endless nesting are errors that
say where.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.problems import Path

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH: Final = 100
_MAX_NODES: Final = 1_000_000
_MAX_EXPANDED: Final = 200_000
_INT: Final = re.compile(r"[-+]?[0-9]{1,300}\Z")
_OCT_HEX: Final = re.compile(r"0o[0-7]{1,300}\Z|0x[0-9a-fA-F]{1,300}\Z")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]{1,300}|[0-9]{1,300}(\.[0-9]{0,300})?)([eE][-+]?[0-9]{1,5})?\Z"
)
_NOT_JSON: Final = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_MERGE: Final = "<<"
_TEXT_TAGS: Final = frozenset({"!", "tag:yaml.org,2002:str"})
_PLAIN_TAGS: Final = frozenset({"!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

Mark = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(slots=True)
class Document:
    """One YAML document: its data, and where each value and each key stands."""

    data: Any
    start: Mark
    marks: dict[Path, Mark] = field(default_factory=dict[Path, Mark])

    def mark(self, path: Path) -> Mark:
        """Where `path` stands, or the nearest thing above it that is written down."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, self.start)


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is still open."""

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    mark: Mark
    size: int = 1
    key: str | None = None
    merging: bool = False
    merges: list[Any] = field(default_factory=list[Any])


def documents(text: str, name: str) -> Iterator[Document]:
    """Every document of a YAML text.

    Raises:
        ContractError: `name:line:column: what is wrong`.
    """
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader: _Reader | None = None
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.DocumentStartEvent):
                reader = _Reader(name, yaml)
            elif isinstance(event, yaml.DocumentEndEvent):
                if reader is not None and reader.document is not None:
                    yield reader.document
                reader = None
            elif reader is not None:
                reader.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise ContractError(
            f"not valid YAML: {error.problem or error.context}", where=where
        ) from None
    except yaml.reader.ReaderError as error:
        code = (
            error.character
            if isinstance(error.character, int)
            else ord(error.character)
        )
        line = text.count("\n", 0, max(text.find(chr(code)), 0)) + 1
        raise ContractError(
            f"not valid YAML: the character U+{code:04X} is not allowed",
            where=f"{name}:{line}:1",
        ) from None
    except yaml.YAMLError as error:
        raise ContractError(
            f"not valid YAML: {str(error).splitlines()[0]}", where=name
        ) from None


class _Reader:
    """Builds one document from its events, without recursion."""

    def __init__(self, name: str, yaml: Any) -> None:
        self.document: Document | None = None
        self._name = name
        self._yaml = yaml
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self._expanded = 0
        self._marks: dict[Path, Mark] = {}
        self._actions: dict[Any, Callable[[Any, Mark], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.MappingStartEvent: self._start_mapping,
            yaml.SequenceStartEvent: self._start_list,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
        }

    def take(self, event: Any) -> None:
        """Use one event."""
        action = self._actions.get(type(event))
        if action is not None:
            action(event, (event.start_mark.line + 1, event.start_mark.column + 1))

    def _fault(
        self, message: str, mark: Mark, hint: str | None = None
    ) -> ContractError:
        return ContractError(
            message, where=f"{self._name}:{mark[0]}:{mark[1]}", hint=hint
        )

    def _unsupported(self, tag: str, mark: Mark) -> ContractError:
        return self._fault(
            f"the tag {tag!r} is not supported", mark, "write the plain value"
        )

    def _scalar(self, event: Any, mark: Mark) -> None:
        frame = self._open[-1] if self._open else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None:
            self._key(
                frame,
                event.value,
                mark,
                merges=event.value == _MERGE and event.implicit[0],
            )
            return
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            raise self._unsupported(event.tag, mark)
        plain = event.implicit[0] and event.tag is None
        self._add(
            self._resolved(event.value, mark) if plain else event.value,
            event.anchor,
            mark,
            1,
        )

    def _key(self, frame: _Frame, key: str, mark: Mark, *, merges: bool) -> None:
        mapping = cast("dict[str, Any]", frame.value)
        if key in mapping:
            first = self._marks.get((*frame.path, key), frame.mark)
            raise self._fault(
                f"the key {key!r} stands twice", mark, f"first on line {first[0]}"
            )
        frame.key = key
        frame.merging = merges
        self._marks[*frame.path, key] = mark
        if not merges:
            mapping[key] = None

    def _resolved(self, text: str, mark: Mark) -> Any:
        if text in _WORDS:
            return _WORDS[text]
        if _INT.match(text):
            return int(text)
        if _OCT_HEX.match(text):
            return int(text, 0)
        if _NOT_JSON.match(text):
            raise self._fault(
                f"{text} is not a number JSON knows",
                mark,
                "quote it if it is meant as text",
            )
        if _FLOAT.match(text):
            number = float(text)
            if number in (float("inf"), float("-inf")):
                raise self._fault(f"{text} is too large a number", mark)
            return number
        return text

    def _alias(self, event: Any, mark: Mark) -> None:
        if event.anchor not in self._anchors:
            raise self._fault(
                f"the alias *{event.anchor} points at nothing",
                mark,
                "anchors must come first, and not contain themselves",
            )
        value, size = self._anchors[event.anchor]
        self._expanded += size
        if self._expanded > _MAX_EXPANDED:
            raise self._fault(
                f"aliases expand to more than {_MAX_EXPANDED:,} values",
                mark,
                "write the values out",
            )
        self._add(value, None, mark, size)

    def _start_mapping(self, event: Any, mark: Mark) -> None:
        self._push({}, event, mark)

    def _start_list(self, event: Any, mark: Mark) -> None:
        self._push([], event, mark)

    def _push(self, value: dict[str, Any] | list[Any], event: Any, mark: Mark) -> None:
        parent = self._open[-1] if self._open else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            raise self._fault("a key must be plain text", mark)
        if event.tag is not None and event.tag not in _PLAIN_TAGS:
            raise self._unsupported(event.tag, mark)
        if len(self._open) >= _MAX_DEPTH:
            raise self._fault(f"nested more than {_MAX_DEPTH} levels deep", mark)
        self._open.append(_Frame(value, self._path_here(), event.anchor, mark))

    def _path_here(self) -> Path:
        if not self._open:
            return ()
        frame = self._open[-1]
        return (
            *frame.path,
            cast("str", frame.key)
            if isinstance(frame.value, dict)
            else len(frame.value),
        )

    def _end(self, _event: Any, _mark: Mark) -> None:
        frame = self._open.pop()
        if isinstance(frame.value, dict):
            for merged in frame.merges:
                for key, value in merged.items():
                    frame.value.setdefault(key, value)
        self._add(frame.value, frame.anchor, frame.mark, frame.size)

    def _add(self, value: Any, anchor: str | None, mark: Mark, size: int) -> None:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise self._fault(
                f"more than {_MAX_NODES:,} values in one document",
                mark,
                "split the file",
            )
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        path = self._path_here()
        self._marks.setdefault(path, mark)
        if not self._open:
            self.document = Document(value, mark, self._marks)
            return
        frame = self._open[-1]
        frame.size += size
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.merging:
            self._merge(frame, value, mark)
        elif frame.key is None:
            raise self._fault("a key must be plain text", mark)
        else:
            frame.value[frame.key] = value
        frame.key = None

    def _merge(self, frame: _Frame, value: Any, mark: Mark) -> None:
        sources = cast("list[Any]", value) if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise self._fault("`<<` merges an object or a list of objects", mark)
        frame.merges.extend(sources)


def text_of(file: pathlib.Path, *, max_bytes: int) -> str:
    """The text of a YAML file.

    Raises:
        ContractError: it cannot be read, is larger than `max_bytes`, or is not UTF-8; names the file.
    """
    try:
        if file.is_file() and file.stat().st_size > max_bytes:
            raise ContractError(
                f"larger than {max_bytes // 2**20} MiB",
                where=str(file),
                hint="split the file",
            )
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContractError(
            f"byte {error.start} is not UTF-8 text", where=str(file)
        ) from None
    except OSError as error:
        raise ContractError(
            f"cannot be read: {error.strerror or error}", where=str(file)
        ) from None


def items_of(document: Document, key: str) -> Iterator[tuple[Any, Path]]:
    """What a document holds, each with its place: itself, the items of its list, or of the list under its one `key`."""
    data = document.data
    if isinstance(data, dict) and data.keys() == {key} and isinstance(data[key], list):
        for index, item in enumerate(cast("list[Any]", data[key])):
            yield item, (key, index)
    elif isinstance(data, list):
        for index, item in enumerate(cast("list[Any]", data)):
            yield item, (index,)
    elif data is not None:
        yield data, ()
