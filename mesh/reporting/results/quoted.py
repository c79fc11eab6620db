"""Text of others in a terminal: every line of it stands behind a bar, so that it forges no line of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.reporting.text import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.text import Text

_BAR: Final = "│ "
_MOST_CHARS: Final = 2_000
_UNLIMITED: Final = 1_000
"""From so many columns on the output is no terminal: texts are whole."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text of many lines. indent: columns before the bar."""

    text: str
    indent: int = 2
    style: str = ""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """The lines, wrapped where the terminal ends; a long text is cut there, and that is said."""
        from rich.text import Text

        width = max(options.max_width - self.indent - len(_BAR), 10)
        text = visible(self.text).rstrip("\n").expandtabs(4)
        more = ""
        if width < _UNLIMITED and len(text) > _MOST_CHARS:
            more = f"{len(text) - _MOST_CHARS:,} more characters; --plain shows all"
            text = text[:_MOST_CHARS]
        for line in text.split("\n"):
            if width >= _UNLIMITED:
                yield self._line(Text(line, self.style))
                continue
            wrapped = Text(line, self.style).wrap(console, width, overflow="fold")
            for part in wrapped or [Text("")]:
                yield self._line(part)
        if more:
            yield self._line(Text(more, "dim italic"))

    def _line(self, content: Text) -> Text:
        from rich.text import Text

        content.rstrip()
        line = Text(" " * self.indent, no_wrap=True, overflow="ignore")
        return line.append(_BAR, "dim").append_text(content)


def json_text(value: object) -> str:
    """A JSON-ready value as text on one line; a text is itself."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def short_json(value: object, limit: int) -> str:
    """A JSON-ready value on one line that is safe to show, cut to `limit` characters."""
    return one_line(json_text(value), limit)


def heading(title: str, note: str = "") -> Iterator[Text]:
    """A blank line, and the title of a section."""
    from rich.text import Text

    yield Text("")
    note = f"  {one_line(note)}" if note else ""
    yield Text.assemble((title, "bold"), (note, "dim"))
