"""The templates of the pages: Jinja2 with every value escaped, and the filters that they use.

Text from agents and models passes `visible` or `line`, which write out control characters and marks that reverse the
reading order; the templates put it into `<bdi>`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from judgemesh.contracts.money import Money
from judgemesh.mesh.reporting.html.colours import colour
from judgemesh.mesh.reporting.text import (
    amount,
    duration,
    moment,
    one_line,
    plural,
    visible,
)

if TYPE_CHECKING:
    from jinja2 import Environment

_LINKED: Final = ("http", "https")


@cache
def environment() -> Environment:
    """The environment of all templates; a name that a template does not get is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("judgemesh.mesh.reporting.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters.update(_filters())
    return templates


def _filters() -> dict[str, Callable[..., Any]]:
    return {
        "visible": visible,
        "line": one_line,
        "money": amount,
        "costs": _costs,
        "share": _share,
        "rate": _rate,
        "duration": duration,
        "latency": _latency,
        "instant": moment,
        "counted": plural,
        "link": web_link,
        "fragment": fragment,
        "inert": _inert,
        "pretty": _pretty,
        "count": _count,
        "colour": colour,
    }


def _inert(data: Any) -> Any:
    from markupsafe import Markup

    from judgemesh.mesh.reporting.html.inert import inert_json

    return Markup(inert_json(data))  # noqa: S704 (nothing in it can end its element)


def _pretty(data: Any) -> str:
    """JSON for reading."""
    return json.dumps(data, indent=2, ensure_ascii=False, default=str)


def _count(value: int | None) -> str:
    """`1,200`; a dash for what is not known."""
    return "-" if value is None else f"{value:,}"


def _costs(amounts: tuple[Money, ...]) -> str:
    """One amount a currency."""
    return " + ".join(map(amount, amounts)) or "none"


def _share(value: float | Decimal | None) -> str:
    """`86.3%`; a dash for what is not known."""
    return "-" if value is None else f"{value:.1%}"


def _rate(value: float | None) -> str:
    """`0.863`; a dash for what is not known."""
    return "-" if value is None else f"{value:.3f}"


def _latency(latency_ms: float | None) -> str:
    """`12 ms` or `3.4 s`; a dash for what is not known."""
    if latency_ms is None:
        return "-"
    if latency_ms < 1000:
        return f"{latency_ms:.0f} ms"
    return duration(latency_ms / 1000)


def web_link(url: str | None) -> str | None:
    """An address that a page may link: of the web, not of a script. None for all others."""
    try:
        parts = urlsplit((url or "").strip())
    except ValueError:
        return None
    if parts.scheme.lower() in _LINKED and parts.netloc:
        return (url or "").strip()
    return None


def fragment(text: str) -> str:
    """A text as a part of the address behind `#`."""
    return quote(text, safe="", errors="replace")
