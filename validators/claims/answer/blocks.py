"""The parts of an answer that can state something: paragraphs, labelled values, rows of tables, data in fences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.values import is_container
from judgemesh.validators.claims.answer.headings import is_generic, is_reference_heading
from judgemesh.validators.claims.answer.keyed import Keyed
from judgemesh.validators.claims.answer.markup import Line, lines_of
from judgemesh.validators.claims.answer.tables import cells_of
from judgemesh.validators.claims.language.finite_verbs import FINITE

_PROGRAMS: Final = frozenset(
    {
        "python", "py", "js", "javascript", "ts", "typescript", "java", "c", "cpp", "c++", "cs", "go", "rust", "rs",
        "ruby", "rb", "php", "sql", "bash", "sh", "shell", "zsh", "console", "powershell", "html", "css", "diff",
        "kotlin", "swift", "scala", "r", "perl", "lua", "dockerfile", "makefile", "regex", "latex", "mermaid",
        "graphql",
    }
)  # fmt: skip
_LABELLED = re.compile(
    r"^[\"']?(?P<label>[^\W\d_](?:[\w /&'().%-]{0,60}?[\w)%])?)[\"']?"
    r"\s?(?::|=|\s[\u2013\u2014-]\s|\s\u2192\s)\s*(?P<value>\S.*?)[,;]?$"
)
_ASSIGNMENT = re.compile(r"(?m)^\s*[\w.\[\]\"']+\s*[-+*/:]?=[^=\n].*$")
"""A line of a program."""
_MAX_LABEL_WORDS: Final = 7
_MAX_TITLE_WORDS: Final = 5
_MIN_SENTENCE_BLANKS: Final = 2
_SENTENCE_END: Final = (".", "!", "?", ":", ";", "\u3002", "\u2026")
_MAX_WRAPPED_CHARS: Final = 50
"""A shorter line that is followed by a capital letter was not wrapped: it ends what it says."""
_NOTE = re.compile(r"\[[\w-]{1,40}\](?::\s+\S|\s+\S+$)")
"""The beginning of a footnote, or a mark with a name alone: `[2]: POL-7.md`."""
_OPEN_ENDS: Final = frozenset(
    {
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "and", "or", "but", "is", "are", "was", "were", "by",
        "with", "from", "into", "about", "than", "that", "which", "who", "as", "its", "their", "between", "until",
        "has", "have", "had", "not", "per", "up", "mr", "ms", "dr",
    }
)  # fmt: skip
"""Words that no statement ends with."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of an answer: running text, a value with its label, or data. `about` is the heading it stands under."""

    start: int
    text: str = ""
    keyed: Keyed | None = None
    data: object = None
    about: str = ""
    is_reference: bool = False


@dataclass(slots=True)
class _Reader:
    """What was read so far: the paragraph that is not ended yet, and the heading above."""

    about: str = ""
    paragraph: list[str] = field(default_factory=list[str])
    start: int = 0
    in_references: bool = False

    def flush(self) -> Iterator[Block]:
        if self.paragraph:
            text = " ".join(self.paragraph)
            self.paragraph = []
            yield Block(
                self.start,
                text=text,
                about=self.about,
                is_reference=self.in_references,
            )


def blocks_of(answer: str) -> Iterator[Block]:
    """The parts of an answer in order."""
    reader = _Reader()
    lines = list(lines_of(answer))
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.language is not None:
            end = _end_of_fence(lines, index)
            yield from reader.flush()
            yield from _fenced(lines[index:end], reader.about)
            index = end
        elif "|" in line.text and (end := _end_of_table(lines, index)) > index + 1:
            yield from reader.flush()
            yield from _table(lines[index:end], reader.about)
            index = end
        else:
            if _is_title(lines, index):
                line = replace(line, is_heading=True)
            yield from _read_line(reader, line)
            index += 1
    yield from reader.flush()


def _is_title(lines: Sequence[Line], index: int) -> bool:
    """Whether a short line between blank lines stands above other text as its heading."""
    line = lines[index]
    if line.is_item or not line.text[:1].isupper() or not line.text[-1].isalnum():
        return False
    if len(line.text.split()) > _MAX_TITLE_WORDS or FINITE.search(line.text):
        return False
    if any(character.isdigit() for character in line.text):
        return False
    if index and lines[index - 1].text:
        return False
    below = [other for other in lines[index + 1 :] if other.text]
    return bool(below) and (not lines[index + 1].text or below[0].is_item)


