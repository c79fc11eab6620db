"""Under which conditions a price holds: service tier, size of the input, day. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

from judgemesh.contracts.usage import PriceSnapshot

_TIERS: Final[Mapping[str, str]] = {
    "batch": "batch",
    "batches": "batch",
    "fast": "priority",
    "flex": "flex",
    "on_demand_flex": "flex",
    "on_demand_priority": "priority",
    "priority": "priority",
    "ultrafast": "ultrafast",
    "balanced": "balanced",
}
_TOKENS_A_K: Final = 1000


class Call(NamedTuple):
    """What of a call decides its price.

    input_tokens: all of them, cached ones too.
    service_tier: as the provider states it; empty for the standard one.
    day: when the call was made; None: today.
    """

    input_tokens: int = 0
    service_tier: str = ""
    day: date | None = None

    @property
    def tier(self) -> str:
        """The tier as prices name it; empty for the standard one."""
        return _TIERS.get(self.service_tier.lower(), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialPrice:
    """A price that holds for some calls only. A condition that is not set holds always.

    above_tokens: the call's input must be larger.
    until: the first day on which the price no longer held.
    """

    price: PriceSnapshot
    tier: str = ""
    above_tokens: int = 0
    until: date | None = None

    def holds(self, call: Call) -> bool:
        """Whether every condition is met."""
        if self.tier and self.tier != call.tier:
            return False
        if self.above_tokens and call.input_tokens <= self.above_tokens:
            return False
        return self.until is None or (call.day is not None and call.day < self.until)

    def order(self) -> tuple[int, int, int]:
        """The more conditions, and the narrower, the later."""
        conditions = (self.tier != "") + (self.above_tokens > 0)
        days = 0 if self.until is None else -self.until.toordinal()
        return (self.until is not None, days, conditions * 10**9 + self.above_tokens)


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of one file: standard ones, and those under conditions, by model."""

    standard: Mapping[str, PriceSnapshot] = field(
        default_factory=dict[str, PriceSnapshot]
    )
    special: Mapping[str, tuple[SpecialPrice, ...]] = field(
        default_factory=dict[str, tuple[SpecialPrice, ...]]
    )


def special_price(prices: Iterable[SpecialPrice], call: Call) -> PriceSnapshot | None:
    """The price with the narrowest conditions that all hold."""
    holding = [special for special in prices if special.holds(call)]
    return max(holding, key=SpecialPrice.order).price if holding else None


def terms_name(*, tier: str, above_tokens: int = 0, until: date | None = None) -> str:
    """The name of the conditions, as price snapshots keep it."""
    parts = [tier] if tier else []
    if above_tokens:
        thousands, rest = divmod(above_tokens, _TOKENS_A_K)
        parts.append(f"above_{above_tokens if rest else f'{thousands}k'}")
    if until is not None:
        parts.append(f"until_{until.isoformat()}")
    return "_".join(parts)
