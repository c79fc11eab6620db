"""Builds one YAML document from libyaml's events, without recursion, and notes where each value stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, cast

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.problems import KeyPath
from judgemesh.mesh.inputs.yaml_scalars import ScalarFault, scalar_value

_MAX_DEPTH: Final = 100
_MAX_VALUES: Final = 1_000_000
_MAX_EXPANDED: Final = 200_000
_MERGE: Final = "<<"
_TEXT_TAGS: Final = frozenset({None, "!", "tag:yaml.org,2002:str"})
_PLAIN_TAGS: Final = frozenset(
    {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
)

Mark = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(slots=True)
class YamlDocument:
    """One YAML document: its data, and where each value and each key stands."""

    data: Any
    start: Mark
    marks: dict[KeyPath, Mark] = field(default_factory=dict[KeyPath, Mark])

    def mark(self, path: KeyPath) -> Mark:
        """Where `path` stands, or the nearest value above it that is written down."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, self.start)


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is still open. `key` waits for its value; `merges` are the values of its `<<` keys."""

    value: dict[str, Any] | list[Any]
    path: KeyPath
    anchor: str | None
    mark: Mark
    size: int = 1
    key: str | None = None
    merging: bool = False
    merges: list[Any] = field(default_factory=list[Any])

    @property
    def expects_key(self) -> bool:
        return isinstance(self.value, dict) and self.key is None

    @property
    def next_path(self) -> KeyPath:
        """Where the next value of the mapping or list stands."""
        if isinstance(self.value, list):
            return (*self.path, len(self.value))
        return (*self.path, cast("str", self.key))


class DocumentReader:
    """Takes the events of one document; `document` is there after the last one.

    Args:
        name: the file, for messages.
        yaml: the imported PyYAML module.
    """

    def __init__(self, name: str, yaml: Any) -> None:
        self.document: YamlDocument | None = None
        self._name = name
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self._expanded = 0
        self._marks: dict[KeyPath, Mark] = {}
        self._actions: dict[Any, Callable[[Any, Mark], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.MappingStartEvent: self._start_mapping,
            yaml.SequenceStartEvent: self._start_list,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
        }

    def take(self, event: Any) -> None:
        """Use one event.

        Raises:
            ContractError: `name:line:column: what is wrong`.
        """
        action = self._actions.get(type(event))
        if action is not None:
            start = event.start_mark
            action(event, (start.line + 1, start.column + 1))

    def _fault(
        self, message: str, mark: Mark, hint: str | None = None
    ) -> ContractError:
        line, column = mark
        return ContractError(message, where=f"{self._name}:{line}:{column}", hint=hint)

    def _check_tag(self, tag: str | None, allowed: frozenset[Any], mark: Mark) -> None:
        if tag not in allowed:
            message = f"the tag {tag!r} is not supported"
            raise self._fault(message, mark, "write the plain value")

    def _scalar(self, event: Any, mark: Mark) -> None:
        frame = self._open[-1] if self._open else None
        text, is_plain = event.value, event.implicit[0]
        if frame is not None and frame.expects_key:
            self._key(frame, text, mark, merging=is_plain and text == _MERGE)
            return
        self._check_tag(event.tag, _TEXT_TAGS, mark)
        value = text
        if is_plain and event.tag is None:
            try:
                value = scalar_value(text)
            except ScalarFault as fault:
                raise self._fault(str(fault), mark, fault.hint) from None
        self._add(value, event.anchor, mark, 1)

    def _key(self, frame: _Frame, key: str, mark: Mark, *, merging: bool) -> None:
        mapping = cast("dict[str, Any]", frame.value)
        path = (*frame.path, key)
        if key in mapping:
            first_line, _ = self._marks.get(path, frame.mark)
            message = f"the key {key!r} stands twice"
            raise self._fault(message, mark, f"first on line {first_line}")
        frame.key = key
        frame.merging = merging
        self._marks[path] = mark
        if not merging:
            mapping[key] = None

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
            message = f"aliases expand to more than {_MAX_EXPANDED:,} values"
            raise self._fault(message, mark, "write the values out")
        self._add(value, None, mark, size)

    def _start_mapping(self, event: Any, mark: Mark) -> None:
        self._push({}, event, mark)

    def _start_list(self, event: Any, mark: Mark) -> None:
        self._push([], event, mark)

    def _push(self, value: dict[str, Any] | list[Any], event: Any, mark: Mark) -> None:
        path: KeyPath = ()
        if self._open:
            self._check_key(self._open[-1], mark)
            path = self._open[-1].next_path
        self._check_tag(event.tag, _PLAIN_TAGS, mark)
        if len(self._open) >= _MAX_DEPTH:
            raise self._fault(f"nested more than {_MAX_DEPTH} levels deep", mark)
        self._open.append(_Frame(value, path, event.anchor, mark))

    def _check_key(self, frame: _Frame, mark: Mark) -> None:
        if frame.expects_key:
            raise self._fault("a key must be plain text", mark)

    def _end(self, _event: Any, _mark: Mark) -> None:
        frame = self._open.pop()
        if isinstance(frame.value, dict):
            for merged in frame.merges:
                for key, value in merged.items():
                    frame.value.setdefault(key, value)
        self._add(frame.value, frame.anchor, frame.mark, frame.size)

    def _add(self, value: Any, anchor: str | None, mark: Mark, size: int) -> None:
        """Put a complete value where it belongs: into the open mapping or list, or as the document's data."""
        self._values += 1
        if self._values > _MAX_VALUES:
            message = f"more than {_MAX_VALUES:,} values in one document"
            raise self._fault(message, mark, "split the file")
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._open:
            self._marks.setdefault((), mark)
            self.document = YamlDocument(value, mark, self._marks)
            return
        frame = self._open[-1]
        self._marks.setdefault(frame.next_path, mark)
        frame.size += size
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        self._check_key(frame, mark)
        if frame.merging:
            self._merge(frame, value, mark)
        else:
            frame.value[cast("str", frame.key)] = value
        frame.key = None

    def _merge(self, frame: _Frame, value: Any, mark: Mark) -> None:
        sources = cast("list[Any]", value) if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            raise self._fault("`<<` merges an object or a list of objects", mark)
        frame.merges.extend(sources)
