"""Which reference pages are made when the site is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from generated_pages import api, commands, ledger, models

PAGES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "commands.md": commands.page,
        "contract-fields.md": models.contract_page,
        "report-fields.md": models.report_page,
        "tables-and-views.md": ledger.page,
        "python-api.md": api.page,
    }
)
"""File name below docs/generated, and what writes it. Settings and failure codes are pages of docs/reference."""
