"""Short names of things: `the dam` where a text speaks of one dam, the Harlan dam; `the album` where a title is one.

A text's names are put in place of its short ones, in what it says and in what is claimed of it. Where a text speaks of
two dams, `the dam` stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from judgemesh.validators.claims.language.clauses import fronted, keys_of, main_verb
from judgemesh.validators.claims.language.frame_words import INDEFINITE
from judgemesh.validators.claims.language.sentences import Sentence
from judgemesh.validators.claims.language.tokens import Kind, Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import PREPOSITIONS, is_verb
from judgemesh.validators.claims.support.frames import frames_of

Tokens = tuple[Token, ...]
Names = Mapping[str, Tokens]

_MAX_NAME_TOKENS: Final = 5
_MAX_SENTENCES: Final = 400
_RANKS: Final = frozenset(
    {"mayor", "flight", "team", "president", "minister", "judge", "captain", "coach", "king", "queen", "senator"}
)  # fmt: skip

_MAKERS: Final = frozenset(
    {"band", "group", "singer", "musician", "rapper", "duo", "author", "writer", "director", "painter", "artist",
     "composer", "company", "architect", "novelist", "poet", "songwriter", "filmmaker"}
)  # fmt: skip
_NO_NAMES: Final = INDEFINITE | {
    "this",
    "that",
    "every",
    "all",
    "no",
    "both",
    "our",
    "your",
    "its",
    "their",
}
_PLACES: Final = frozenset({"town", "city", "village", "island"})


def names_in(sentences: Iterable[Sentence]) -> Names:
    """The full name by the common noun that stands for it."""
    found: dict[str, set[Tokens]] = {}
    sentences = list(sentences)
    if any(sentence.text.lstrip().startswith("#") for sentence in sentences[1:]):
        # Each section may speak of another thing of the kind.
        return {}
    for number, sentence in enumerate(sentences):
        if number >= _MAX_SENTENCES:
            break
        tokens = without_ranks(tokens_of(sentence.text))
        for noun, name in (*_named_kinds(tokens), *_is_a(tokens)):
            found.setdefault(noun, set()).add(name)
        if not number:
            found.setdefault("company", set()).update(_topic(tokens))
        for noun in _other_things(tokens):
            found.setdefault(noun, set()).add(())
    names: dict[str, Tokens] = {}
    for noun, forms in found.items():
        distinct = {keys_of(form) for form in forms}
        if len(distinct) == 1 and () not in distinct:
            names[noun] = min(forms, key=lambda form: [token.text for token in form])
    return names


def _topic(tokens: Tokens) -> Iterable[Tokens]:
    """The name that a text begins with, where `the company` can mean no other one."""
    core = fronted(tokens)[1]
    subject = core[: main_verb(core)]
    frames = frames_of(fronted(tokens)[1])
    names = [token for token in subject if _is_name_part(token)]
    if (
        not frames
        or len(names) != len(subject)
        or not 0 < len(names) <= _MAX_NAME_TOKENS
    ):
        return
    first = frames[0]
    others = () if first.passive else first.object
    for phrase in first.phrases:
        if phrase[0].key not in ("in", "at", "by", "near", "on"):
            others = (*others, *phrase)
    if not any(token.is_capital for token in others):
        yield subject


def _named_kinds(tokens: Tokens) -> Iterable[tuple[str, Tokens]]:
    """`the Harlan dam`, `Hotel Marin`, `Lake Orsa`."""
    for start, token in enumerate(tokens):
        if (
            token.kind is not Kind.WORD
            or token.article != "the"
            or not token.is_capital
        ):
            continue
        end = start
        while (
            end < len(tokens) and tokens[end].is_capital and not tokens[end].article[1:]
        ):
            end += 1
            if end - start > _MAX_NAME_TOKENS:
                break
        end = start + 1
        while (
            end < len(tokens)
            and end - start < _MAX_NAME_TOKENS
            and _is_name_part(tokens[end])
        ):
            end += 1
        if end < len(tokens) and _is_noun(tokens[end]):
            yield tokens[end].key, tuple(tokens[start : end + 1])


def _is_name_part(token: Token) -> bool:
    return token.kind is Kind.WORD and token.is_capital and not token.article


def _is_noun(token: Token) -> bool:
    return (
        token.kind is Kind.WORD
        and not token.article
        and not token.is_capital
        and token.key.isalpha()
        and token.key not in PREPOSITIONS
        and token.key
        not in ("be", "was", "have", "had", "and", "or", "can", "may", "must", "will")
        and not token.key.endswith("+ed")
    )


def _is_a(tokens: Tokens) -> Iterable[tuple[str, Tokens]]:
    """`Sunlit Rooms is an album by ...`: the album is Sunlit Rooms."""
    keys = keys_of(tokens)
    if "be" not in keys[:_MAX_NAME_TOKENS]:
        return
    place = keys.index("be")
    name = tokens[:place]
    if not name or not all(
        token.kind is Kind.WORD and token.is_capital for token in name
    ):
        return
    for index in range(place + 1, min(len(tokens), place + 6)):
        token = tokens[index]
        if index == place + 1 and token.article not in ("a", "an"):
            return
        following = keys[index + 1] if index + 1 < len(keys) else ""
        ends = (
            not following
            or following in PREPOSITIONS
            or following in (",", "and", "that", "which", "who")
        )
        if token.kind is Kind.WORD and ends:
            yield token.key, tuple(name)
            return


def _other_things(tokens: Tokens) -> Iterable[str]:
    """The nouns that name something else of the kind: `a dam`, `two dams`, `the old dam`."""
    for index, token in enumerate(tokens):
        if token.kind is not Kind.WORD or token.is_capital:
            continue
        plural = token.text.casefold() != token.key and token.text.casefold().endswith(
            "s"
        )
        before = tokens[index - 1] if index else None
        if token.article == "the" and not plural:
            continue
        named = before is not None and before.is_capital and not token.article
        named = named and before is not None and before.key not in _NO_NAMES
        is_kind = _follows_be(tokens, index)
        if plural or not (named or is_kind):
            yield token.key


def _follows_be(tokens: Tokens, index: int) -> bool:
    return any(token.key == "be" for token in tokens[max(0, index - 4) : index])


def without_ranks(tokens: Tokens) -> Tokens:
    """`the Danish band Grey Harbour` as `Grey Harbour`, `Mayor Jonas Weir` as `Jonas Weir`."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        skip = _rank(tokens, index)
        index += skip
        kept.append(tokens[index])
        index += 1
    return tuple(kept)


