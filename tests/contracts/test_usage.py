"""Money and usage."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from judgemesh.contracts.money import Money, exact_amount, total
from judgemesh.contracts.usage import PriceSnapshot, Usage

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


def test_every_kind_of_token_has_its_price() -> None:
    """Each count and each price is a different prime, so that no two terms can be exchanged."""
    usage = Usage(
        input_tokens_uncached=2,
        input_tokens_cached=3,
        input_tokens_cache_write=12,
        output_tokens=7,
        reasoning_tokens=11,
        input_tokens_cache_write_1h=5,
        searches=13,
    )
    price = PriceSnapshot(
        "m",
        Decimal(1),
        Decimal(100),
        price_cached_input_per_million=Decimal(10_000),
        price_cache_write_per_million=Decimal(1_000_000),
        price_reasoning_per_million=Decimal(100_000_000),
        price_cache_write_1h_per_million=Decimal(10_000_000_000),
        price_search_per_thousand=Decimal(1_000_000_000),
    )
    expected = 2 + 7 * 10**2 + 3 * 10**4 + 7 * 10**6 + 11 * 10**8 + 5 * 10**10
    amount = Decimal(expected + 13 * 10**12) / 1_000_000
    assert price.cost(usage) == Money(amount)
    assert (usage.input_total, usage.total) == (17, 35)


def test_a_price_that_is_not_given_is_another() -> None:
    price = PriceSnapshot("m", Decimal(2), Decimal(30))
    usage = Usage(
        input_tokens_cached=10,
        input_tokens_cache_write=100,
        reasoning_tokens=1_000,
        input_tokens_cache_write_1h=50,
        searches=7,
    )
    assert price.cost(usage).amount == Decimal("0.03022")
    written = replace(price, price_cache_write_per_million=Decimal(4))
    assert written.cost(usage).amount == Decimal("0.03042")


def test_defaults_of_usage_and_price() -> None:
    usage = Usage()
    assert (usage.input_total, usage.total, usage.searches) == (0, 0, 0)
    assert (usage.cache_reported, usage.output_is_at_most) == (True, False)
    assert usage.service_tier == ""
    assert Usage(raw={"a": 1}, cache_reported=False, output_is_at_most=True) == usage
    price = PriceSnapshot("m", Decimal(1), Decimal(1))
    assert (price.currency, price.price_version, price.terms) == ("USD", "", "")
    assert Money(Decimal(1)).currency == "USD"


def test_the_largest_amount_is_one() -> None:
    assert exact_amount(10**15) == Decimal(10**15)
    assert exact_amount(10**15 + 1) is None
    assert exact_amount(0) == 0


def test_a_sum_of_nothing_has_the_currency_asked_for() -> None:
    assert total([]) == Money(Decimal(0), "USD")
    assert total([], "EUR") == Money(Decimal(0), "EUR")
    assert total([Money(Decimal(2), "EUR"), Money(Decimal(3), "EUR")]) == Money(
        Decimal(5), "EUR"
    )


def test_a_cost_is_exact_to_the_twelfth_place() -> None:
    price = PriceSnapshot("m", Decimal("0.0000015"), Decimal(0))
    assert price.cost(Usage(input_tokens_uncached=1)).amount == Decimal("2e-12")
