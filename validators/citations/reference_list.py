"""The reference list of an answer: where it begins and ends, and its entries by label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.text import blank, line_number
from judgemesh.validators.citations.cited import MAX_CITATIONS, Cited
from judgemesh.validators.citations.plain_text import plain_citation

_CODE = re.compile(r"```.{0,20000}?```|`[^`\n]{1,500}`", re.DOTALL)
_HEADING = re.compile(
    r"^[ \t>]{0,3}(?:#{1,6}[ \t]{0,4}|\*\*|__|[0-9]{1,2}\.[ \t])?"
    r"(?:list of |cited |my |key |primary )?(?:references?|bibliography|works cited|sources?"
    r"|literature(?: cited)?|citations"
    r"|reference list|source list|source documents|cited documents|documents|footnotes)"
    r"(?: and notes| used| cited| consulted| \& notes)?[ \t]{0,4}:?(?:\*\*|__)?[ \t]{0,4}:?[ \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING_WORDS: Final = (
    "reference",
    "bibliography",
    "works cited",
    "sources",
    "literature",
    "citations",
    "source",
    "documents",
    "footnotes",
)
"""A text without any of these words has no heading of a reference list."""
_NEXT_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]{1,4}\S", re.MULTILINE)
_LABEL = re.compile(
    r"^[ \t]{0,8}(?:[-*+][ \t]{1,4})?"
    r"(?:\[(?:\^?([0-9]{1,4})|\^([A-Za-z][\w-]{0,39}))\]:?|\(?([0-9]{1,4})[.)])[ \t]{1,8}(?=\S)"
)
_BULLET = re.compile(r"^[ \t]{0,8}[-*+\u2022][ \t]{1,4}(?=\S)")
_FOOTNOTE = re.compile(
    r"^[ \t]{0,3}\[(?:\^?(?P<number>[0-9]{1,4})|\^(?P<name>[A-Za-z][\w-]{0,39}))\]:?[ \t]{1,8}(?P<entry>\S.{1,})$",
    re.MULTILINE,
)
_CLOSING = re.compile(
    r"\s{0,8}(?:let me know|please|if you|feel free|i hope|hope this|thank|thanks|note that|note:|in short"
    r"|in summary|do you"
    r"|would you|is there|kind regards|best regards|for (?:more|further))\b",
    re.IGNORECASE,
)
_NAME_IN_CODE = re.compile(
    r"[A-Za-z][\w./-]{0,80}(?:\.(?:md|txt|pdf|docx?|html?|rst)|[-_][0-9]{1,6})(?:\.\w{2,5})?"
)
_TABLE_ROW = re.compile(r"^[ \t]{0,3}\|(.{1,2000})\|[ \t]{0,3}$")
_TABLE_RULE = re.compile(r"^[ \t|:+-]{3,2000}$")
_BETWEEN_CELLS: Final = " \u2014 "
_IN_LINE = re.compile(r"[^\n]")


def split_reference_list(answer: str) -> tuple[str, dict[str, Cited]]:
    """The answer with its reference list blanked out, and the entries of the list by label.

    Entries without a label get their number. Code is blanked out. Footnotes serve where no heading is found.
    """
    if "`" in answer:
        answer = _CODE.sub(_without_code, answer)
    heading = _last_heading(answer)
    if heading is None:
        return _split_footnotes(answer)
    start = heading.end()
    following = _NEXT_HEADING.search(answer, start)
    end = following.start() if following else len(answer)
    end = _end_of_list(answer, start, end)
    blanked = _IN_LINE.sub(" ", answer[heading.start() : end])
    body = answer[: heading.start()] + blanked + answer[end:]
    return body, _entries(answer[start:end], line_number(answer, start))


def _without_code(match: re.Match[str]) -> str:
    """Spaces in place of code; a file or an id in code marks is a name like any other."""
    inside = match[0].strip("`")
    if _NAME_IN_CODE.fullmatch(inside):
        return f" {inside} "
    return blank(match)


def _end_of_list(answer: str, start: int, end: int) -> int:
    """Where the list ends: before a paragraph that closes the answer, or that has no label in a list with labels."""
    marked = False
    after_blank = False
    position = start
    for line in answer[start:end].split("\n"):
        if not line.strip():
            after_blank = True
        elif _mark(line):
            marked, after_blank = True, False
        elif after_blank and position > start and (marked or _CLOSING.match(line)):
            return position
        else:
            after_blank = False
        position += len(line) + 1
    return end


def _last_heading(answer: str) -> re.Match[str] | None:
    folded = answer.casefold()
    if not any(word in folded for word in _HEADING_WORDS):
        return None
    last = None
    for heading in _HEADING.finditer(answer):
        last = heading
    return last


def _split_footnotes(answer: str) -> tuple[str, dict[str, Cited]]:
    if "[" not in answer:
        return answer, {}
    entries: dict[str, Cited] = {}
    for note in _FOOTNOTE.finditer(answer):
        ref = f"final_answer:L{line_number(answer, note.start())}"
        for cited in plain_citation(ref, note["entry"]):
            entries.setdefault(note["number"] or note["name"], cited)
    if not entries:
        return answer, {}
    return _FOOTNOTE.sub(blank, answer), entries


@dataclass(frozen=True, slots=True)
class _ListEntry:
    """An entry of a reference list: its label, its line number (from 1) and its lines."""

    label: str
    line: int
    parts: list[str]


def _entries(block: str, first_line: int) -> dict[str, Cited]:
    entries: dict[str, Cited] = {}
    lines = block.split("\n")
    if "|" in block:
        lines = list(_without_table(lines))
    for entry in _list_entries(lines, first_line):
        text = " ".join(map(str.strip, entry.parts))
        label = entry.label
        if label in entries:
            label = f"{label}@{entry.line}"
        for cited in plain_citation(f"final_answer:L{entry.line}", text):
            entries.setdefault(label, cited)
    return entries


def _without_table(lines: list[str]) -> Iterator[str]:
    """The lines of a table as entries with a label; its heading and its rule are left empty."""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        row = _TABLE_ROW.match(line)
        if row is None:
            yield line
        elif _TABLE_RULE.match(line) or _TABLE_RULE.match(following):
            yield ""
        else:
            yield _row_as_entry(row[1])


def _row_as_entry(row: str) -> str:
    cells = [cell.strip(" \t*") for cell in row.split("|") if cell.strip()]
    mark = "-"
    if len(cells) > 1 and cells[0].strip("[].").isdigit():
        mark = f"[{cells.pop(0).strip('[].')}]"
    return f"{mark} {_BETWEEN_CELLS.join(cells)}"


def _list_entries(lines: list[str], first_line: int) -> list[_ListEntry]:
    """An entry starts at a label, at a bullet or after an empty line; other lines continue the entry before.

    In a list without labels and bullets every line that is not indented starts an entry.
    """
    entries: list[_ListEntry] = []
    marked = any(map(_mark, lines))
    after_blank = True
    for number, line in enumerate(lines, start=first_line):
        if not line.strip():
            after_blank = True
            continue
        mark = _mark(line)
        starts_unmarked = not marked and not line.startswith((" ", "\t"))
        if mark or not entries or after_blank or starts_unmarked:
            label = str(len(entries) + 1)
            if mark and mark.lastindex:
                label = mark[mark.lastindex]
            text = line[mark.end() :] if mark else line
            entries.append(_ListEntry(label, number, [text]))
        else:
            entries[-1].parts.append(line)
        after_blank = False
        if len(entries) > MAX_CITATIONS:
            break
    return entries


def _mark(line: str) -> re.Match[str] | None:
    """The label or bullet that a line begins with. A label is the match's only group; a bullet has none."""
    return _LABEL.match(line) or _BULLET.match(line)
