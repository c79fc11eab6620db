"""`judgemesh config show | schema`: the settings in force, and the JSON Schema of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from judgemesh.mesh.cli.groups import group
from judgemesh.mesh.cli.options import JsonOption
from judgemesh.mesh.cli.settings import ConfigOption, effective_config, setting_flags
from judgemesh.mesh.inputs.settings import Setting

config: Final = group(
    no_args_is_help=True,
    help="Show the effective configuration, or print its JSON Schema.",
)


@config.command("show")
@setting_flags
def show(
    *,
    config_file: ConfigOption = None,
    as_json: JsonOption = False,
    settings: Mapping[str, Setting],
) -> None:
    """Show each setting, its value, and its source: a flag, a variable, a file, the default.

    Passwords in URLs are not shown.

    \b
    Examples:
      judgemesh config show
      judgemesh config show --config mesh.toml
      JUDGEMESH_MAX_COST=2.50 judgemesh config show --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.setup.config import config_json, config_table

    effective = effective_config(config_file, settings)
    if as_json:
        show_json(config_json(effective.config, effective.sources))
    else:
        show(config_table(effective.config, effective.sources))


@config.command("schema")
def schema() -> None:
    """Print the JSON Schema of the settings, for editors and other tools.

    \b
    Example:
      judgemesh config schema > judgemesh.schema.json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import show_json
    from judgemesh.mesh.config import MeshConfig

    show_json(MeshConfig.model_json_schema())
