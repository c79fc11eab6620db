"""Other ways to say the same sentence: active and passive, `the plant's director` and `the director of the plant`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import (
    CHANGES_MEANING,
    PREPOSITIONS,
    is_verb,
    past_of,
    present_of,
)

Tokens = tuple[Token, ...]
_MAX_AGENT_TOKENS: Final = 8
_OF: Final = Token(Kind.WORD, "of", "of")


def readings_of(tokens: Tokens) -> Iterator[Tokens]:
    """The tokens, and what they say in the active voice or with `of` in place of a possessive."""
    seen = {tokens}
    yield tokens
    for reword in (_active, _with_of, _without_do, _turned):
        reading = reword(tokens)
        if reading is not None and reading not in seen:
            seen.add(reading)
            yield reading


def possessive(owner: Tokens) -> Tokens:
    """`the plant` as `the plant's`."""
    last = owner[-1]
    if last.key.endswith("'s"):
        return owner
    return (*owner[:-1], replace(last, key=f"{last.key}'s", text=f"{last.text}'s"))


def _active(tokens: Tokens) -> Tokens | None:
    """`The form was signed by Anna on Monday` as `Anna signed the form on Monday`."""
    keys = [token.key for token in tokens]
    if "by" not in keys:
        return None
    by = keys.index("by")
    for index in range(1, by - 0):
        if (
            keys[index] not in ("be", "was")
            or index + 1 >= by
            or not keys[index + 1].endswith("+ed")
        ):
            continue
        verb = tokens[index + 1]
        end = _end_of_phrase(tokens, by + 1)
        agent, subject = tokens[by + 1 : end], tokens[:index]
        if not agent or any(token.kind is not Kind.WORD for token in agent):
            return None
        if keys[index] == "be":
            verb = replace(verb, key=present_of(verb.key), text="")
        return (
            *agent,
            replace(verb, text=""),
            *subject,
            *tokens[index + 2 : by],
            *tokens[end:],
        )
    return None


def _turned(tokens: Tokens) -> Tokens | None:
    """`The head of the ward is Ann Lee` as `Ann Lee is the head of the ward`: a name, and what only one thing is."""
    places = [index for index, token in enumerate(tokens) if token.key in ("be", "was")]
    if len(places) != 1 or not 0 < places[0] < len(tokens) - 1:
        return None
    (place,) = places
    left, right = tokens[:place], tokens[place + 1 :]
    if any(
        token.kind is not Kind.WORD or token.key in CHANGES_MEANING for token in tokens
    ):
        return None
    is_unique = left[0].article == "the" and "of" in [token.key for token in left]
    if is_unique and all(token.is_capital for token in right):
        return (*right, tokens[place], *left)
    return None


def _end_of_phrase(tokens: Tokens, start: int) -> int:
    """Where a noun phrase ends: before a preposition (but `of`), a verb, a date or punctuation."""
    for index in range(start, min(len(tokens), start + _MAX_AGENT_TOKENS)):
        token = tokens[index]
        if token.kind is not Kind.WORD or (
            token.key in PREPOSITIONS and token.key != "of"
        ):
            return index
    return min(len(tokens), start + _MAX_AGENT_TOKENS)


def _with_of(tokens: Tokens) -> Tokens | None:
    """`The plant's new director resigned` as `the new director of the plant resigned`."""
    for index, token in enumerate(tokens[:6]):
        if token.kind is Kind.WORD and token.key.endswith("'s"):
            owner = (
                *tokens[:index],
                replace(token, key=token.key[:-2], text=token.text[:-2]),
            )
            for verb in range(index + 2, min(len(tokens), index + 6)):
                if is_verb(tokens[verb].key) and tokens[verb].kind is Kind.WORD:
                    return (*tokens[index + 1 : verb], _OF, *owner, *tokens[verb:])
            return None
        if token.kind is not Kind.WORD or token.key in PREPOSITIONS:
            return None
    return None


def _without_do(tokens: Tokens) -> Tokens | None:
    """`did not open` as `not opened`, `does not open` as `not opens`."""
    for index in range(len(tokens) - 2):
        if tokens[index].key in ("do", "did") and tokens[index + 1].key in (
            "not",
            "never",
        ):
            verb = tokens[index + 2]
            key = past_of(verb.key) if tokens[index].key == "did" else verb.key
            if key:
                changed = replace(verb, key=key, text="")
                return (
                    *tokens[:index],
                    tokens[index + 1],
                    changed,
                    *tokens[index + 3 :],
                )
    return None
