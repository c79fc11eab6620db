"""Other frames that say the same: `costs 90 EUR`, `the price is 90 EUR`; `has a fee of 5 EUR`, `fee: 5 EUR`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from judgemesh.validators.claims.language.frame_words import (
    AGENT_NOUNS,
    CHANGES,
    DIMENSION_NAMES,
    ERGATIVES,
    MEASURES,
    MOVABLE,
    ROLES,
    SAME_PROPERTY,
)
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.support.frame_phrases import Tokens
from judgemesh.validators.claims.support.frames import Frame, frames_of

_OF: Final = Token(Kind.WORD, "of", "of")
_CURRENCIES: Final = frozenset(
    {"usd", "eur", "gbp", "chf", "jpy", "dkk", "sek", "nok", "pln", "inr", "aud", "cad", "nzd", "cny", "hkd", "sgd",
     "brl", "mxn", "zar", "try", "krw", "czk", "huf", "cent"}
)  # fmt: skip


def forms_of(frame: Frame) -> Iterator[Frame]:
    """The frame and, where it gives a value, the frame `it has a P of V`."""
    yield frame
    yield from _measures(frame)
    yield from _values(frame)
    yield from _there_is(frame)
    if frame.verb == "carry" and "of" in [token.key for token in frame.object]:
        yield replace(frame, verb="have")
    for rule in (_role, _opened, _required_for, _moved_phrase, _adjective):
        other = rule(frame)
        if other is not None:
            yield other
    yield from _changed(frame)


def label_frames(tokens: Tokens) -> Iterator[Frame]:
    """What `annual fee: 95 EUR` may state: the value of a property of what is spoken of, a price, or a number."""
    keys = [token.key for token in tokens]
    if keys.count(":") != 1:
        return
    place = keys.index(":")
    key, value = tokens[:place], tokens[place + 1 :]
    if not key or not value or any(token.kind is Kind.MARK for token in key):
        return
    if _is_value(value[:1]):
        yield _has((), key, value[0], _phrases(value[1:]))
        if _is_price(value[0]):
            yield _has(key, _named("price"), value[0], _phrases(value[1:]))
        if _is_bare_number(value[0]) and len(value) == 1:
            yield Frame((), "have", object=(value[0], *key))
    be = Token(Kind.WORD, "be", "is")
    yield from frames_of((*key, be, *value))


def _phrases(tokens: Tokens) -> tuple[Tokens, ...]:
    return (tokens,) if tokens else ()


def _named(word: str) -> Tokens:
    return (Token(Kind.WORD, word, word),)


def _is_value(tokens: Tokens) -> bool:
    return len(tokens) == 1 and tokens[0].kind in (Kind.NUMBER, Kind.DAY, Kind.CLOCK)


def _is_price(token: Token) -> bool:
    return token.quantity is not None and token.quantity.unit in _CURRENCIES


def _is_bare_number(token: Token) -> bool:
    return token.quantity is not None and not token.quantity.unit


def _has(
    owner: Tokens, name: Tokens, value: Token, phrases: tuple[Tokens, ...]
) -> Frame:
    shown = tuple(
        replace(token, key=SAME_PROPERTY.get(token.key, token.key)) for token in name
    )
    return Frame(owner, "have", object=(*shown, _OF, value), phrases=phrases)


def _measures(frame: Frame) -> Iterator[Frame]:
    """`The pump weighs 5 kg`, `The bridge is 50 m long`, `The ticket is $5`."""
    if frame.modal or frame.tense or frame.negated or not frame.object:
        return
    first, rest = frame.object[0], frame.object[1:]
    if first.kind is not Kind.NUMBER:
        return
    if frame.verb in MEASURES and not rest:
        yield _has(frame.agent, _named(MEASURES[frame.verb]), first, frame.phrases)
    if frame.verb == "be" and len(rest) == 1 and rest[0].key in DIMENSION_NAMES:
        name = _named(DIMENSION_NAMES[rest[0].key])
        yield _has(frame.agent, name, first, frame.phrases)
    if frame.verb == "be" and not rest and _is_price(first):
        yield _has(frame.agent, _named("price"), first, frame.phrases)
    is_staff = len(rest) == 1 and rest[0].key in (
        "people",
        "employee",
        "staff",
        "worker",
    )
    if frame.verb in ("employ", "have") and is_staff:
        counted = (first, Token(Kind.WORD, "employee", "employees"))
        if frame.verb == "employ" or rest[0].key != "people":
            yield replace(frame, verb="have", object=counted)


def _values(frame: Frame) -> Iterator[Frame]:
    """`The fee of the card is 5 EUR`, `The card's fee is 5 EUR`, `The fee is 5 EUR`."""
    if frame.verb != "be" or frame.modal or frame.tense or frame.negated:
        return
    value = frame.object
    if not _is_value(value):
        return
    subject = frame.agent
    keys = [token.key for token in subject]
    if "of" in keys[1:-1]:
        place = keys.index("of")
        yield _has(subject[place + 1 :], subject[:place], value[0], frame.phrases)
        return
    for index, token in enumerate(subject[:-1]):
        if token.key.endswith("'s"):
            owner = replace(token, key=token.key[:-2], text=token.text[:-2])
            owners = (*subject[:index], owner)
            yield _has(owners, subject[index + 1 :], value[0], frame.phrases)
            return
    if subject[0].article == "the":
        yield _has((), subject, value[0], frame.phrases)


def _there_is(frame: Frame) -> Iterator[Frame]:
    """`There are 640 pupils at the school`, `There is a fee of 5 EUR for the card`."""
    if [token.key for token in frame.agent] != ["there"] or frame.verb != "be":
        return
    for index, phrase in enumerate(frame.phrases):
        if phrase[0].key in ("at", "in", "for", "on") and len(phrase) > 1:
            rest = (*frame.phrases[:index], *frame.phrases[index + 1 :])
            yield replace(frame, agent=phrase[1:], verb="have", phrases=rest)


def _role(frame: Frame) -> Frame | None:
    """`The founder of the museum is Ann Lee` as `Ann Lee founded the museum`, `The depot manager is Ann Lee`."""
    if frame.verb != "be" or frame.modal or frame.negated or not frame.object:
        return None
    name, role = frame.object, frame.agent
    if all(token.is_capital for token in role):
        name, role = role, name
    if not all(token.is_capital and token.kind is Kind.WORD for token in name):
        return None
    noun, owner = _owned(role)
    if not owner:
        return None
    if noun[-1].key in AGENT_NOUNS and len(noun) == 1:
        verb = AGENT_NOUNS[noun[-1].key]
        return Frame(name, verb, "", "past", object=owner, phrases=frame.phrases)
    return replace(frame, agent=name, object=(*noun, _OF, *owner))


def _owned(role: Tokens) -> tuple[Tokens, Tokens]:
    """A role and whose it is: `the head of the ward`, `the ward's head`, `the depot manager`."""
    keys = [token.key for token in role]
    if "of" in keys[1:-1]:
        place = keys.index("of")
        return role[:place], role[place + 1 :]
    for index, token in enumerate(role[:-1]):
        if token.key.endswith("'s"):
            owner = replace(token, key=token.key[:-2], text=token.text[:-2])
            return role[index + 1 :], (*role[:index], owner)
    if len(role) > 1 and role[-1].key in ROLES and role[0].article == "the":
        return role[-1:], role[:-1]
    return role, ()


def _opened(frame: Frame) -> Frame | None:
    """`The bridge opened in 1998` as `The bridge was opened in 1998`."""
    if frame.verb not in ERGATIVES or frame.object or not frame.agent or frame.passive:
        return None
    return replace(frame, agent=(), object=frame.agent, passive=True)


def _required_for(frame: Frame) -> Frame | None:
    """`Consent is required for subletting` as `Subletting requires consent`."""
    if frame.verb != "require" or not frame.passive or frame.agent or frame.negated:
        return None
    for index, phrase in enumerate(frame.phrases):
        if phrase[0].key == "for" and len(phrase) > 1:
            rest = (*frame.phrases[:index], *frame.phrases[index + 1 :])
            return replace(frame, agent=phrase[1:], phrases=rest, passive=False)
    return None


def _moved_phrase(frame: Frame) -> Frame | None:
    """`Swimming near the dam is forbidden` as `Swimming is forbidden near the dam`."""
    subject = frame.object if frame.passive else frame.agent
    for index, token in enumerate(subject):
        if index and token.key in MOVABLE and token.kind is Kind.WORD:
            phrases = (*frame.phrases, subject[index:])
            if frame.passive:
                return replace(frame, object=subject[:index], phrases=phrases)
            if frame.verb == "be":
                return replace(frame, agent=subject[:index], phrases=phrases)
    return None


def _adjective(frame: Frame) -> Frame | None:
    """`has a two-year warranty` as `has a warranty of two years`."""
    if frame.verb != "have" or len(frame.object) < 2 or len(frame.object) > 3:
        return None
    first, rest = frame.object[0], frame.object[1:]
    if first.quantity is None or not first.quantity.unit or rest[0].key == "of":
        return None
    if any(token.kind is not Kind.WORD or token.key == "and" for token in rest):
        return None
    return replace(frame, object=(*rest, _OF, first))


def _changed(frame: Frame) -> Iterator[Frame]:
    """`rose from 3 in 2022 to 5 in 2023` as `was 3 in 2022` and `was 5 in 2023`."""
    phrases = frame.phrases
    if frame.verb not in CHANGES or len(phrases) != 4 or frame.object:
        return
    keys = (phrases[0][0].key, phrases[2][0].key)
    if keys != ("from", "to") or frame.negated:
        return
    for value, time in (phrases[:2], phrases[2:]):
        if len(value) == 2 and time[0].is_time:
            yield replace(frame, verb="be", object=value[1:], phrases=(time,))
