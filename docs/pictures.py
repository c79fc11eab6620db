"""Write docs/pictures/report.png: the first screen of the report of the bundled example.

python docs/pictures.py

Needs Chromium (`make chromium`) and the packages of the extra `test`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]
_PICTURE: Final = _ROOT / "docs" / "pictures" / "report.png"
_EXAMPLE: Final = _ROOT / "examples" / "reference_set"
_SIZE: Final = {"width": 1280, "height": 860}
_FLAGS: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")


def main() -> None:
    """Grade the reference set without a judge, and take the picture of its report."""
    from playwright.sync_api import ViewportSize, sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("no chromium is installed: make chromium")
    with tempfile.TemporaryDirectory() as folder:
        report = _report(Path(folder))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=list(_FLAGS)
            )
            size = ViewportSize(width=_SIZE["width"], height=_SIZE["height"])
            page = browser.new_page(viewport=size, color_scheme="light")
            page.goto(report.as_uri())
            page.wait_for_selector("body[data-ready]")
            page.screenshot(path=_PICTURE)
            browser.close()
    print(f"wrote {_PICTURE.relative_to(_ROOT)}")


def _report(folder: Path) -> Path:
    results = sorted(_EXAMPLE.glob("*/results.jsonl"))
    command = Path(sys.executable).with_name("judgemesh")
    arguments: list[str | Path] = [
        "--contracts",
        _EXAMPLE,
        "--fail-under",
        "0",
        "--quiet",
    ]
    outputs: list[str | Path] = [
        "--ledger",
        folder / "ledger.db",
        "-o",
        folder / "report.html",
    ]
    subprocess.run(  # noqa: S603 (our own command)
        [command, "grade", *results, *arguments, *outputs], check=True, cwd=folder
    )
    return folder / "report.html"


if __name__ == "__main__":
    main()
