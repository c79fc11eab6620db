"""Scripts and styles of the pages, as files of this package; `vendor/manifest.json` lists those of other projects."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

_HERE: Final = files("judgemesh.mesh.reporting.html")

CHARTS: Final = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "static/charts.js")
"""Scripts that draw every `figure.chart` of a page, in the order in which they run."""

TABLE: Final = ("vendor/tabulator.min.js",)
"""The table that holds any number of rows."""

STYLES: Final = ("static/page.css", "static/results.css")
TABLE_STYLES: Final = ("vendor/tabulator_simple.min.css", "static/table.css")


@dataclass(frozen=True)
class Asset:
    """A script or a style sheet that stands in a page."""

    name: str
    text: str

    @cached_property
    def source(self) -> str:
        """`'sha256-...'`: what a content security policy allows it by."""
        digest = hashlib.sha256(self.text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def asset(name: str) -> Asset:
    """The asset at a path in this package.

    Raises:
        ValueError: it could end the element that it stands in.
    """
    # Without the name of a source map: a browser with its developer tools open would look for it.
    text = _HERE.joinpath(name).read_text(encoding="utf-8")
    text = "\n".join(
        line
        for line in text.split("\n")
        if not line.startswith(("//# sourceMapping", "/*# sourceMapping"))
    )
    for end in ("</script", "</style", "<!--"):
        if end in text.lower():
            raise ValueError(f"{name} holds {end!r}, which ends its element")
    return Asset(name, text)
