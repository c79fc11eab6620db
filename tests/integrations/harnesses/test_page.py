"""The examples of docs/how-to/integrations.md run as they stand, and each leaves one finished run in the ledger."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import desk
import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs/how-to/integrations.md"
EXAMPLES = re.findall(
    r"^## ([^\n]+)\n(?:(?!^## ).)*?^```py\n(.*?)^```",
    PAGE.read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 7


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example(refund_desk: desk.Desk, name: str, text: str) -> None:
    script = refund_desk.folder / "example.py"
    script.write_text(text, encoding="utf-8")
    refund_desk.run(sys.executable, script)
    runs, reports = asyncio.run(desk.read_ledger(refund_desk.folder))
    assert [status for _, status in runs] == ["done"]
    # Several examples show an answer without a trace: the rule about calls cannot be checked then.
    [report] = reports.values()
    assert report["gate"] in ("pass", "undecided")
