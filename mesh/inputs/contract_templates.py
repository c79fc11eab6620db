"""Templates of new contracts: YAML files in `templates/`, one for each family."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError

_SUFFIX: Final = ".yaml"


def families() -> list[str]:
    """The names of the templates, sorted."""
    names = [entry.name for entry in _folder().iterdir()]
    return sorted(name.removesuffix(_SUFFIX) for name in names if _SUFFIX in name)


def template(family: str) -> str:
    """The text of one template.

    Raises:
        ConfigError: there is none of that name.
    """
    names = families()
    if family not in names:
        raise ConfigError(
            f"no contract template is called {family!r}",
            hint=f"there is: {', '.join(names)}",
        )
    return (_folder() / f"{family}{_SUFFIX}").read_text(encoding="utf-8")


def _folder() -> Traversable:
    return files("judgemesh.mesh.inputs") / "templates"


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a new file, and create its folder.

    Raises:
        ConfigError: it exists without `force`, or it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            "exists already", where=str(path), hint="--force replaces it"
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"cannot be written: {reason}", where=str(path)) from None
