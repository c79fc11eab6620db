"""Each tutorial page, followed word for word in an empty folder: its files are saved, its commands run in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pages import ROOT, TUTORIALS, Block, blocks_of, commands, run


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_tutorial_works_as_written(page: Path, tmp_path: Path) -> None:
    blocks = list(blocks_of(ROOT / page))
    assert any(block.file for block in blocks)
    for block in blocks:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            follow(block, tmp_path)


def follow(block: Block, folder: Path) -> None:
    """Run the commands of a block; the last one ends with the code that the block states."""
    asked = commands(block)
    for command in asked:
        done = run(command, folder)
        expected = block.exit_code if command == asked[-1] else 0
        assert done.returncode == expected, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
