r"""Mutants of a module: its source with one small change each.

| what | becomes |
| --- | --- |
| `<` `<=` `>` `>=` `==` `!=` `is` `is not` `in` `not in` | its neighbour or its opposite |
| `+` `-` `*` `/` `//` `%` `**` `\|` `&`, also in `+=` | another operator |
| `and`, `or`, `not x` | `or`, `and`, `x` |
| the condition of `if`, `while`, `x if c else y`, a comprehension | its negation |
| a number, `True`, `False`, a word in quotes | the number and one, the opposite, another word |
| `return x` | `return None` |
| `min` `max` `any` `all` | its opposite |
| `break`, `continue`, a call as a statement | `continue`, `break`, nothing |

Annotations, docstrings, texts of several words (messages) and calls of `cast` are left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change: where, from what, to what, and the changed module."""

    line: int
    before: str
    after: str
    tree: ast.Module


def mutants_of(source: str) -> Iterator[Mutant]:
    """Every mutant of a module's source, in the order of its lines."""
    tree = ast.parse(source)
    for path, node in _nodes(tree, ()):
        for changed in _changes(node):
            whole = _replaced(tree, path, changed)
            yield Mutant(
                getattr(node, "lineno", 0),
                _shown(node),
                "" if changed is None else _shown(changed),
                whole,
            )


_Path = tuple[tuple[str, int | None], ...]


def _nodes(node: ast.AST, path: _Path) -> Iterator[tuple[_Path, ast.AST]]:
    """The nodes that may change, with the way to each."""
    yield path, node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment", "decorator_list"):
            continue
        if isinstance(value, list):
            for index, item in enumerate(cast("list[Any]", value)):
                if isinstance(item, ast.AST) and not _is_left_alone(item):
                    yield from _nodes(item, (*path, (name, index)))
        elif isinstance(value, ast.AST) and not _is_left_alone(value):
            yield from _nodes(value, (*path, (name, None)))


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Raise():
            return True
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "dataclass")):
            return True
        case ast.Subscript(value=ast.Name(id="Literal" | "list" | "dict")):
            return True  # a type
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case _:
            return False


def _changes(node: ast.AST) -> Iterator[ast.AST | None]:
    """What may stand in the place of a node; None: nothing."""
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _OPERATORS:
            yield _with(node, op=_OPERATORS[type(node.op)]())
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield _with(node, op=other)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant():
            yield from _constants(node)
        case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
            yield _with(node, func=ast.Name(_NAMES[name], ast.Load()))
        case _:
            yield from _changes_of_flow(node)


def _changes_of_flow(node: ast.AST) -> Iterator[ast.AST | None]:
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            yield _with(node, test=_negated(node.test))
        case ast.comprehension() if node.ifs:
            for index, test in enumerate(node.ifs):
                ifs = [*node.ifs[:index], _negated(test), *node.ifs[index + 1 :]]
                yield _with(node, ifs=ifs)
        case ast.Return() if node.value is not None and not _is_none(node.value):
            yield _with(node, value=ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case _:
            return


def _comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for index, operation in enumerate(node.ops):
        for other in _COMPARISONS[type(operation)]:
            yield _with(node, ops=[*node.ops[:index], other(), *node.ops[index + 1 :]])


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    match node.value:
        case bool():
            yield ast.Constant(not node.value)
        case int() | float():
            yield ast.Constant(node.value + 1)
        case str() if node.value and " " not in node.value:
            yield ast.Constant(f"x{node.value}")
        case _:
            return


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _replaced(tree: ast.Module, path: _Path, changed: ast.AST | None) -> ast.Module:
    """The tree with another node at the end of the way; what is beside the way is shared."""
    if not path:
        return cast("ast.Module", changed)
    (name, index), *rest = path
    copied = copy.copy(tree)
    value: Any = getattr(tree, name)
    new: Any
    if index is None:
        new = _replaced(value, tuple(rest), changed)
    else:
        new = list(value)
        new[index] = _replaced(value[index], tuple(rest), changed)
    setattr(copied, name, new)
    return copied


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        return " ".join(f"if {ast.unparse(test)}" for test in node.ifs)
    text = ast.unparse(ast.fix_missing_locations(node))
    return text.partition("\n")[0][:100]
