"""Objects of JSON, or dictionaries as Python prints them, with their numbers as they are written."""

import ast
import json
from typing import Any

_NO_LITERALS: dict[str, str | bool | None] = {"nan": "", "inf": "inf", "true": True, "false": False, "null": None}
"""What Python prints, or JavaScript has, by a name."""


def decoder() -> json.JSONDecoder:
    """Return what reads JSON; ValueError where a name is there twice."""
    return json.JSONDecoder(
        object_pairs_hook=_pairs,
        parse_float=str,
        parse_int=str,
        parse_constant=lambda name: "" if name == "NaN" else name,
    )


class _Bare(ast.NodeTransformer):
    """Takes `np.float64(1.5)` for the number in it, `nan` for nothing, `{n: 8}` for `{"n": 8}`."""

    def visit_Dict(self, own: ast.Dict) -> ast.AST:
        own.keys = [ast.Constant(key.id) if isinstance(key, ast.Name) else key for key in own.keys]
        return self.generic_visit(own)

    def visit_Call(self, call: ast.Call) -> ast.AST:
        return self.visit(call.args[0]) if len(call.args) == 1 else call

    def visit_Name(self, name: ast.Name) -> ast.AST:
        return ast.Constant(_NO_LITERALS[name.id]) if name.id in _NO_LITERALS else name


def dictionary(line: str) -> dict[str, Any]:
    """Return an object of JSON, or a dictionary as Python prints it; ValueError of anything else, or a name twice."""
    try:
        return dict(decoder().decode(line))
    except json.JSONDecodeError:
        pass
    try:
        told = _Bare().visit(ast.parse(line.strip(), mode="eval").body)
        found: dict[str, Any] = ast.literal_eval(told)
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("neither JSON nor Python") from None
    if (
        not isinstance(told, ast.Dict)
        or len(found) < len(told.keys)
        or not all(isinstance(name, str) for name in found)
    ):
        raise ValueError("no names, or one of them twice")
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found
