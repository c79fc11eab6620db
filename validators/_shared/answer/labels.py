"""Labelled text: `Name: value` lines, headings and Markdown tables, found in answers that need not be JSON.

A text is read once into an index from folded label to its locations. The values at a location are read when
somebody asks for that label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import Final, NamedTuple

from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import compact, fold_name, seamless

_PREFIX = re.compile(
    r"(?:>\s*)*(?:[-*+\u2022\u25aa\u25e6]\s+|\(?(?:\d{1,3}|[A-Za-z])[.)]\s+)?"
)
_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s++)?(?:[=-]>|\u2192)\s*|[:=\t]|\s[-\u2013\u2014]{1,2}\s"
    r"|(?:\.{3,}|\u2026)(?=[\s.\u2026]{0,200}[^\s.\u2026])|(?<=\S) {4,}(?=\S)"
)
"""Between a label and its value: a colon, an equals sign, a dash, an arrow, a row of points, a wide gap."""
_ARTICLE = re.compile(r"(?:the|your|our|my|its|his|her|their|a|an)\s+", re.IGNORECASE)
_RULE_CHARS: Final = frozenset("|:- \t")
_UNDERLINE_CHARS: Final = frozenset("=- \t")
_DECORATION: Final = " \t*_`\"'~,\u201c\u201d"
_CELL_ENDS: Final = ("|", ";")
_ROW_TO_FILL: Final = re.compile(r"(?<![^\W_])_{2,}(?![^\W_])")
_BOLD: Final = ("**", "__")
_MAX_LABEL_CHARS: Final = 120
_MIN_BLANK_CHARS: Final = 3
_MAX_HEADING_CHARS: Final = 60
_MAX_CACHED_CHARS: Final = 65_536
_MAX_SECTION_LINES: Final = 500
_MAX_LINES_TO_VALUE: Final = 3
_MAX_MARKDOWN_LEVEL: Final = 6
_BOLD_LEVEL: Final = 7
_PLAIN_LEVEL: Final = 8


class Form(Enum):
    """The form of a label."""

    LABEL = "label"
    HEADING = "heading"
    COLUMN = "column"
    ROW = "row"


class _Location(NamedTuple):
    """Where a label is: its form, the index of its line, and a detail of the form.

    The detail is the offset of the value (label), the level (heading) or the index of the column (column).
    """

    form: Form
    line: int
    detail: int


_Value = tuple[int, str]
"""The index of a line, and the text of a value on it."""


class Labels:
    """The labels of one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _plain(self) -> str:
        return seamless(self._text)

    @cached_property
    def _lines(self) -> list[str]:
        return self._plain.split("\n")

    @cached_property
    def _compact(self) -> str:
        """The text without case and separators: every label of it is a part of this."""
        return compact(self._plain)

    @cached_property
    def _index(self) -> dict[str, list[_Location]]:
        index: dict[str, list[_Location]] = {}
        for number, line in enumerate(self._lines):
            if _is_prose(line):
                continue
            for label, location in _labels_of_line(self._lines, number):
                folded = fold_name(label)
                if folded:
                    index.setdefault(folded, []).append(location)
        return index

    def values(self, folded: str) -> Iterator[tuple[int, str]]:
        """Line number (from 1) and text of every value under the label, in the order of the text."""
        for _, line, value in self.located(folded):
            yield line, value

    def located(self, folded: str) -> Iterator[tuple[Form, int, str]]:
        """The form of the label, line number (from 1) and text of every value under it, in the order of the text."""
        if folded not in self._compact:
            # Searching is much cheaper than reading line by line.
            return
        for form, line, detail in self._index.get(folded, ()):
            for value_line, value in _READERS[form](self._lines, line, detail):
                yield form, value_line + 1, value

    def blank(self, folded: str) -> int | None:
        """The line (from 1) of the first label that has nothing for a value, where no other one of it has any."""
        if folded not in self._compact:
            return None
        locations = self._index.get(folded, ())
        if any(True for _ in self.located(folded)):
            return None
        return locations[0].line + 1 if locations else None


_cached_labels: ByIdentity[str, Labels] = ByIdentity(Labels, size=16)


def labels_of(text: str) -> Labels:
    """The labels of a text, read once although several validators ask for them; large texts are not cached."""
    return _cached_labels(text) if len(text) <= _MAX_CACHED_CHARS else Labels(text)


# --- the labels of a line -----------------------------------------------------


def _labels_of_line(
    lines: Sequence[str], number: int
) -> Iterator[tuple[str, _Location]]:
    line = lines[number]
    stripped = line.strip()
    if stripped[0] == "#":
        yield _markdown_heading(stripped, number)
    elif "|" in stripped:
        yield from _table_labels(lines, number, stripped)
    head = line[:_MAX_LABEL_CHARS]
    prefix = _PREFIX.match(head, _indent(head))
    start = prefix.end() if prefix else 0
    separator = _SEPARATOR.search(head, start)
    if separator is not None:
        location = _Location(Form.LABEL, number, separator.end())
        yield from _names_of(head[start : separator.start()], location)
    elif len(stripped) <= _MAX_HEADING_CHARS and stripped[0] not in "#|":
        bold = stripped.startswith(_BOLD) and stripped.endswith(_BOLD)
        level = _BOLD_LEVEL if bold else _PLAIN_LEVEL
        yield _bare(head[start:]), _Location(Form.HEADING, number, level)


def _is_prose(line: str) -> bool:
    """Most lines hold no label: they are empty, or long without a separator near their beginning."""
    stripped = line.strip()
    if not stripped:
        return True
    if len(stripped) <= _MAX_HEADING_CHARS or stripped[0] == "#" or "|" in stripped:
        return False
    return _SEPARATOR.search(line, 0, _MAX_LABEL_CHARS) is None


