"""Judge prompts: data files beside this module, each with a version and a digest.

A prompt file is TOML with `name`, `version`, `system`, `material` (the frame of one material) and `user`; its name is
`<name>.v<version>.toml`. `extends` takes the texts it does not give itself from another prompt. `variants` are other
wordings of the same question (`id` and the texts that differ), for votes that should not hang on one wording.
`inverted` says that a "yes" to this prompt is a vote for "no".

A published version is never edited: a change of wording is a new version, because calibration and cached answers
belong to the digest.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from string import Template
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Material
from judgemesh.prompts.json_text import JsonText, PromptMessages

_SUFFIX: Final = ".toml"
_TEXTS: Final = ("system", "material", "user")
_FIRST: Final = "a"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # one object for each
class Prompt:
    """One wording of one version of a prompt.

    digest: `sha256:...` over every text of it, whatever the file's layout or comments.
    variant: which of the prompt's wordings this is; the file's own is `a`.
    inverted: a "yes" to this prompt is a vote for "no".
    """

    name: str
    version: int
    system: str
    material: str
    user: str
    digest: str
    variant: str = _FIRST
    inverted: bool = False

    @property
    def ref(self) -> str:
        """Name, version and variant in one word (`yes_no.v1`, `yes_no.v1.b`), as the ledger stores it."""
        return _ref(self.name, self.version, self.variant)

    def render(
        self,
        materials: Sequence[Material],
        *,
        criterion: str,
        boundary: str,
        schema: str = "",
        coverage: str = "",
    ) -> tuple[dict[str, str], ...]:
        """The messages of one call: a system message, then a user message with the materials first.

        Values are put in as they are and never expanded again. The caller sanitises them and picks a boundary that
        occurs in none of them. `coverage` says what part of the materials is shown, where that is not all of them.

        Raises:
            ValueError: the boundary is empty, or occurs in what it should enclose.
        """
        enclosed = enclose(self.material, materials, boundary)
        return self.ask(
            enclosed,
            criterion=criterion,
            boundary=boundary,
            schema=schema,
            coverage=coverage,
        )

    def ask(
        self,
        enclosed: str,
        *,
        criterion: str,
        boundary: str,
        schema: str = "",
        coverage: str = "",
    ) -> tuple[dict[str, str], ...]:
        """`render` for materials that `enclose` has put between boundaries."""
        values = {
            "materials": enclosed,
            "criterion": criterion,
            "boundary": boundary,
            "schema": schema,
            "coverage": f"{coverage}\n\n" if coverage else "",
            _NOTHING: "",
        }
        content = JsonText.joined(_filled(self.user, values))
        return PromptMessages.of(self.system, content)


@cache  # asked for three times a call, of the bundled prompts
def _ref(name: str, version: int, variant: str) -> str:
    return f"{name}.v{version}" + ("" if variant == _FIRST else f".{variant}")


def enclose(template: str, materials: Sequence[Material], boundary: str) -> str:
    """The materials between boundaries, each put into the template of a prompt for materials.

    Raises:
        ValueError: the boundary is empty, or occurs in what it should enclose.
    """
    if not boundary or any(
        boundary in text for part in materials for text in (part.name, part.text)
    ):
        raise ValueError(
            "a boundary must be given, and must not occur in the materials it encloses"
        )
    framed: list[str] = []
    for part in materials:
        values = {
            "name": part.name,
            "text": part.text,
            "boundary": boundary,
            _NOTHING: "",
        }
        framed.append("".join(_filled(template, values)))
    return "\n\n".join(framed)


def _filled(template: str, values: Mapping[str, str]) -> Iterator[str]:
    """The pieces of a template with its placeholders replaced, as `string.Template` does it."""
    literals, names = _pieces(template)
    put_in = map(values.__getitem__, names)
    return chain.from_iterable(zip(literals, put_in, strict=True))


@cache  # of the bundled templates
def _pieces(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Texts of a template, and for each the placeholder behind it."""
    pieces: list[tuple[str, str]] = []
    end = 0
    for match in Template.pattern.finditer(template):
        literal = template[end : match.start()]
        end = match.end()
        if match["escaped"] is None:
            pieces.append((literal, match["named"] or match["braced"]))
        else:
            pieces.append((f"{literal}$", _NOTHING))
    literals, names = zip(*pieces, (template[end:], _NOTHING), strict=True)
    return literals, names


_NOTHING: Final = ""  # the placeholder behind a text that has none behind it


