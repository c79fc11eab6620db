"""Money and usage."""

from __future__ import annotations

from decimal import Decimal

import pytest

from judgemesh.contracts.usage import Money, PriceSnapshot, Usage, exact_amount, total

PRICE = PriceSnapshot(
    model_name="model_x",
    price_input_per_million=Decimal(10),
    price_cached_input_per_million=Decimal("2.5"),
    price_output_per_million=Decimal(30),
    price_reasoning_per_million=Decimal(30),
    currency="RMB",
    price_version="2026-04-28",
)


def test_the_articles_price_snapshot_bills_each_kind_of_token() -> None:
    usage = Usage(
        input_tokens_uncached=4200, input_tokens_cached=8600, output_tokens=320
    )
    assert PRICE.cost(usage) == Money(
        Decimal("0.0731"), "RMB"
    )  # 4200*10 + 8600*2.5 + 320*30 per million
    assert usage.input_total == 12_800
    assert usage.total == 13_120


def test_absent_prices_fall_back_to_what_the_provider_bills() -> None:
    price = PriceSnapshot(
        model_name="m",
        price_input_per_million=Decimal(1),
        price_output_per_million=Decimal(2),
    )
    usage = Usage(
        input_tokens_cached=10**6,
        input_tokens_cache_write=10**6,
        reasoning_tokens=10**6,
    )
    assert price.cost(usage) == Money(Decimal(4))


def test_unknown_money_stays_unknown_and_currencies_stay_apart() -> None:
    one = Money(Decimal(1))
    assert total([one, None]) is None
    assert total([]) == Money(Decimal(0))
    assert total([one, one]) == Money(Decimal(2))
    with pytest.raises(ValueError, match="cannot add EUR to USD"):
        total([one, Money(Decimal(1), "EUR")])


@pytest.mark.parametrize(
    ("amount", "currency"),
    [("NaN", "USD"), ("Infinity", "USD"), ("1", "usd"), ("1", "")],
)
def test_money_is_finite_and_named(amount: str, currency: str) -> None:
    with pytest.raises(ValueError, match=r"must be finite|three capital"):
        Money(Decimal(amount), currency)


@pytest.mark.parametrize(
    "value",
    [
        "1e999999",
        pytest.param("1" * 4000, id="4000 digits"),
        pytest.param(10**5000, id="5001 digits"),
        1e300,
        -1,
        "NaN",
        "Infinity",
        float("nan"),
        True,
        None,
        "",
        "plenty",
        [1],
    ],
)
def test_what_is_no_amount_of_money(value: object) -> None:
    assert exact_amount(value) is None


@pytest.mark.parametrize("value", [0, 0.1, "0.1", 10**15, Decimal("1e-30")])
def test_amounts_are_exact(value: float | str | Decimal) -> None:
    assert exact_amount(value) == Decimal(str(value))
