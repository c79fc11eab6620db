"""axe-core on a page: what it finds that is serious or critical."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
GRAVE = frozenset({"serious", "critical"})


def violations(page: Page) -> list[str]:
    """One line for each element with a serious or critical violation."""
    # Outside of the page's own world, so that its policy stays as it is.
    page.evaluate(AXE.read_text(encoding="utf-8") + ";undefined")
    results: dict[str, Any] = page.evaluate(
        "() => axe.run(document, {resultTypes: ['violations']})"
    )
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in results["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]
