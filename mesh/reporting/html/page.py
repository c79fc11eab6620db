"""One file that is a whole page: its scripts and styles stand in it, and its policy allows these and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from judgemesh.mesh.reporting.html.assets import Asset, asset
from judgemesh.mesh.reporting.html.environment import environment


@dataclass(frozen=True, slots=True)
class Page:
    """What `base.html` puts into a page that is one file.

    kind: of what the page is, `report` or `bill`.
    """

    kind: str
    title: str
    styles: tuple[Asset, ...]
    scripts: tuple[Asset, ...]

    @property
    def policy(self) -> str:
        """The content security policy: only these scripts and styles, and no request."""
        scripts = " ".join(script.source for script in self.scripts) or "'none'"
        styles = " ".join(style.source for style in self.styles) or "'none'"
        return (
            f"default-src 'none'; script-src {scripts}; style-src {styles};"
            " base-uri 'none'; form-action 'none'"
        )


def single_page(
    kind: str, title: str, *, styles: Iterable[str], scripts: Iterable[str]
) -> Page:
    """A page of these assets of the package."""
    return Page(kind, title, tuple(map(asset, styles)), tuple(map(asset, scripts)))


def rendered(template: str, **values: Any) -> str:
    """A template with its values. All text of the values is escaped."""
    return environment().get_template(template).render(**values)
