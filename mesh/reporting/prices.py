"""The price book, for people."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.table import Table


def prices_table(prices: Mapping[str, PriceSnapshot]) -> Table:
    """Prices per million tokens by model; a dash where the provider has no such price."""
    versions = sorted({one_line(price.price_version) for price in prices.values()})
    single = len(versions) == 1
    table = plain_table(
        title=f"prices per million tokens{f', version {versions[0]}' if single else ''}"
    )
    table.add_column("model", overflow="fold")
    for name in ("input", "cached", "write", "output", "reason"):
        table.add_column(name, justify="right", no_wrap=True, min_width=5)
    table.add_column("", no_wrap=True, min_width=3)
    if not single:
        table.add_column("version", overflow="fold")
    for name, price in sorted(prices.items()):
        amounts = (
            price.price_input_per_million,
            price.price_cached_input_per_million,
            price.price_cache_write_per_million,
            price.price_output_per_million,
            price.price_reasoning_per_million,
        )
        version = () if single else (one_line(price.price_version),)
        table.add_row(
            one_line(name),
            *(_amount(amount) for amount in amounts),
            price.currency,
            *version,
        )
    return table


def _amount(amount: Decimal | None) -> str:
    return "-" if amount is None else f"{amount.normalize():f}"