def available() -> tuple[str, ...]:
    """The prompts that are bundled (`extract.v1`, `yes_no.v1`), sorted; without their variants."""
    entries = files(__package__ or "judgemesh.prompts").iterdir()
    return tuple(
        sorted(
            entry.name.removesuffix(_SUFFIX)
            for entry in entries
            if entry.name.endswith(_SUFFIX)
        )
    )


def load(ref: str, variant: int = 0) -> Prompt:
    """The bundled prompt of that name and version, such as `yes_no.v1`.

    Args:
        ref: name and version.
        variant: which wording, counted from 0 and round and round, so that the number of a vote can be given as is.

    Raises:
        ConfigError: there is no such prompt.
    """
    wordings = variants(ref)
    return wordings[variant % len(wordings)]


@cache
def variants(ref: str) -> tuple[Prompt, ...]:
    """All wordings of a bundled prompt, the file's own first. They differ only in what follows the materials.

    Raises:
        ConfigError: there is no such prompt.
    """
    if ref not in available():
        raise ConfigError(
            "no such prompt",
            where=f"prompt {ref!r}",
            hint=f"bundled are {', '.join(available())}",
        )
    text = (files(__package__ or "judgemesh.prompts") / f"{ref}{_SUFFIX}").read_text(
        encoding="utf-8"
    )
    return parse(text, where=ref)


def parse(text: str, *, where: str) -> tuple[Prompt, ...]:
    """Read a prompt file's text: its own wording, then its variants.

    Raises:
        ConfigError: it is no TOML, lacks a key, or a template names a placeholder that does not exist.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(error), where=f"prompt {where!r}") from error
    own = {**_extended(data, where), **data}
    return tuple(
        _prompt({**own, **other}, where)
        for other in ({"id": _FIRST}, *_others(data, where))
    )


def _extended(data: Mapping[str, Any], where: str) -> dict[str, str]:
    base = data.get("extends")
    if base is None:
        return {}
    if not isinstance(base, str) or base == where:
        raise ConfigError(
            "must name another bundled prompt", where=f"prompt {where!r}, key 'extends'"
        )
    taken = load(base)
    return {key: getattr(taken, key) for key in _TEXTS}


def _others(data: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    given = data.get("variants", [])
    items = cast("list[Any]", given) if isinstance(given, list) else [given]
    rows = [
        cast("dict[str, Any]", item) if isinstance(item, dict) else {} for item in items
    ]
    ids = [
        word
        for row in rows
        if isinstance(word := row.get("id"), str) and word.isalnum()
    ]
    if len({_FIRST, *ids}) <= len(rows):
        raise ConfigError(
            "each needs an `id` of its own, letters or digits",
            where=f"prompt {where!r}, key 'variants'",
        )
    return rows


def _prompt(data: Mapping[str, Any], where: str) -> Prompt:
    name, version, inverted = (
        data.get("name"),
        data.get("version"),
        data.get("inverted", False),
    )
    if (
        not isinstance(name, str)
        or not isinstance(version, int)
        or not isinstance(inverted, bool)
    ):
        raise ConfigError(
            "needs a name (text) and a version (whole number)",
            where=f"prompt {where!r}",
        )
    texts = _texts(data, where)
    # The variant's id is no part of it: two files with the same words are the same prompt.
    body = json.dumps(
        {"name": name, "version": version, "inverted": inverted, **texts},
        sort_keys=True,
    )
    digest = f"sha256:{hashlib.sha256(body.encode()).hexdigest()}"
    return Prompt(
        name=name,
        version=version,
        digest=digest,
        variant=data["id"],
        inverted=inverted,
        **texts,
    )


_PLACEHOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset(),
    "material": frozenset({"name", "text", "boundary"}),
    "user": frozenset({"materials", "criterion", "boundary", "schema", "coverage"}),
}


def _texts(data: Mapping[str, object], where: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for key in _TEXTS:
        value = data.get(key)
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(
                "must be text that is not empty", where=f"prompt {where!r}, key {key!r}"
            )
        template = Template(value)
        unknown = (
            set(template.get_identifiers()) - _PLACEHOLDERS[key]
            if template.is_valid()
            else {"$"}
        )
        if unknown:
            known = ", ".join(sorted(_PLACEHOLDERS[key])) or "none"
            raise ConfigError(
                f"unknown placeholder {min(unknown)!r}",
                where=f"prompt {where!r}, key {key!r}",
                hint=f"allowed are {known}",
            )
        texts[key] = value.strip()
    return texts
