"""Scripts and styles stand in a page under a policy that names each of them."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from judgemesh.mesh.reporting.html.assets import (
    CHARTS,
    STYLES,
    TABLE,
    TABLE_STYLES,
    asset,
)
from judgemesh.mesh.reporting.html.environment import environment, web_link
from judgemesh.mesh.reporting.html.page import single_page

ELEMENT = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@pytest.mark.parametrize("name", [*CHARTS, *TABLE, *STYLES, *TABLE_STYLES])
def test_an_asset_names_no_source_map_and_no_other_file(name: str) -> None:
    text = asset(name).text
    assert "sourceMappingURL" not in text
    assert "@import" not in text
    assert "url(" not in text or not name.endswith(".css")


def test_the_policy_names_the_digest_of_every_element() -> None:
    page = single_page("bill", "Title", styles=STYLES, scripts=CHARTS)
    html = environment().get_template("base.html").render(page=page)
    elements = ELEMENT.findall(html)
    assert len(elements) == len(STYLES) + len(CHARTS)
    for _, text in elements:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"&#39;sha256-{digest}&#39;" in html
    assert "unsafe" not in page.policy
    assert page.policy.startswith("default-src 'none'; ")


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org/x", False),
        ("/etc/passwd", False),
        ("file:///etc/passwd", False),
        ("https://[", False),
        ("", False),
        (None, False),
    ],
)
def test_only_addresses_of_the_web_are_linked(url: str | None, linked: bool) -> None:
    assert (web_link(url) is not None) is linked
