"""How modules are laid out and import each other: folders, layers, arrows against them, cycles."""

from __future__ import annotations

import statistics
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grimp
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[2]
PORTIONS = ("contracts", "prompts", "validators", "mesh")
"""The folders at the top of the repository that are packages of `judgemesh`."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The packages of one container from the top down; those of one layer do not import each other."""

    container: str
    names: tuple[tuple[str, ...], ...]

    def level_of(self, module: str) -> int | None:
        """How many layers lie above a module's package; None for a module outside the container."""
        if not module.startswith(f"{self.container}."):
            return None
        package = module.removeprefix(f"{self.container}.").partition(".")[0]
        for level, names in enumerate(self.names):
            if package in names:
                return level
        return None


def layers_of_mesh() -> Layers:
    """The layers inside `mesh/`, as pyproject.toml gives them to import-linter."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    container = "judgemesh.mesh"
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if container in contract.get("containers", ()):
            return Layers(container, tuple(_names(line) for line in contract["layers"]))
    raise SystemExit("pyproject.toml gives import-linter no layers for judgemesh.mesh")


def _names(layer: str) -> tuple[str, ...]:
    return tuple(name.strip(" ()") for name in layer.split("|"))


def import_graph(*packages: str) -> grimp.ImportGraph:
    """Who imports whom, deferred imports and those for type checkers included."""
    return grimp.build_graph(*packages, cache_dir=None)


def cycles(graph: grimp.ImportGraph) -> int:
    """Groups of modules that import each other in a circle."""
    modules = sorted(graph.modules)
    index = {module: position for position, module in enumerate(modules)}
    importers: list[int] = []
    imported: list[int] = []
    for module in modules:
        for target in graph.find_modules_directly_imported_by(module):
            importers.append(index[module])
            imported.append(index[target])
    ones = np.ones(len(importers), dtype=np.int8)
    shape = (len(modules), len(modules))
    matrix: Any = csr_array((ones, (importers, imported)), shape=shape)
    _, labels = connected_components(matrix, directed=True, connection="strong")
    sizes = Counter(int(label) for label in labels)
    return sum(size > 1 for size in sizes.values())


def upward_arrows(graph: grimp.ImportGraph, layers: Layers) -> list[str]:
    """Imports of a module in a higher or in the same layer of another package, as `importer -> imported`."""
    arrows: list[str] = []
    for importer in sorted(graph.modules):
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            if _is_upward(layers, importer, imported):
                arrows.append(f"{importer} -> {imported}")
    return arrows


def _is_upward(layers: Layers, importer: str, imported: str) -> bool:
    level, target = layers.level_of(importer), layers.level_of(imported)
    if level is None or target is None:
        return False
    depth = layers.container.count(".") + 1
    same_package = importer.split(".")[depth] == imported.split(".")[depth]
    return target <= level and not same_package


def modules_per_folder(folders: list[Path]) -> dict[str, float]:
    """How many modules a folder holds: the median over all folders, and the largest."""
    sizes: Counter[Path] = Counter()
    for folder in folders:
        for path in folder.rglob("*.py"):
            sizes[path.parent] += 1
    return {
        "median": statistics.median(sizes.values()),
        "largest": max(sizes.values()),
    }


def hidden_validators(entry_points: dict[str, str]) -> list[str]:
    """Validators of `pyproject.toml` that are no file and no package at the top of `validators/`."""
    top = ROOT / "validators"
    hidden: list[str] = []
    for name in sorted(entry_points):
        if not (top / f"{name}.py").is_file() and not (top / name).is_dir():
            hidden.append(name)
    return hidden