def _rank(tokens: Sequence[Token], start: int) -> int:
    """How many tokens in front of a name only say what it is."""
    token = tokens[start]
    following = tokens[start + 1] if start + 1 < len(tokens) else None
    if token.kind is not Kind.WORD or following is None:
        return 0
    if token.key in _RANKS:
        return 1 if _is_name_part(following) else 0
    if token.key in _PLACES and token.text[-1:] == "s" and token.article == "the":
        named_place = start + 2 < len(tokens) and tokens[start + 2].is_capital
        return 2 if following.key == "of" and named_place else 0
    behind = start > 0 and tokens[start - 1].key in ("by", "from")
    return _kind(tokens, start) if token.article == "the" or behind else 0


def _kind(tokens: Sequence[Token], start: int) -> int:
    """The size of `the Danish band` in front of a name of two words or more; of `English music band` behind `by`."""
    size = 4 if tokens[start].article == "the" else 5
    for end in range(start + 1, min(len(tokens) - 1, start + size)):
        before, name = tokens[end - 1], tokens[end]
        if name.article or name.kind is not Kind.WORD:
            return 0
        if _is_name_part(name) and not before.is_capital and _is_noun(before):
            known = tokens[start].article == "the" or before.key in _MAKERS
            last = known and _is_name_part(tokens[end + 1])
            return end - start if last and not is_verb(before.key) else 0
    return 0


def _placed(tokens: Tokens, names: Names) -> Tokens:
    """`the depot in Linz` and `Linz's depot` as `the Linz depot`."""
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        noun, *rest = tokens[index : index + 4]
        if len(rest) > 1 and noun.article == "the" and _is_noun(noun):
            ends = len(rest) < 3 or not rest[2].is_capital
            if rest[0].key == "in" and _is_name_part(rest[1]) and ends:
                found += [replace(rest[1], article="the"), replace(noun, article="")]
                index += 3
                continue
        owned = names.get(rest[0].key) if rest and noun.key.endswith("'s") else None
        if owned and len(owned) == 2 and f"{owned[0].key}'s" == noun.key:
            found += owned
            index += 2
            continue
        found.append(noun)
        index += 1
    return tuple(found)


def appositions_in(tokens: Tokens) -> Iterable[tuple[Tokens, Tokens]]:
    """What stands between commas behind a name: of `by Clara Wend, a painter`, a painter."""
    for index, token in enumerate(tokens):
        if token.key != "," or token.kind is not Kind.MARK or not index:
            continue
        start = index
        while start and _is_name_part(tokens[start - 1]):
            start -= 1
        end = index + 1
        while end < len(tokens) and tokens[end].kind is Kind.WORD:
            end += 1
        kind = tokens[index + 1 : end]
        plain = not any(is_verb(one.key) or one.key in ("and", "or") for one in kind)
        if start < index and kind and kind[0].article in ("a", "an") and plain:
            yield tuple(tokens[start:index]), tuple(kind)


def kinds_in(tokens: Tokens) -> Iterable[tuple[Tokens, Tokens]]:
    """What a sentence says in passing about what a name is: of `the Danish band Grey Harbour`, a Danish band."""
    for index in range(len(tokens)):
        skip = _rank(tokens, index)
        if not skip or tokens[index].article != "the" or tokens[index + 1].key == "of":
            continue
        end = index + skip
        while end < len(tokens) and _is_name_part(tokens[end]):
            end += 1
        yield tuple(tokens[index + skip : end]), tuple(tokens[index : index + skip])


def named(tokens: Tokens, names: Names) -> Tokens:
    """The tokens with full names in place of short ones."""
    tokens = _placed(without_ranks(tokens), names)
    found: list[Token] = []
    for token in tokens:
        noun = token.key.removesuffix("'s")
        name = names.get(noun) if token.article == "the" else None
        plural = token.text.casefold().removesuffix("'s") != noun
        if name is None or token.kind is not Kind.WORD or token.is_capital or plural:
            found.append(token)
        elif token.key.endswith("'s"):
            last = replace(name[-1], key=f"{name[-1].key}'s")
            found += [*name[:-1], last]
        else:
            found += name
    return tuple(found)
