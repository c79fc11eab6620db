"""A clause as a frame: who does what to what, and the phrases around it, whose order means nothing.

`Refunds are paid to the card within 5 days` and `Within 5 days, the shop pays refunds to the card` have frames that
agree. Nothing is left out of a frame: two frames that agree say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from judgemesh.validators.claims.language.frame_words import (
    HELPERS,
    IDLE_OWNERS,
    MODALS,
    PAST_HELPERS,
    SAME_MODAL,
    SAME_VERB,
)
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import (
    PREPOSITIONS,
    SPARE_IN_CLAIM,
    TITLES,
    is_verb,
)
from judgemesh.validators.claims.support.frame_phrases import (
    Tokens,
    pieces_of,
    split_phrases,
    without_marks,
)

_OF: Final = Token(Kind.WORD, "of", "of")
_ONLY: Final = Token(Kind.WORD, "only", "only")
_MAX_VERBS: Final = 3
_MAX_TOKENS: Final = 60


@dataclass(frozen=True, slots=True)
class Frame:
    """A clause: its agent (none in a passive that names none), verb, object, and the phrases around it."""

    agent: Tokens
    verb: str
    modal: str = ""
    tense: str = ""
    negated: bool = False
    object: Tokens = ()
    phrases: tuple[Tokens, ...] = ()
    passive: bool = False

    @property
    def kind(self) -> tuple[str, str, str, bool]:
        """What two frames must share before anything else is compared."""
        return self.verb, self.modal, self.tense, self.negated


@lru_cache(maxsize=8_192)
def frames_of(core: Tokens, front: Tokens = ()) -> tuple[Frame, ...]:
    """The frames of a clause with the phrase in front of it: one for each word that may be its verb."""
    if not 1 < len(core) <= _MAX_TOKENS:
        return ()
    core = tuple(token for token in core if _counts(token))
    if any(token.key == '"' for token in core):
        return ()
    moved = _moved_front(core)
    if moved and not front:
        front, core = core[:moved], core[moved:]
    found: list[Frame] = []
    order = _imperative(core, front)
    if order is not None:
        found.append(order)
    for place in _verb_places(core):
        frame = _frame(core, place, front)
        if frame is not None and frame not in found:
            found.append(frame)
    return tuple(found)


def _moved_front(core: Tokens) -> int:
    """Where the subject begins behind a phrase without a comma: `On weekdays the clinic ...`."""
    first = core[0] if core else _OF
    if (
        first.key not in PREPOSITIONS
        or first.kind is not Kind.WORD
        or first.key == "of"
    ):
        return 0
    for index in range(2, min(len(core), 6)):
        if core[index].article and core[index - 1].key not in PREPOSITIONS:
            return index
    return 0


def _counts(token: Token) -> bool:
    if token.kind is Kind.MARK:
        return token.key in (",", ":", '"')
    if token.key in SPARE_IN_CLAIM or token.key in TITLES:
        return False
    return token.key not in IDLE_OWNERS


def _imperative(tokens: Tokens, front: Tokens) -> Frame | None:
    """`Bake the bread at 230 °C`: the bread is baked at 230 °C."""
    if len(tokens) < 3 or tokens[0].article or "+ed" in tokens[0].key:
        return None
    given = tokens[1].article or tokens[1].kind is Kind.NUMBER
    if not is_verb(tokens[0].key) or tokens[0].key in HELPERS or not given:
        return None
    ends = [i for i, token in enumerate(tokens) if token.kind is Kind.MARK]
    end = next(
        (i for i in ends if tokens[i + 1 : i + 2] and tokens[i + 1].key == "then"), None
    )
    object_, phrases = pieces_of(tokens[1:end])
    if not object_:
        return None
    verb = SAME_VERB.get(tokens[0].key, tokens[0].key)
    phrases = (*phrases, *split_phrases(front))
    return Frame((), verb, object=with_of(object_), phrases=phrases, passive=True)


def with_of(tokens: Tokens) -> Tokens:
    """`the drill's battery` as `the battery of the drill`."""
    for index, token in enumerate(tokens[:-1]):
        if token.kind is Kind.WORD and token.key.endswith("'s"):
            owner = replace(token, key=token.key[:-2], text=token.text[:-2])
            return (*tokens[index + 1 :], _OF, *tokens[:index], owner)
    return tokens


def _verb_places(tokens: Tokens) -> list[int]:
    places: list[int] = []
    for index, token in enumerate(tokens):
        if not index or token.kind is not Kind.WORD or token.article:
            continue
        if not is_verb(token.key) or (token.is_capital and not token.text.isupper()):
            continue
        places.append(index)
        if token.key in HELPERS:
            break
    return places[:_MAX_VERBS]


class _Group(NamedTuple):
    """The verb of a clause with its helpers, and where what follows it begins."""

    main: str
    helpers: list[str]
    negated: bool
    only: bool
    end: int


def _group(tokens: Tokens, place: int) -> _Group | None:
    helpers: list[str] = []
    said: set[str] = set()
    index = place
    while index < len(tokens) and tokens[index].kind is Kind.WORD:
        key = tokens[index].key
        if key in ("not", "never", "only"):
            said.add(key)
        elif key in HELPERS and not (key == "have" and helpers[-1:] == ["have"]):
            helpers.append(key)
        else:
            break
        index += 1
    main = tokens[index].key if index < len(tokens) else ""
    takes = bool(main) and is_verb(main) and tokens[index].kind is Kind.WORD
    serves = not helpers or helpers[-1] in MODALS | {"do", "did"} or "+ed" in main
    if takes and serves:
        index += 1
    elif helpers and helpers[-1] not in MODALS:
        main = helpers.pop()
    else:
        return None
    negated = not said.isdisjoint(("not", "never"))
    return _Group(main, helpers, negated, "only" in said, index)


def _frame(tokens: Tokens, place: int, front: Tokens) -> Frame | None:
    subject = without_marks(tokens[:place])
    group = _group(tokens, place)
    pieces = group and _arguments(tokens[group.end :], only=group.only)
    if not subject or any(map(_is_no_subject, tokens[:place])):
        return None
    if group is None or pieces is None:
        return None
    object_, phrases = pieces
    negated = group.negated
    if object_[:1] and object_[0].key == "no":
        negated, object_ = True, object_[1:]
    if subject[0].key == "no":
        negated, subject = True, subject[1:]
    helpers, main = group.helpers, group.main
    frame = Frame(
        with_of(subject),
        _base_of(main),
        next((SAME_MODAL.get(key, key) for key in helpers if key in MODALS), ""),
        _tense_of(main, helpers),
        negated,
        with_of(object_),
        (*phrases, *split_phrases(front)),
    )
    is_passive = "+ed" in main and helpers[-1:] in (["be"], ["was"], ["been"])
    return _from_passive(frame) if is_passive else frame


def _is_no_subject(token: Token) -> bool:
    return token.kind is Kind.MARK or token.key in ("not", "never", "only")


def _base_of(main: str) -> str:
    base = main.removesuffix("+ed")
    base = {"was": "be", "been": "be", "had": "have", "did": "do"}.get(base, base)
    return SAME_VERB.get(base, base)


def _tense_of(main: str, helpers: Sequence[str]) -> str:
    past = not PAST_HELPERS.isdisjoint({*helpers, main}) or "have" in helpers
    return "past" if past or ("+ed" in main and not helpers) else ""


def _arguments(
    tokens: Tokens, *, only: bool
) -> tuple[Tokens, tuple[Tokens, ...]] | None:
    """The object and the phrases; `only` in front of the verb is meant for the one phrase that there is."""
    object_, phrases = pieces_of(tokens)
    bare = [token.key for token in object_] == ["only"]
    if not (only or bare):
        return object_, phrases
    if len(phrases) != 1 or (only and object_):
        return None
    return (), ((_ONLY, *phrases[0]),)


def _from_passive(frame: Frame) -> Frame | None:
    """`The form was signed by Ann` as `Ann signed the form`; the agent is empty where it is not named."""
    if frame.object:
        # `was named Director`, `is paid monthly`: what stands there goes with the verb.
        phrases = (frame.object, *frame.phrases)
    else:
        phrases = frame.phrases
    agent: Tokens = ()
    for index, phrase in enumerate(phrases):
        if len(phrase) < 2 or phrase[0].key != "by":
            continue
        if phrase[1].kind is Kind.WORD and not is_verb(phrase[1].key):
            agent = phrase[1:]
            phrases = (*phrases[:index], *phrases[index + 1 :])
            break
    return replace(
        frame, agent=agent, object=frame.agent, phrases=phrases, passive=True
    )


def iter_tokens(frame: Frame) -> Iterator[Token]:
    """All tokens of a frame but its verb."""
    yield from frame.agent
    yield from frame.object
    for phrase in frame.phrases:
        yield from phrase
