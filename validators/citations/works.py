"""A work as an evidence source describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from judgemesh.contracts.needs import Found
from judgemesh.validators._shared.values import of_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a source says about a work. The fields are those of `judgemesh.contracts.needs.Found`."""

    ref: str = ""
    title: str = ""
    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    venue: str = ""
    ids: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    schemes: frozenset[str] = frozenset()
    preprint: bool = False
    web_page: bool = False
    excerpt: bool = False
    text: str | None = None

    @property
    def all_titles(self) -> tuple[str, ...]:
        """The title, and the others it is known by."""
        return (self.title, *self.titles)


def work_of(answer: Found) -> Work:
    """The work of a source's answer. Sources may be anybody's: fields of another type than documented are ignored."""
    fields = answer.fields
    text = fields.get("text")
    return Work(
        ref=answer.ref,
        title=str(fields.get("title") or ""),
        titles=tuple(of_type(str, fields.get("titles"))),
        authors=tuple(of_type(str, fields.get("authors"))),
        years=tuple(of_type(int, fields.get("years"))),
        venue=str(fields.get("venue") or ""),
        ids=_ids(fields.get("ids")),
        schemes=frozenset(of_type(str, fields.get("schemes"))),
        preprint=fields.get("preprint") is True,
        web_page=fields.get("web_page") is True,
        excerpt=fields.get("excerpt") is True,
        text=text if isinstance(text, str) else None,
    )


def _ids(value: object) -> dict[str, frozenset[str]]:
    if not isinstance(value, Mapping):
        return {}
    ids = cast("Mapping[str, object]", value)
    return {scheme: frozenset(of_type(str, values)) for scheme, values in ids.items()}