def _markdown_heading(stripped: str, number: int) -> tuple[str, _Location]:
    title = stripped.lstrip("#")
    level = min(len(stripped) - len(title), _MAX_MARKDOWN_LEVEL)
    title = title.strip().rstrip("#").strip()
    return _bare(title).rstrip(":"), _Location(Form.HEADING, number, level)


def _table_labels(
    lines: Sequence[str], number: int, stripped: str
) -> Iterator[tuple[str, _Location]]:
    """The column names of a header, the first cell of any other row, nothing of the rule between them."""
    if _is_rule(stripped):
        return
    cells = _cells(stripped)
    if number + 1 < len(lines) and _is_rule(lines[number + 1].strip()):
        for column, cell in enumerate(cells):
            yield from _names_of(cell, _Location(Form.COLUMN, number, column))
    elif cells:
        yield from _names_of(cells[0], _Location(Form.ROW, number, 0))


def _names_of(label: str, location: _Location) -> Iterator[tuple[str, _Location]]:
    name = _bare(label.lstrip("#"))
    yield name, location
    if name.endswith(")") and "(" in name:
        # `Dose (mg): 5` and `Endpoint(s): PFS` label `dose` and `endpoint` too.
        yield name[: name.rindex("(")], location
    article = _ARTICLE.match(name)
    if article is not None:
        yield name[article.end() :], location


def _bare(text: str) -> str:
    """A label without list marker, enumeration and decoration."""
    prefix = _PREFIX.match(text)
    start = prefix.end() if prefix else 0
    return _without_marks(text[start:])


# --- the values at a location ----------------------------------------------------


def _read_label(lines: Sequence[str], number: int, offset: int) -> Iterator[_Value]:
    """The rest of the line; else the line below, if it is indented, a list item, or without a label of its own."""
    rest = lines[number][offset:].strip()
    value = _undecorated(rest.lstrip(" .\u2026"))
    if value.startswith(_CELL_ENDS):
        return
    if value or len(rest) >= _MIN_BLANK_CHARS:
        # A row of underscores is a form that was not filled in.
        yield number, value or rest
        return
    below = _next_text(lines, number + 1)
    if below is None or _is_heading(lines[below]):
        return
    if _is_deeper(lines[below], lines[number]) or not _has_label(lines[below]):
        yield below, lines[below].strip()


def _read_heading(lines: Sequence[str], number: int, level: int) -> Iterator[_Value]:
    """The lines of a section; only the first one where the heading is plain text."""
    end = number + 1 + _MAX_SECTION_LINES
    for index, line in enumerate(lines[number + 1 : end], start=number + 1):
        text = line.strip()
        if not text or _UNDERLINE_CHARS.issuperset(text) or _is_rule(text):
            continue
        if text[0] == "#":
            if len(text) - len(text.lstrip("#")) <= level:
                return
            continue
        if level >= _BOLD_LEVEL and _is_bold(text):
            return
        yield index, text
        if level >= _PLAIN_LEVEL:
            return


def _read_column(lines: Sequence[str], number: int, column: int) -> Iterator[_Value]:
    for index in range(number + 2, len(lines)):
        if "|" not in lines[index]:
            return
        cells = _cells(lines[index].strip())
        if column < len(cells):
            value = _undecorated(cells[column])
            if value:
                yield index, value


def _read_row(lines: Sequence[str], number: int, _detail: int) -> Iterator[_Value]:
    for cell in _cells(lines[number].strip())[1:]:
        value = _undecorated(cell)
        if value:
            yield number, value


_READERS: Final[dict[Form, Callable[[Sequence[str], int, int], Iterator[_Value]]]] = {
    Form.LABEL: _read_label,
    Form.HEADING: _read_heading,
    Form.COLUMN: _read_column,
    Form.ROW: _read_row,
}


def _undecorated(text: str) -> str:
    """A value without emphasis and quotation marks around it; a row of underscores to be filled in stays."""
    return text.strip() if _ROW_TO_FILL.search(text) else _without_marks(text)


# --- lines --------------------------------------------------------------------


def _is_rule(stripped: str) -> bool:
    """Whether a line is the rule below a table's header."""
    return "-" in stripped and "|" in stripped and _RULE_CHARS.issuperset(stripped)


def _cells(row: str) -> list[str]:
    inner = row.replace("\\|", "\u00a6").strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in inner.split("|")]


def _next_text(lines: Sequence[str], start: int) -> int | None:
    """The index of the next line with text, if it is near."""
    for index, line in enumerate(lines[start : start + _MAX_LINES_TO_VALUE], start):
        if line.strip():
            return index
    return None


def _is_deeper(line: str, above: str) -> bool:
    """Whether a line belongs to the one above it: it is indented more, or an item below a line that is none."""
    if _indent(line) > _indent(above):
        return True
    return _is_item(line) and not _is_item(above)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_item(line: str) -> bool:
    prefix = _PREFIX.match(line.lstrip())
    return prefix is not None and prefix.end() > 0


def _is_heading(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("#") or _is_bold(stripped)


def _is_bold(text: str) -> bool:
    return text.startswith("**") and text.endswith("**")


def _has_label(line: str) -> bool:
    return _SEPARATOR.search(line[:_MAX_LABEL_CHARS]) is not None


def _without_marks(text: str) -> str:
    """A text without marks around it; a tilde before a figure says that the figure is approximate."""
    shown = text.strip(_DECORATION)
    lead = text[: len(text) - len(text.lstrip(_DECORATION))].rstrip()
    is_about = lead.endswith("~") and not lead.endswith("~~") and shown[:1].isdigit()
    return f"~{shown}" if is_about else shown
