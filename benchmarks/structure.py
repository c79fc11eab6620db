"""The structure of the code as one JSON line: folders, layers, cycles, density, and the way of one question.

    python benchmarks/structure.py [--against PACKAGE...] [--list]

`--against` measures installed packages beside ours (`httpx h11 pluggy pydantic_evals`); what only makes sense for us is
left out for them. `--list` names what the counts hold. The exit code is 1 when a hard bound is broken: cycles, upward
arrows, more than two modules at the top of `mesh/`, or a validator that is not visible at the top of `validators/`.

- Modules per folder count `__init__.py`. Arrows and cycles include imports inside functions and for type checkers.
- Tokens are those of Python's tokenizer without comments, docstrings and layout; lines are those with a token.
- A contentless name is a variable or parameter called `one`, `found`, `given` and the like; `code_measures/density.py`
  has the list.
- Complexity is McCabe's, inner functions apart.
- Frames are counted on a real call, between the engine and `Gateway.complete`, both left out; see
  `code_measures/question.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from code_measures import (
    density,
    packages,
    question,
)


def measure_folders(folders: list[Path]) -> dict[str, Any]:
    """What can be read from the files alone."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    sums = density.density_of(path.read_text(encoding="utf-8") for path in paths)
    return {
        "modules": len(paths),
        "modules_per_folder": packages.modules_per_folder(folders),
        **sums.figures(),
    }


def measure_ours(*, with_lists: bool) -> dict[str, Any]:
    """Everything about this project."""
    graph = packages.import_graph(*(f"judgemesh.{name}" for name in packages.PORTIONS))
    layers = packages.layers_of_mesh()
    project = tomllib.loads(
        (packages.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    validators = project["entry-points"]["judgemesh.validators"]
    lists = {
        "upward_arrows": packages.upward_arrows(graph, layers),
        "hidden_validators": packages.hidden_validators(validators),
        "question_frames": question.frames_of_a_question(),
        "question_record_types": question.record_types_of_a_question(),
    }
    figures: dict[str, Any] = {
        **measure_folders([packages.ROOT / name for name in packages.PORTIONS]),
        "top_of_mesh": len(list((packages.ROOT / "mesh").glob("*.py"))),
        "layers_of_mesh": len(layers.names),
        "cycles": packages.cycles(graph),
        **{name: len(entries) for name, entries in lists.items()},
    }
    if with_lists:
        figures["lists"] = lists
    return figures


def measure_peer(name: str) -> dict[str, Any]:
    """An installed package: what needs no knowledge of ours."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(
            f"--against {name}: no package of that name is installed; `pip install` it first"
        )
    folders = [Path(folder) for folder in spec.submodule_search_locations]
    graph = packages.import_graph(name)
    return {**measure_folders(folders), "cycles": packages.cycles(graph)}


def broken_bounds(ours: dict[str, Any]) -> list[str]:
    """The hard bounds that our figures break."""
    most = {"cycles": 0, "upward_arrows": 0, "top_of_mesh": 2, "hidden_validators": 0}
    return [name for name, bound in most.items() if ours[name] > bound]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Structure of the code, as one line.")
    parser.add_argument(
        "--against", nargs="*", default=[], metavar="PACKAGE", help="installed packages"
    )
    parser.add_argument(
        "--list", action="store_true", help="also name what the counts hold"
    )
    options = parser.parse_args()
    ours = measure_ours(with_lists=options.list)
    peers = {name: measure_peer(name) for name in options.against}
    broken = broken_bounds(ours)
    print(json.dumps({"judgemesh": ours, **peers, "broken_bounds": broken}))
    raise SystemExit(1 if broken else 0)


if __name__ == "__main__":
    main()
