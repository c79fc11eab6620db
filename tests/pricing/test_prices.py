from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.client_library import library_price
from judgemesh.mesh.pricing.price_file import parse_prices
from judgemesh.mesh.pricing.prices import PriceBook

MILLION = Usage(
    input_tokens_uncached=1_000_000,
    input_tokens_cached=1_000_000,
    output_tokens=1_000_000,
)
OWN = 'version = "mine-1"\ncurrency = "EUR"\n[models."gpt-4.1-mini"]\ninput = 9\noutput = 9.5\n'


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("gpt-4.1", "10.5"),
        ("openai/gpt-4.1-mini", "2.1"),
        ("gpt-4.1-nano-2025-04-14", "0.525"),
        ("openai/gpt-4o", "13.75"),
        ("gpt-4o-mini", "0.825"),
        ("anthropic/claude-haiku-4-5", "6.1"),
    ],
)
def test_bundled_prices(model: str, cost: str) -> None:
    money, price = PriceBook.bundled(library=False).cost(model, MILLION)
    assert money is not None
    assert price is not None
    assert (money.amount, money.currency) == (Decimal(cost), "USD")
    assert price.price_version.startswith("judgemesh-")


@pytest.mark.parametrize(
    "model",
    [
        "hosted_vllm/gpt-4.1-mini",  # the same name behind another door
        "gpt-4o-2024-05-13",  # a dated name that the book does not list: it had another price
        "gpt-4.1-mini-2099-01-01",
        "openai/",
        "",
        "some-model-of-mine",
    ],
)
def test_what_the_book_does_not_say_is_unknown(model: str) -> None:
    assert PriceBook.bundled(library=False).cost(model, MILLION) == (None, None)


def test_the_library_prices_what_the_book_does_not() -> None:
    book = PriceBook.bundled()
    price = book.find("gpt-4o-2024-05-13")
    assert price is not None
    assert (price.price_input_per_million, price.price_output_per_million) == (
        Decimal(5),
        Decimal(15),
    )
    assert price.price_version.startswith("litellm-1.")
    for unknown in (
        "ollama/llama2",
        "hosted_vllm/qwen-of-mine",
        "openai/no-such-model",
        "whisper-1",
        "anthropic/gpt-4o-2024-05-13",
    ):
        assert book.find(unknown) is None, unknown


def test_a_price_is_kept_for_a_threshold_and_not_for_a_number_of_tokens() -> None:
    model = "gemini/gemini-2.5-pro"
    found = {library_price(model, tokens) for tokens in range(0, 400_000, 1000)}
    assert len({price and price.terms for price in found}) == len(found) == 2
    at, above = library_price(model, 200_000), library_price(model, 200_001)
    assert at is library_price(model, 0)
    assert above is library_price(model, 400_000)
    assert at is not above


def test_the_bundled_book_agrees_with_the_library() -> None:
    library = PriceBook(())
    for snapshot in {
        price.model_name: price for price in PriceBook.bundled().layers[0].values()
    }.values():
        other = library.find(snapshot.model_name)
        assert other is not None, snapshot.model_name
        for part in ("input", "output", "cached_input", "cache_write"):
            name = f"price_{part}_per_million"
            assert getattr(other, name) == getattr(snapshot, name), (
                snapshot.model_name,
                part,
            )


def test_long_contexts_have_their_own_price() -> None:
    book = PriceBook.bundled()
    short, long = (
        book.find("gemini/gemini-2.5-pro", input_tokens=count)
        for count in (200_000, 200_001)
    )
    assert short is not None
    assert long is not None
    assert long.price_input_per_million == 2 * short.price_input_per_million
    assert (
        book.cost("gemini/gemini-2.5-pro", Usage(input_tokens_uncached=300_000))[1]
        == long
    )


def test_a_price_file_of_ones_own_wins(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(OWN)
    book = PriceBook.bundled(user_file=path)
    for model in ("gpt-4.1-mini", "openai/gpt-4.1-mini", "hosted_vllm/gpt-4.1-mini"):
        price = book.find(model)
        assert price is not None
        assert (
            price.price_output_per_million,
            price.currency,
            price.price_version,
        ) == (
            Decimal("9.5"),
            "EUR",
            "mine-1",
        )
    assert book.find("gpt-4.1") == PriceBook.bundled().find("gpt-4.1")


def test_no_usage_no_cost() -> None:
    money, price = PriceBook.bundled().cost("gpt-4.1", None)
    assert money is None
    assert price is not None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = [", "is no TOML"),
        ('currency = "USD"\n[models.a]\ninput=1\noutput=1', "needs a version"),
        (OWN.replace("EUR", "euro"), "three capital letters"),
        (
            OWN.replace("output = 9.5", ""),
            "model 'gpt-4.1-mini': needs a price 'output'",
        ),
        (OWN.replace("9.5", "-1"), "output must be a number of 0 or more"),
        (OWN.replace("9.5", "nan"), "output must be a number of 0 or more"),
        (OWN.replace("9.5", "true"), "output must be a number of 0 or more"),
        (OWN.replace("9.5", '"free"'), "output must be a number of 0 or more"),
        (OWN + "per_token = 1\n", "unknown key 'per_token'"),
        (OWN + 'aliases = ["gpt-4.1-mini"]\n', "is priced twice"),
        (OWN + "aliases = 3\n", "aliases a list of text"),
        ('version = "1"\nmodels = 3\n', "at least one table"),
        ('version = "1"\nmodels.a = 3\n', "must be a table"),
        ('version = "1"\nprices = 3\n', "unknown key 'prices'"),
    ],
)
def test_a_broken_price_file_says_where(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_prices(text, where="mine.toml")
    assert says in str(caught.value)
    assert str(caught.value).startswith("mine.toml")


def test_a_missing_price_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        PriceBook.bundled(user_file=tmp_path / "none.toml")
