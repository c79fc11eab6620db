from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.redaction import (
    MASK,
    Redactor,
    names_secret,
    safe_address,
    secrets_of_address,
    secrets_of_environment,
)


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("http://h/v1", "http://h/v1"),
        ("http://u:secret@h:8/v1", "http://u:***@h:8/v1"),
        ("http://secret@h/v1", "http://***@h/v1"),
        ("http://h/v1?api-key=secret&v=2", "http://h/v1?api-key=***&v=2"),
        ("http://h/v1?v=2&access_token=secret#a", "http://h/v1?v=2&access_token=***#a"),
        ("postgresql+psycopg://u:secret@h/db", "postgresql+psycopg://u:***@h/db"),
        ("oracle+cx_oracle://u:secret@h/d", "oracle+cx_oracle://u:***@h/d"),
        ("sqlite:///ledger.db", "sqlite:///ledger.db"),
        ("ledger.db", "ledger.db"),
        ("http://[bad", "http://[bad"),
        ("http://h/?monkey=1", "http://h/?monkey=1"),
    ],
)
def test_an_address_without_its_secrets(address: str, safe: str) -> None:
    assert safe_address(address) == safe
    assert safe_address(safe) == safe


def test_the_secrets_of_an_address() -> None:
    address = "http://user:pass%20word@h/v1?api-key=k1&v=2&sig=k2"
    assert secrets_of_address(address) >= {"k1", "k2"}
    assert secrets_of_address("http://token@h/") == {"token"}
    assert secrets_of_address("ledger.db") == frozenset()


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("api-key", True),
        ("X-Auth-Token", True),
        ("apikey", True),
        ("PGPASSWORD", True),
        ("monkey", False),
        ("keyboard", False),
        ("max_tokens", False),
    ],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert names_secret(name) is secret


@given(st.text(), st.text(), st.text(alphabet="abcdef0123456789", min_size=6))
def test_no_known_secret_is_left(before: str, after: str, secret: str) -> None:
    redactor = Redactor([secret])
    assert secret not in redactor.text(f"{before}{secret}{after}")
    data = redactor.data({secret: [f"{before}{secret}", {"a": secret}], "n": 1})
    assert secret not in repr(data)


def test_short_values_are_left() -> None:
    assert Redactor(["yes", " "]).text("yes or no") == "yes or no"
    assert not Redactor(["yes"])


def test_an_encoded_secret_is_found_and_the_redactor_shows_none() -> None:
    redactor = Redactor(["key/with+signs"])
    assert redactor.text("?k=key%2Fwith%2Bsigns") == f"?k={MASK}"
    assert "key" not in repr(redactor)


def test_the_environment() -> None:
    environment = {"A_API_KEY": "one-secret", "HOME": "/root", "B_TOKEN": ""}
    assert secrets_of_environment(environment) == {"one-secret"}


@given(st.text('abc"\\\n\u00e9', min_size=6, max_size=9), st.text("xyz\n", max_size=4))
def test_a_secret_is_found_in_data_however_json_writes_it(
    secret: str, around: str
) -> None:
    held = {"a": [1, None, {around + secret: f"{around}{secret}{around}"}]}
    redactor = Redactor([secret])
    clean = redactor.data(held)
    for text in clean["a"][2].popitem():
        assert not redactor or secret.strip() not in text


def test_data_without_a_secret_is_the_same_object() -> None:
    held: dict[str, object] = {"prompt_tokens": 3, "details": {"cached_tokens": 0}}
    assert Redactor(["sk-secret"]).data(held) is held
    held["details"] = {"loop": held}
    assert Redactor(["sk-secret"]).data(held)["prompt_tokens"] == 3
