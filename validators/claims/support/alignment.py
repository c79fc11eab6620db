"""Whether a claim is a statement of the evidence, word for word but for the runs that the statement can spare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators.claims.language.tokens import Kind, Token, same_token
from judgemesh.validators.claims.support.statements import Statement

Differs = Callable[[Token, Token], bool]

_TIME_RELATIONS: Final = frozenset(
    {
        "since",
        "until",
        "by",
        "before",
        "after",
        "from",
        "to",
        "of",
        "than",
        "for",
        "through",
    }
)


@dataclass(frozen=True, slots=True)
class Match:
    """A claim found in a statement; `difference` is the pair of tokens that differ, where one pair may."""

    difference: tuple[Token, Token] | None = None


def find_match(
    claim: Sequence[Token],
    statement: Statement,
    differs: Differs | None = None,
    *,
    tight: bool = False,
) -> Match | None:
    """The claim in the statement, with at most one pair that `differs` accepts; `tight` spares only plain runs."""
    spare: Mapping[int, tuple[int, ...]] = statement.spare
    if tight:
        spare = _plain_runs(statement)
    stated = statement.tokens
    time = _floating_time(claim, statement.tokens)
    if time is not None:
        claim_place, stated_place = time
        difference = _pair(claim[claim_place], stated[stated_place], differs)
        if difference is not None:
            rest = (*claim[:claim_place], *claim[claim_place + 1 :])
            left = {**spare, stated_place: (stated_place + 1,)}
            inner = _search(
                rest,
                stated,
                left,
                None if difference.difference else differs,
                must_skip=stated_place,
            )
            if inner is not None:
                return inner if inner.difference else difference
    return _search(claim, stated, spare, differs)


def _plain_runs(statement: Statement) -> dict[int, tuple[int, ...]]:
    """The spare runs that give no number, no date and no place: they cannot make it another case."""
    runs: dict[int, tuple[int, ...]] = {}
    for start, ends in statement.spare.items():
        plain = [
            end
            for end in ends
            if end == start + 1 or _is_plain(statement.tokens[start:end])
        ]
        if plain:
            runs[start] = tuple(plain)
    return runs


def _is_plain(run: Sequence[Token]) -> bool:
    if run[0].key in ("in", "at"):
        return False
    return all(token.kind in (Kind.WORD, Kind.MARK) for token in run)


def _pair(claimed: Token, stated: Token, differs: Differs | None) -> Match | None:
    if same_token(claimed, stated):
        return Match()
    if differs is not None and differs(claimed, stated):
        return Match((claimed, stated))
    return None


def _floating_time(
    claim: Sequence[Token], stated: Sequence[Token]
) -> tuple[int, int] | None:
    """The only date of each, where it can stand anywhere in the sentence."""
    places: list[int] = []
    for tokens in (claim, stated):
        found = [index for index, token in enumerate(tokens) if token.is_time]
        if len(found) != 1:
            return None
        (index,) = found
        if index and tokens[index - 1].key in _TIME_RELATIONS:
            return None
        places.append(index)
    return places[0], places[1]


def _search(
    claim: Sequence[Token],
    stated: Sequence[Token],
    spare: Mapping[int, tuple[int, ...]],
    differs: Differs | None,
    must_skip: int = -1,
) -> Match | None:
    """Walk through both, each pair of places once."""
    open_places: list[tuple[int, int, tuple[Token, Token] | None]] = [(0, 0, None)]
    seen: set[tuple[int, int, bool]] = set()
    while open_places:
        at_claim, at_stated, difference = open_places.pop()
        state = (at_claim, at_stated, difference is not None)
        if state in seen:
            continue
        seen.add(state)
        if at_stated == len(stated):
            if at_claim == len(claim):
                return Match(difference)
            continue
        for end in spare.get(at_stated, ()):
            if at_stated == must_skip or not at_stated <= must_skip < end:
                open_places.append((at_claim, end, difference))
        if at_claim < len(claim) and at_stated != must_skip:
            allowed = differs if difference is None else None
            pair = _pair(claim[at_claim], stated[at_stated], allowed)
            if pair is not None:
                step = (at_claim + 1, at_stated + 1, difference or pair.difference)
                open_places.append(step)
    return None
