"""What must not be said."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.verdicts import Skipped
from judgemesh.validators.forbidden_content import forbidden_content

from .helpers import codes, kinds, make_case, refs, verdicts


def forbids(*entries: str) -> dict[str, Any]:
    """A contract that forbids the entries."""
    return {"success_criteria": {"must_not_include": list(entries)}}


@pytest.mark.parametrize(
    ("entry", "output", "ref"),
    [
        (
            "guaranteed return",
            {"final_answer": "fine\nGUARANTEED \n return"},
            "final_answer:L2",
        ),
        ("secret", {"outputs": {"a": [{"b": "my secret."}]}}, "outputs/a/0/b"),
        ("api_key", {"outputs": {"apiKey": "k-1"}}, "outputs/apiKey"),
        ("api_key", {"final_answer": "ok\nAPI key: k-1"}, "final_answer:L2"),
        ("secret", {"final_answer": "se\u200bcret"}, "final_answer:L1"),
        (
            "secret",
            {"final_answer": "\uff53\uff45\uff43\uff52\uff45\uff54"},
            "final_answer:L1",
        ),
        ("$$$", {"final_answer": "a$$$b"}, "final_answer:L1"),
        ("(a+)+$", {"final_answer": "see (a+)+$ here"}, "final_answer:L1"),
        ("password", {"final_answer": '{"password": "x"}'}, "final_answer/password"),
    ],
)
def test_found(entry: str, output: dict[str, Any], ref: str) -> None:
    reported = verdicts(forbidden_content, forbids(entry), {"output": output})
    assert codes(reported) == {C.SYSTEM_PROMPT_VIOLATION}
    assert ref in refs(reported)


@pytest.mark.parametrize(
    ("entry", "output"),
    [
        ("secret", {"final_answer": "the secretary"}),
        ("secret", {"final_answer": "topsecret_x"}),
        ("api_key", {"outputs": {"api_key": None}}),
        ("api_key", {"outputs": {"api_key_hint": "x"}}),
        ("ab", {"final_answer": "a" * 500_000}),
        ("secret", {}),
    ],
)
def test_not_found(entry: str, output: dict[str, Any]) -> None:
    assert kinds(verdicts(forbidden_content, forbids(entry), {"output": output})) == [
        "pass"
    ]


def test_codes_are_not_text() -> None:
    contract = forbids("Fabricated_Reference", "unsupported_claim")
    assert not forbidden_content.applies(make_case(contract, {}).contract)
    assert isinstance(
        verdicts(forbidden_content, contract, {"output": "fabricated_reference"})[0],
        Skipped,
    )


def test_forbidden_parts_of_actions() -> None:
    rules = {
        "required": True,
        "must_not_include": ["card_number", "action_not_executed"],
    }
    contract = {"success_criteria": {"execution_result": rules}}
    leaky = {
        "output": "ok",
        "actions": [{"kind": "pay", "parameters": {"cardNumber": "4111"}}],
    }
    assert refs(verdicts(forbidden_content, contract, leaky)) == [
        "actions/0/parameters/cardNumber"
    ]
    assert kinds(
        verdicts(
            forbidden_content, contract, {"output": "ok", "actions": [{"kind": "pay"}]}
        )
    ) == ["pass"]


@given(st.text("abcdefghxyzABCXYZ0123456789éß", min_size=8, max_size=60), st.sampled_from(["{}", "key={}.", "`{}`", "see {} there"]))  # fmt: skip
def test_text_in_base64_is_read(secret: str, around: str) -> None:
    for encode in (b64encode, urlsafe_b64encode):
        packed = encode(f"x {secret} y".encode()).decode()
        shown = {"final_answer": around.format(packed)}
        assert kinds(verdicts(forbidden_content, forbids(secret), {"output": shown})) == ["fail"]  # fmt: skip


@pytest.mark.parametrize("text", ["A/B/C/D/E/F/G/H/I/J/K", "0123456789abcdef" * 4, "thequickbrownfoxjumps", "=" * 40])  # fmt: skip
def test_what_is_no_base64_of_a_text_is_left_alone(text: str) -> None:
    assert kinds(verdicts(forbidden_content, forbids("secret"), {"output": text})) == ["pass"]  # fmt: skip
