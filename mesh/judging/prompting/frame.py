"""Messages of a judge call from materials and questions: sanitise, fit, choose a boundary, render. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from judgemesh.contracts.needs import Material
from judgemesh.mesh.judging.message_json import messages_sha256
from judgemesh.mesh.judging.prompting.coverage import Coverage, Shown, concerns
from judgemesh.mesh.judging.prompting.fit import Packed, pack_for, unpacked
from judgemesh.mesh.judging.prompting.orders import OrderKind
from judgemesh.mesh.judging.prompting.sanitise import (
    Family,
    Sanitised,
    boundary_for,
    sanitise,
)
from judgemesh.mesh.pricing.tokens import at_most, estimate
from judgemesh.prompts.loader import Prompt, enclose

SEARCHED_CHARS: Final = 4_000_000
"""Characters of one material that are searched. What a question about a longer one needs may stand beyond."""
_ROUND: Final = str.maketrans("[]", "()")
_BY_CONTRACT: Final = frozenset({"instruction"})
"""Materials written by the author of the contract, not by the agent."""
_RUN: Final = frozenset({"trace", "transcript"})
_FRAME_TOKENS: Final = 60  # of the markers around one material, and of the gaps' notes
_COVERAGE_TOKENS: Final = 120
_MIN_ROOM_TOKENS: Final = 256
_UNLIMITED_TOKENS: Final = 2**62


class Framed(NamedTuple):
    """The messages of one call, and what happened to the materials on the way.

    replaced: how many places were made harmless, in all; `families` by kind.
    materials: what the judge is shown, sanitised and cut to the budget.
    coverage: what part of the materials that is.
    suspected: the judged text speaks to the evaluator, by the kinds found.
    tokens: an estimate of the whole prompt, rather too high.
    """

    messages: tuple[dict[str, str], ...]
    digest: str
    replaced: int
    families: Mapping[Family, int] = MappingProxyType({})
    materials: tuple[Material, ...] = ()
    coverage: Coverage = Coverage()
    suspected: tuple[OrderKind, ...] = ()

    @property
    def tokens(self) -> int:
        """What the messages are estimated at."""
        return sum(estimate(message["content"]) for message in self.messages)

    @property
    def evidence(self) -> str:
        """Everything shown as one text: what a judge may quote."""
        return "\n".join(part.text for part in self.materials)


def frame(
    prompt: Prompt,
    materials: Sequence[Material],
    *,
    criterion: str,
    schema: Mapping[str, object] | None = None,
    seed: int = 0,
    budget: int | None = None,
) -> Framed:
    """Put materials and criterion into the prompt. Same input, same bytes.

    Criterion and names are sanitised too: a validator may have put the agent's own words into them.

    Args:
        prompt: the wording.
        materials: what is judged, whole.
        criterion: the question or the task.
        schema: of an extraction; quoted as it is, because it comes from a validator's code.
        seed: of the boundary.
        budget: tokens that the prompt may be estimated at; None for no limit.
    """
    question = sanitise(criterion)
    (framed,) = _framed(
        prompt,
        materials,
        [question],
        criterion=question.text,
        schema=schema,
        seed=seed,
        budget=budget,
    )
    return framed


def frame_together(
    prompt: Prompt,
    materials: Sequence[Material],
    *,
    questions: Sequence[str],
    seed: int = 0,
    budget: int | None = None,
) -> tuple[Framed, ...]:
    """Put materials and several questions into one prompt, each on a line of its own, as q1, q2, ...

    Returns one value for each question, in their order: the messages are the same, the coverage is each question's own.
    """
    clean = [sanitise(question) for question in questions]
    lines: list[str] = []
    for number, question in enumerate(clean, start=1):
        # One line, whatever the question holds: it may not put another question's number at the start of a line.
        lines.append(f"Question q{number}: {' '.join(question.text.split())}")
    return _framed(
        prompt,
        materials,
        clean,
        criterion="\n".join(lines),
        schema=None,
        seed=seed,
        budget=budget,
    )


@dataclass(frozen=True, slots=True, eq=False)  # one object for each tuple of materials
class _Clean:
    """Materials, sanitised, and what that says of them; `originals` are the materials before.

    searched: whether all of their characters were searched. packed, most_tokens: as they are shown where they fit, and
        what they cannot be estimated above.
    """

    originals: tuple[Material, ...]
    materials: tuple[Material, ...]
    searched: bool
    packed: Packed
    most_tokens: int
    replaced: int
    families: Mapping[Family, int]
    suspected: tuple[OrderKind, ...]


@lru_cache(maxsize=64)
def _sanitised(materials: tuple[Material, ...]) -> _Clean:
    """Cached, because every question about a result has the same materials."""
    names: list[Sanitised] = []
    for part in materials:
        # A name stands inside a marker, so it may not open or close one.
        names.append(sanitise(" ".join(part.name.split()).translate(_ROUND)))
    texts = [sanitise(part.text[:SEARCHED_CHARS]) for part in materials]
    pairs = zip(names, texts, strict=True)
    clean = tuple(Material(name.text, text.text) for name, text in pairs)
    return _Clean(
        originals=materials,
        materials=clean,
        packed=unpacked(clean),
        most_tokens=sum(at_most(part.text) for part in clean),
        searched=all(len(part.text) <= SEARCHED_CHARS for part in materials),
        replaced=sum(part.replaced for part in (*names, *texts)),
        families=_families(part.families for part in (*names, *texts)),
        suspected=_suspected(materials, texts),
    )


def _framed(
    prompt: Prompt,
    originals: Sequence[Material],
    questions: Sequence[Sanitised],
    *,
    criterion: str,
    schema: Mapping[str, object] | None,
    seed: int,
    budget: int | None,
) -> tuple[Framed, ...]:
    clean = _sanitised(tuple(originals))
    materials = clean.materials
    texts = tuple(question.text for question in questions)
    schema_text = ""
    if schema is not None:
        schema_text = json.dumps(schema, sort_keys=True, ensure_ascii=True, indent=1)
    room = _room(prompt, criterion + schema_text, len(materials), budget)
    packed = (clean.packed,) * len(texts)
    if clean.most_tokens > room:
        packed = pack_for(materials, texts, room)
    shown = packed[0].materials
    coverages: list[Coverage] = []
    for text, fitted in zip(texts, packed, strict=True):
        coverage = fitted.coverage
        if not clean.searched:
            coverage = _with_unsearched(coverage, clean.originals, text)
        coverages.append(coverage)
    if shown is materials:
        boundary, enclosed = _enclosed(prompt.material, clean, seed)
    else:
        boundary = _boundary(materials, shown, seed)
        enclosed = enclose(prompt.material, shown, boundary)
    messages = prompt.ask(
        enclosed,
        criterion=criterion,
        boundary=boundary,
        schema=schema_text,
        coverage=coverages[0].for_prompt(),
    )
    digest = message_digest(messages)
    framed: list[Framed] = []
    for question, coverage in zip(questions, coverages, strict=True):
        families = clean.families
        if question.families:
            families = _families((families, question.families))
        framed.append(
            Framed(
                messages=messages,
                digest=digest,
                replaced=clean.replaced + question.replaced,
                families=families,
                materials=shown,
                coverage=coverage,
                suspected=clean.suspected,
            )
        )
    return tuple(framed)


@lru_cache(maxsize=64)
def _enclosed(template: str, clean: _Clean, seed: int) -> tuple[str, str]:
    """The boundary of whole materials, and the materials between boundaries. Cached for all questions about them."""
    boundary = _boundary(clean.materials, clean.materials, seed)
    return boundary, enclose(template, clean.materials, boundary)


def _boundary(
    materials: Sequence[Material], shown: Sequence[Material], seed: int
) -> str:
    """It follows from the whole materials, so that questions shown different passages share it."""
    whole = [text for part in materials for text in (part.name, part.text)]
    excerpts: list[str] = []
    if shown is not materials:
        excerpts = [text for part in shown for text in (part.name, part.text)]
    return boundary_for(whole, avoid=excerpts, seed=seed)


def _with_unsearched(
    coverage: Coverage, materials: Sequence[Material], question: str
) -> Coverage:
    """The coverage, with the part of a very long material that was not even searched."""
    parts: list[Shown] = []
    unsearched: list[str] = []
    for part, material in zip(coverage.parts, materials, strict=True):
        if len(material.text) <= SEARCHED_CHARS:
            parts.append(part)
            continue
        parts.append(replace(part, total=len(material.text)))
        unsearched.append(f"all of the {part.name} beyond {SEARCHED_CHARS} characters")
    whole = Coverage(tuple(parts))
    if not concerns(question, whole.partial):
        return Coverage(whole.parts, coverage.missing)
    return Coverage(whole.parts, (*coverage.missing, *unsearched))


def _room(prompt: Prompt, rest: str, materials: int, budget: int | None) -> int:
    """Tokens left for the materials."""
    if budget is None:
        return _UNLIMITED_TOKENS
    fixed = estimate(prompt.system) + estimate(prompt.user) + estimate(rest)
    room = budget - fixed - materials * _FRAME_TOKENS - _COVERAGE_TOKENS
    return max(room, _MIN_ROOM_TOKENS)


def _families(counted: Iterable[Mapping[Family, int]]) -> dict[Family, int]:
    counts: Counter[Family] = Counter()
    for families in counted:
        counts.update(families)
    return dict(counts)


def _suspected(
    materials: Sequence[Material], texts: Sequence[Sanitised]
) -> tuple[OrderKind, ...]:
    """Which kinds of words to the evaluator the agent's part holds.

    The task is not the agent's. "Ignore your instructions" inside a trace is more often aimed at the agent, and to its
    credit if it resisted: there, only words to the evaluator count. An imitation of our own markers addresses it too.
    """
    kinds: set[OrderKind] = set()
    for part, clean in zip(materials, texts, strict=True):
        if part.name in _BY_CONTRACT:
            continue
        orders = set(clean.orders)
        if part.name in _RUN:
            orders.discard(OrderKind.OVERRIDE)
        if Family.MARKER in clean.families:
            orders.add(OrderKind.ADDRESS)
        kinds |= orders
    return tuple(sorted(kinds))


def message_digest(messages: Sequence[Mapping[str, str]]) -> str:
    """`sha256:...` of the rendered messages."""
    return messages_sha256(messages, comma=", ", colon=": ")
