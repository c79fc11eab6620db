"""The pages that tests read: their fenced blocks, and how the commands in them run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs/decisions"
VALIDATORS = ROOT / "docs/reference/validators"
"""Their examples have a test of their own, tests/validators/test_docs.py."""
TUTORIALS = (Path("docs/tutorials/your-own-agent.md"),)
"""Pages whose blocks belong together: tests/docs/test_tutorial.py follows them."""
PAGES = [
    ROOT / "README.md",
    *sorted(
        set((ROOT / "docs").rglob("*.md"))
        - set((ROOT / "docs/generated").rglob("*.md"))
    ),
    *sorted((ROOT / "examples").glob("*/README.md")),
    ROOT / "benchmarks/README.md",
]
_FENCE = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language, the words after it, its text."""

    page: Path
    line: int
    language: str
    options: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def exit_code(self) -> int:
        """What `exit=N` after the language says."""
        return int(self._option("exit") or 0)

    @property
    def file(self) -> str | None:
        """The name under which a reader saves the block: `file=NAME` after the language."""
        return self._option("file")

    def _option(self, name: str) -> str | None:
        values = [
            option.partition("=")[2]
            for option in self.options
            if option.startswith(f"{name}=")
        ]
        return values[0] if values else None


def blocks(*languages: str) -> list[Block]:
    """Every block of the pages in one of the languages."""
    return [
        block
        for page in PAGES
        if page.parent not in (DECISIONS, VALIDATORS)
        and page.relative_to(ROOT) not in TUTORIALS
        for block in blocks_of(page)
        if block.language in languages
    ]


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        language, *options = found["info"].split() or [""]
        yield Block(
            page,
            text.count("\n", 0, found.start()) + 1,
            language,
            tuple(options),
            found["body"],
        )


def commands(block: Block) -> list[str]:
    """The commands of a console block: lines after `$ `, with their continuation lines."""
    joined = block.text.replace("\\\n", " ")
    return [
        line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ ")
    ]


def environment() -> dict[str, str]:
    """The installed commands first on the path, and no setting of whoever runs the tests."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUDGEMESH", "OPENAI", "ANTHROPIC"))
    }
    return {**kept, "PATH": path, "COLUMNS": "120"}


def _expanded(word: str, folder: Path) -> list[str]:
    """What a shell makes of a word with `*`: the files it fits, or the word itself."""
    found = (
        sorted(str(path.relative_to(folder)) for path in folder.glob(word))
        if "*" in word
        else []
    )
    return found or [word]


def run(
    command: str, folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            argument
            for word in shlex.split(command)
            for argument in _expanded(word, folder)
        ],
        cwd=folder,
        env={**environment(), **variables},
        input="q",  # a command that asks for keys is quit at once, also under `pytest -s`
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