def _end_of_fence(lines: Sequence[Line], start: int) -> int:
    end = start
    while end < len(lines) and lines[end].language is not None:
        end += 1
    return end


def _fenced(lines: Sequence[Line], about: str) -> Iterator[Block]:
    """What stands in a code fence: data, a program, which states nothing, or text after all."""
    body = "\n".join(line.text for line in lines)
    language, start = lines[0].language, lines[0].start
    data = data_of(body)
    if data is not None:
        yield Block(start, data=data, about=about)
    elif language not in _PROGRAMS:
        for block in blocks_of(_ASSIGNMENT.sub("", body)):
            yield Block(
                start + block.start,
                block.text,
                block.keyed,
                block.data,
                block.about or about,
            )


def data_of(text: str) -> object | None:
    """A text that is a JSON object or array."""
    body = text.strip()
    if body[:1] not in ("{", "["):
        return None
    try:
        parsed: object = parse_json(body)
    except ValueError:
        return None
    return parsed if is_container(parsed) else None


def _read_line(reader: _Reader, line: Line) -> Iterator[Block]:
    text = line.text
    if not text:
        yield from reader.flush()
        return
    if line.is_heading or is_generic(text):
        yield from reader.flush()
        reader.in_references = is_reference_heading(text)
        reader.about = "" if is_generic(text) else text.rstrip(":")
        if FINITE.search(text):
            yield Block(line.start, text=text)
        return
    data = data_of(text)
    if data is not None:
        yield from reader.flush()
        yield Block(line.start, data=data, about=reader.about)
        return
    labelled = None if reader.in_references else _labelled(text, reader.about)
    if labelled is not None:
        yield from reader.flush()
        yield Block(line.start, keyed=labelled, about=reader.about)
        return
    if line.is_item or (
        reader.paragraph and not _is_wrapped(reader.paragraph[-1], text)
    ):
        yield from reader.flush()
    if not reader.paragraph:
        reader.start = line.start
    reader.paragraph.append(text)
    if text.endswith(":") and not FINITE.search(text):
        # A line such as `Riverside plant:` is the heading of what follows.
        reader.about = "" if is_generic(text) else text.rstrip(":")


def _is_wrapped(before: str, line: str) -> bool:
    """Whether a line goes on with the sentence of the line before."""
    if before.endswith(_SENTENCE_END) or _NOTE.match(line):
        return False
    if before.rsplit(" ", 1)[-1].casefold() in _OPEN_ENDS:
        return True
    return len(before) > _MAX_WRAPPED_CHARS or not line[:1].isupper()


def _labelled(text: str, about: str) -> Keyed | None:
    """A line that is a value behind a label, such as `Employees: 900`; a sentence behind a label is none."""
    match = _LABELLED.match(text)
    if match is None or len(match["label"].split()) > _MAX_LABEL_WORDS:
        return None
    label, value = match["label"], match["value"].strip("\"'")
    if FINITE.search(value) or FINITE.search(label):
        return None
    if is_generic(label) and value.count(" ") >= _MIN_SENTENCE_BLANKS:
        return None
    is_silent = is_generic(label) and not is_reference_heading(label)
    return Keyed("" if is_silent else label, value, about)


def _end_of_table(lines: Sequence[Line], start: int) -> int:
    """The end of a run of lines with cells."""
    end = start
    while end < len(lines) and "|" in lines[end].text and lines[end].language is None:
        end += 1
    return end


def _table(lines: Sequence[Line], about: str) -> Iterator[Block]:
    rows = [(line.start, line.text) for line in lines]
    for cell in cells_of(rows, about, _is_sentence, is_generic):
        yield Block(cell.start, text=cell.text, keyed=cell.keyed, about=about)


def _is_sentence(cell: str) -> bool:
    return cell.count(" ") >= _MIN_SENTENCE_BLANKS and FINITE.search(cell) is not None
