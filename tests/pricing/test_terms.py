"""Who sells a model, and under which conditions a price holds."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.price_file import parse_prices
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.pricing.providers import price_names, provider_at

TERMS = """
version = "mine-1"
[models."m"]
provider = "acme"
input = 2
output = 8
terms = [
    { tier = "batch", input = 1, output = 4 },
    { above_tokens = 200_000, input = 4, output = 12 },
    { tier = "batch", above_tokens = 200_000, input = 3, output = 6 },
    { until = 2025-06-10, input = 10, output = 40 },
]
"""


@pytest.mark.parametrize(
    ("provider", "model", "listed"),
    [
        ("mistral_ai", "mistral-large-latest", "mistral/mistral-large-latest"),
        ("x_ai", "grok-4.3", "xai/grok-4.3"),
        ("ibm.watsonx.ai", "ibm/granite-3-8b-instruct", None),
        ("gcp.vertex_ai", "claude-sonnet-4-5-20250929", None),
        ("gcp.gemini", "models/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("azure.ai.openai", "gpt-4.1-mini", "azure/gpt-4.1-mini"),
        ("openai.responses", "gpt-4.1-mini", "openai/gpt-4.1-mini"),
        ("aws.bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", None),
        (
            "aws.bedrock",
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            None,
        ),
        ("cohere", "rerank-v3.5", None),
    ],
)
def test_every_name_of_a_provider_finds_its_price(
    provider: str, model: str, listed: str | None
) -> None:
    book = PriceBook.bundled()
    price = book.find(price_names(provider, model)[0])
    assert price is not None
    if listed is not None:
        other = book.find(listed)
        assert other is not None
        assert price.price_input_per_million == other.price_input_per_million


@pytest.mark.parametrize("provider", ["ollama", "vllm", "hosted_vllm", "lm_studio"])
def test_a_server_of_ones_own_never_has_the_price_of_the_api(provider: str) -> None:
    book = PriceBook.bundled()
    for name in price_names(provider, "gpt-4o-mini"):
        assert book.find(name) is None


@pytest.mark.parametrize(
    ("address", "provider"),
    [
        ("http://127.0.0.1:8000/v1", "local"),
        ("localhost", "local"),
        ("10.1.2.3:8000", "local"),
        ("[::1]:8000", "local"),
        ("api.openai.com", "openai"),
        ("https://api.deepseek.com/v1", "deepseek"),
        ("my-team.openai.azure.com", "azure"),
        ("llm.example.org", "openai"),
        ("", "openai"),
        ("http://[", "openai"),
    ],
)
def test_the_address_says_who_serves(address: str, provider: str) -> None:
    assert provider_at("openai", address) == provider


@pytest.mark.parametrize(
    ("tokens", "tier", "day", "amount", "terms"),
    [
        (10, "", None, 2, ""),
        (10, "default", None, 2, ""),
        (10, "batch", None, 1, "batch"),
        (200_000, "", None, 2, ""),
        (200_001, "", None, 4, "above_200k"),
        (200_001, "batch", None, 3, "batch_above_200k"),
        (10, "", date(2025, 6, 9), 10, "until_2025-06-10"),
        (10, "", date(2025, 6, 10), 2, ""),
    ],
)
def test_the_price_with_the_narrowest_conditions(
    tmp_path: Path, tokens: int, tier: str, day: date | None, amount: int, terms: str
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(TERMS)
    book = PriceBook.bundled(user_file=path)
    price = book.find("acme/m", input_tokens=tokens, service_tier=tier, day=day)
    assert price is not None
    assert (price.price_input_per_million, price.terms) == (Decimal(amount), terms)


def test_the_bundled_prices_leave_tiers_to_the_library() -> None:
    book = PriceBook.bundled()
    for tier, amount in (("", 2), ("flex", 1), ("priority", "3.5"), ("batch", 1)):
        price = book.find("openai/o3", service_tier=tier)
        assert price is not None
        assert price.price_input_per_million == Decimal(amount)
        assert price.terms == tier
    before = book.find("openai/o3", day=date(2025, 5, 1))
    assert before is not None
    assert before.price_output_per_million == 40


def test_a_cache_write_for_an_hour_and_a_search_have_prices_of_their_own() -> None:
    usage = Usage(
        input_tokens_cache_write=1_000_000,
        input_tokens_cache_write_1h=400_000,
        searches=3,
    )
    money, _ = PriceBook.bundled(library=False).cost("claude-sonnet-4-5", usage)
    assert money is not None
    assert money.amount == Decimal("2.25") + Decimal("2.4") + Decimal("0.03")


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ("terms = 3", "must be an array of tables"),
        ("terms = [3]", "must be an array of tables"),
        ("terms = [{ input = 1, output = 1 }]", "names no condition"),
        ('terms = [{ tier = "slow", input = 1, output = 1 }]', "unknown tier 'slow'"),
        ('terms = [{ tier = "flex", input = 1 }]', "needs a price 'output'"),
        ("terms = [{ above_tokens = 0, input = 1, output = 1 }]", "above 0"),
        ('terms = [{ until = "2026", input = 1, output = 1 }]', "must be a date"),
    ],
)
def test_broken_terms_say_where(terms: str, says: str) -> None:
    text = f'version = "1"\n[models.m]\ninput = 1\noutput = 1\n{terms}\n'
    with pytest.raises(ConfigError, match=says) as caught:
        parse_prices(text, where="mine.toml")
    assert str(caught.value).startswith("mine.toml: model 'm': terms")
