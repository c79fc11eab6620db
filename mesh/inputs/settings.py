"""Settings out of code, TOML files and environment variables, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.config import LISTS, SETTINGS, MeshConfig, unknown_setting

ENVIRONMENT_PREFIX: Final = "JUDGEMESH_"
CONFIG_VARIABLE: Final = "JUDGEMESH_CONFIG"
"""Names a configuration file where no flag does."""
OTHER_VARIABLES: Final = frozenset(
    ENVIRONMENT_PREFIX + name
    for name in ("CONFIG", "JUDGE_API_KEY", "EVENTS", "GATE", "INJECTION")
)
"""Variables that are no settings: of the judge's API, and of an agent under `judgemesh rollback`."""


def read_config(
    config: MeshConfig | Mapping[str, Any] | str | Path | None,
    options: Mapping[str, Any],
) -> MeshConfig:
    """The configuration of a program: options take precedence over `config`.

    Args:
        config: a ready configuration, a mapping of settings, or a TOML file.
        options: settings by name.

    Raises:
        ConfigError: an unknown setting, a wrong value, an unreadable file.
    """
    settings: dict[str, Setting] = {}
    if isinstance(config, MeshConfig) and not options:
        return config
    if isinstance(config, MeshConfig):
        for name in MeshConfig.model_fields:
            settings[name] = Setting(getattr(config, name), name)
    elif isinstance(config, str | Path):
        settings = settings_of_file(Path(config))
    else:
        settings = _from_code(config or {})
    return build_config({**settings, **_from_code(options)})


def _from_code(values: Mapping[str, Any]) -> dict[str, Setting]:
    return {name: Setting(value, name) for name, value in values.items()}


# --- from several sources ---


class Setting(NamedTuple):
    """A value, and its source as messages name it: `--mode`, `JUDGEMESH_MODE`."""

    value: Any
    source: str


def build_config(settings: Mapping[str, Setting]) -> MeshConfig:
    """A configuration out of settings by name.

    Raises:
        ConfigError: a value is wrong; the line names its source.
    """
    try:
        return MeshConfig(**{name: setting.value for name, setting in settings.items()})
    except ConfigError as error:
        setting = settings.get(error.where or "")
        if setting is None:
            raise
        raise ConfigError(
            error.message, where=setting.source, hint=error.hint
        ) from None


def settings_of_file(path: Path) -> dict[str, Setting]:
    """The settings of a TOML file. Its relative paths start from its folder.

    Raises:
        ConfigError: it cannot be read, is no TOML, or holds an unknown setting.
    """
    import tomllib

    from judgemesh.mesh.inputs.files.limits import SETTINGS_FILE
    from judgemesh.mesh.inputs.files.reading import read_text_file

    try:
        values = tomllib.loads(read_text_file(path, SETTINGS_FILE))
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"cannot be read: {reason}", where=str(path)) from None
    except ValueError as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from None
    for name in values.keys() - SETTINGS:
        raise unknown_setting(name, where=str(path))
    folder = path.parent
    contracts = values.get("contracts")
    if isinstance(contracts, str):
        values["contracts"] = folder / contracts
    elif isinstance(contracts, list):
        names = cast("list[Any]", contracts)
        values["contracts"] = [folder / str(name) for name in names]
    if isinstance(values.get("prices"), str):
        values["prices"] = folder / values["prices"]
    values.setdefault("base_dir", folder)
    return {name: Setting(value, f"{path}: {name}") for name, value in values.items()}


def settings_of_environment(environment: Mapping[str, str]) -> dict[str, Setting]:
    """The settings of variables such as `JUDGEMESH_MAX_COST`; an empty one is not set.

    The value of a setting that may be a list is one text, or a JSON array of texts.

    Raises:
        ConfigError: a value that begins with `[` is no JSON array.
    """
    settings: dict[str, Setting] = {}
    for name in SETTINGS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        text = environment.get(variable)
        if not text:
            continue
        value = _listed(text, variable) if name in LISTS else text
        settings[name] = Setting(value, variable)
    return settings


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """One line for each `JUDGEMESH_*` variable that nothing reads, with the name that was probably meant."""
    known = {ENVIRONMENT_PREFIX + name.upper() for name in SETTINGS} | OTHER_VARIABLES
    lines: list[str] = []
    for name in sorted(environment):
        if not name.startswith(ENVIRONMENT_PREFIX) or name in known:
            continue
        near = nearest(name, known)
        hint = f" (did you mean {near}?)" if near else ""
        lines.append(f"environment: nothing reads {name}{hint}")
    return lines


def _listed(text: str, variable: str) -> list[str]:
    if not text.startswith("["):
        return [text]
    import jiter

    try:
        entries: list[Any] = jiter.from_json(text.encode(), allow_inf_nan=False)
    except ValueError as error:
        raise ConfigError(f"not a JSON array: {error}", where=variable) from None
    return [str(entry) for entry in entries]
