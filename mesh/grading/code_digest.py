"""Which code a validator is: a changed validator is another grading, whether or not its author raised its version."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType
from typing import Final

from judgemesh.contracts.validator import Validator
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_file

_NAMESPACE: Final = "judgemesh"


def code_digest(validator: Validator) -> str:
    """The digest of the package that the validator's function stands in, so that its helpers count too.

    A function of a script has the digest of the script, one typed at a prompt that of its own code, and a callable
    without code none (its version alone identifies it).
    """
    function = unwrap(validator.run)
    name = getattr(function, "__module__", None) or ""
    parts = name.split(".")
    # `judgemesh` is a namespace: its portions are the packages.
    package = ".".join(parts[: 2 if parts[0] == _NAMESPACE else 1])
    file = getattr(sys.modules.get(package), "__file__", None)
    if file is not None and Path(file).is_file():
        return _of_files(Path(file))
    code = getattr(function, "__code__", None)
    return "" if not isinstance(code, CodeType) else _of_code(code)


@cache
def _of_files(file: Path) -> str:
    """The digest of a module's file, or of every file of Python of the package that the file begins."""
    total = hashlib.sha256()
    whole = file.name == "__init__.py"
    folder = file.parent
    for path in sorted(folder.rglob("*.py")) if whole else [file]:
        total.update(path.relative_to(folder).as_posix().encode() + b"\0")
        total.update(read_file(path, TABLE) + b"\0")
    return total.hexdigest()[:16]


def _of_code(code: CodeType) -> str:
    parts = [code.co_code, repr(code.co_names).encode()]
    for constant in code.co_consts:
        nested = isinstance(constant, CodeType)
        text = _of_code(constant) if nested else repr(constant)
        parts.append(text.encode(errors="replace"))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
