"""Templates of new contracts: YAML files in `templates/`, one a family."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError

_FOLDER: Final = "templates"


def families() -> list[str]:
    """Names of the templates there are, sorted."""
    folder = files("judgemesh.mesh.cli") / _FOLDER
    return sorted(
        entry.name.removesuffix(".yaml")
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    )


def template(family: str) -> str:
    """The text of one template.

    Raises:
        ConfigError: there is none of that name.
    """
    if family not in families():
        raise ConfigError(
            f"no contract template is called {family!r}",
            hint=f"there is: {', '.join(families())}",
        )
    return (files("judgemesh.mesh.cli") / _FOLDER / f"{family}.yaml").read_text(
        encoding="utf-8"
    )


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a new file, making its folder.

    Raises:
        ConfigError: it exists and `force` is off, or it cannot be written.
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
        raise ConfigError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None
