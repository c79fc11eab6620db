"""A denied path is found in whatever spelling, argument and depth; an allowed one is never refused for its spelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.verdicts import Skipped
from judgemesh.validators.permissions import permissions
from judgemesh.validators.permissions.arguments import Role, role_of
from judgemesh.validators.permissions.overlap import expanded, overlaps

from .helpers import codes, verdicts

DENIED: Final = {
    "denied_paths": [
        "/patients/**",
        "s3://vault/legal/**",
        "https://intra.example/hr/**",
    ]
}
LOCAL: Final = "/patients/ward/7.json"
TARGETS: Final = (
    LOCAL,
    "s3://vault/legal/a.pdf",
    "https://intra.example/hr/pay?week=3",
)
Spelling = Callable[[str], str]


def _encoded(text: str) -> str:
    head, separator, rest = text.partition("://")
    if not separator:
        return quote(text, safe="/").replace("a", "%61")
    return f"{head}{separator}{rest.replace('l', '%6c').replace('h', '%68')}"


def _doubled(text: str) -> str:
    head, separator, rest = text.rpartition("://")
    return head + separator + rest.replace("/", "//")


def _dotted(text: str) -> str:
    folder, _, name = text.rpartition("/")
    return f"{folder}/x/../{name}"


def _here(text: str) -> str:
    folder, _, name = text.rpartition("/")
    return f"{folder}/./{name}"


def _shouted(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    return scheme.upper() + separator + rest if separator else text


def _as_file_url(text: str) -> str:
    return f"file://{text}" if text.startswith("/") else text


def _backslashes(text: str) -> str:
    return text if "://" in text else text.replace("/", "\\")


def _spaced(text: str) -> str:
    return f"  {text} "


SPELLINGS: Final[tuple[Spelling, ...]] = (
    str, _encoded, _doubled, _dotted, _here, _shouted, _as_file_url, _backslashes, _spaced,
)  # fmt: skip
NAMES: Final = (
    "path", "file", "output_path", "targetFile", "src", "dst", "source", "destination", "input", "url", "download_url",
    "key", "item", "name", "files", "attachments", "FilePath", "log-dir", "x",
)  # fmt: skip
COMMANDS: Final = (
    "cat {}",
    "rm -rf {}",
    "cp {} /tmp/x",
    "sort <{}",
    "curl -T {} host",
    "tool --in={}",
    "a && cat '{}'",
)


def nested_in(value: object, shape: str) -> dict[str, Any]:
    """An argument in one of the shapes that calls have."""
    shapes: dict[str, dict[str, Any]] = {
        "list": {"values": ["menus/a.txt", value]},
        "object": {"request": {"options": value}},
        "list of objects": {"steps": [{"op": "read"}, {"op": "read", "what": value}]},
        "plain": {"what": value},
    }
    return shapes[shape]


def found(spec: dict[str, Any], arguments: dict[str, Any]) -> set[C]:
    result = {"output": "x", "trace": [{"tool_name": "do", "arguments": arguments}]}
    return codes(verdicts(permissions, {"sop": {"permissions": spec}}, result))


@given(
    st.sampled_from(TARGETS),
    st.lists(st.sampled_from(SPELLINGS), max_size=3),
    st.sampled_from(NAMES),
    st.sampled_from(["plain", "list", "object", "list of objects"]),
)
def test_every_spelling_of_a_denied_path_is_found(
    target: str, spellings: list[Spelling], name: str, shape: str
) -> None:
    text = target
    for spelling in spellings:
        text = spelling(text)
    assert found(DENIED, {name: text}) == {C.UNAUTHORIZED_ACTION}
    assert found(DENIED, nested_in(text, shape)) == {C.UNAUTHORIZED_ACTION}
    assert found(DENIED, nested_in({name: text}, shape)) == {C.UNAUTHORIZED_ACTION}


@given(
    st.sampled_from(TARGETS),
    st.sampled_from([str, _doubled, _dotted, _here, _shouted]),
    st.sampled_from(COMMANDS),
    st.sampled_from(["cmd", "command", "shell_command", "script", "code", "args"]),
)
def test_a_command_that_names_it_is_found(
    target: str, spelling: Spelling, command: str, name: str
) -> None:
    text = command.format(spelling(target))
    assert found(DENIED, {name: text}) == {C.UNAUTHORIZED_ACTION}
    assert found(DENIED, {name: text.split()}) == {C.UNAUTHORIZED_ACTION}


WORDS = st.sampled_from(
    [
        "please",
        "open",
        "the",
        "folder",
        "for",
        "us",
        "today",
        "and",
        "tell",
        "me",
        "more",
    ]
)


@given(
    st.lists(WORDS, min_size=3, max_size=9),
    st.sampled_from(
        ["message", "body", "content", "note", "email_body", "file_content"]
    ),
)
def test_a_text_that_mentions_it_is_no_access(words: list[str], name: str) -> None:
    text = " ".join([*words, LOCAL, *words])
    assert found(DENIED, {name: text}) == set()


SEGMENTS = st.text("abcdefg0123456789_-", min_size=1, max_size=6)


@given(
    st.lists(SEGMENTS, min_size=1, max_size=4),
    st.sampled_from(NAMES),
    st.sampled_from([_doubled, _here, str, _spaced]),
)
def test_what_is_allowed_is_never_refused_for_its_spelling(
    parts: list[str], name: str, spelling: Spelling
) -> None:
    path = spelling("/".join(["data", *parts, "a.csv"]))
    spec = {"paths": ["data/**"], "denied_paths": ["data/private/**"]}
    if parts[0] != "private":
        assert found(spec, {name: path}) == set()
    assert found(spec, {"path": f"../{path.strip()}"}) == {C.UNAUTHORIZED_ACTION}


@given(st.lists(SEGMENTS, min_size=1, max_size=4), st.data())
def test_a_path_overlaps_with_every_pattern_made_of_it(
    parts: list[str], data: st.DataObject
) -> None:
    def loosened() -> tuple[str, ...]:
        pattern: list[str] = []
        for part in parts:
            choices = [part, "*", f"{part[0]}*", f"*{part[-1]}", "**"]
            pattern.append(data.draw(st.sampled_from(choices)))
        return tuple(pattern)

    assert overlaps(loosened(), loosened())
    assert overlaps((*loosened(), "below"), loosened())


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        (("data", "*.csv"), ("data", "private", "**"), False),
        (("data", "**", "x.csv"), ("data", "private", "**"), True),
        (("*.csv",), ("**", "*.key"), False),
        (("d?ta", "x"), ("data", "**"), True),
        (("d[ai]ta", "x"), ("data", "**"), True),
        (("data",), ("data", "private", "**"), False),
    ],
)
def test_overlaps(left: tuple[str, ...], right: tuple[str, ...], common: bool) -> None:
    assert overlaps(left, right) is common


def test_braces_are_expanded_within_bounds() -> None:
    assert sorted(expanded("/{a,b}/{c,d}")) == ["/a/c", "/a/d", "/b/c", "/b/d"]
    assert len(expanded("{a,b}" * 40)) <= 66


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("path", Role.PATH),
        ("filePath", Role.PATH),
        ("output_file_name", Role.PATH),
        ("logfile", Role.PATH),
        ("targetDirectory", Role.PATH),
        ("file_type", Role.TEXT),
        ("profile", Role.OTHER),
        ("src", Role.LIKELY),
        ("image_url", Role.LIKELY),
        ("callback_url", Role.OTHER),
        ("destination", Role.MAYBE),
        ("path_id", Role.MAYBE),
        ("cmd", Role.COMMAND),
        ("sql", Role.CODE),
        ("email_body", Role.TEXT),
        ("amount", Role.OTHER),
        ("", Role.OTHER),
    ],
)
def test_what_the_name_of_an_argument_says(name: str, role: Role) -> None:
    assert role_of(name) is role


@pytest.mark.parametrize(
    "text",
    [
        "/" * 200_000,
        "s/" * 100_000,
        "{a,b}" * 20_000,
        "*/" * 50_000,
        "%25" * 100_000,
        "a b " * 100_000,
        "1/2," * 50_000,
        "x" * 1_000_000,
        "~/" + "../" * 50_000,
    ],
)
@pytest.mark.parametrize("name", ["path", "cmd", "x", "source", "code"])
def test_long_texts_cost_little(name: str, text: str) -> None:
    spec = {"paths": ["data/**"], "denied_paths": ["data/private/**", "*.key"]}
    assert found(spec, {name: text}) <= {C.UNAUTHORIZED_ACTION}
    # However long a text is, a denied path beside it is seen.
    both = {name: text, "path": "data/private/list.csv"}
    assert found(spec, both) == {C.UNAUTHORIZED_ACTION}


@pytest.mark.parametrize(
    ("spec", "covered"),
    [
        ({}, False),
        ({"gate": False}, False),
        ({"denied_paths": []}, False),
        ({"tools": []}, True),
        ({"paths": []}, True),
        ({"denied_paths": ["/x"]}, True),
        ({"arguments": [{"tool": "t", "arguments": {"a": 1}}]}, True),
    ],
)
def test_permissions_that_limit_nothing_say_nothing(
    spec: dict[str, Any], covered: bool
) -> None:
    contract = {"sop": {"permissions": spec}}
    result = {"output": "x", "trace": [{"tool_name": "t", "arguments": {"a": 1}}]}
    (verdict,) = verdicts(permissions, contract, result)
    assert isinstance(verdict, Skipped) is not covered
    agreed = EvalContract.model_validate({"task_id": "t", **contract})
    assert permissions.codes_under(agreed) == (
        {C.UNAUTHORIZED_ACTION} if covered else set()
    )
