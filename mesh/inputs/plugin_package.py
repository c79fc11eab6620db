"""A new plug-in package: the files of `plugin_template/` with the name of a validator filled in."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.entry_points import installed, origin_of

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,50}")
_TEMPLATE: Final = "judgemesh.mesh.inputs.plugin_template"
_FILES: Final = {
    "pyproject.toml.txt": "pyproject.toml",
    "README.md.txt": "README.md",
    "checks.py.txt": "judgemesh_@name@/checks.py",
    "test_checks.py.txt": "tests/test_@name@.py",
}
"""Each file of the template, and where it goes."""


def plugin_files(name: str) -> dict[str, str]:
    """The files of a plug-in by their path in its folder.

    Raises:
        ConfigError: the name is no name of a module, or a validator's name already.
    """
    module = name.replace("-", "_")
    if not _NAME.fullmatch(module) or keyword.iskeyword(module):
        raise ConfigError(
            f"{name!r} cannot be the name of a validator",
            hint="lower-case letters, digits and _, for instance: brevity",
        )
    taken = installed("judgemesh.validators", "validator").get(module)
    if taken is not None:
        raise ConfigError(
            f"{origin_of(taken)} has a validator {module!r}",
            hint="names of validators are unique; choose another one",
        )
    made = {
        f"judgemesh_{module}/__init__.py": f'"""The validator `{module}` for judgemesh."""\n'
    }
    for source, target in _FILES.items():
        text = files(_TEMPLATE).joinpath(source).read_text(encoding="utf-8")
        made[_filled(target, module)] = _filled(text, module)
    return made


def write_plugin(name: str, parent: Path) -> Path:
    """Write a plug-in into a new folder `judgemesh-NAME`; returns the folder.

    Raises:
        ConfigError: the name cannot be used, or the folder exists or cannot be written.
    """
    made = plugin_files(name)
    folder = parent / f"judgemesh-{name.replace('_', '-')}"
    try:
        folder.mkdir(parents=True)
        for path, text in made.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot be written: {error.strerror or error}", where=str(folder)
        ) from None
    return folder


def _filled(text: str, module: str) -> str:
    return text.replace("@name@", module).replace("@dashed@", module.replace("_", "-"))
