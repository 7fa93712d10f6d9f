# SPDX-License-Identifier: Apache-2.0
"""What a hand-written kernel says of itself: launcher, argument roles, sizes and numeric contract."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from oracle.reference import slice_map
from porter.errors import SourceSpan
from porter.runtime._serving import SCALE_BLOCK

#: What a kernel may declare: key -> (values allowed, None for any of the default's type; default, None: required).
_DECLARED: dict[str, tuple[tuple[Any, ...] | None, Any]] = {
    "launcher": (None, "build"),
    "args": (None, None),
    "n": (None, 0),
    "k": (None, 0),
    "weights": (None, ()),
    "host": (None, ""),
    "mfma": (("16x16x128", "32x32x64", "16x16x32", "32x32x16"), None),
    "k_slices": (("contiguous", "ck", "assembler"), "contiguous"),
    "arch": (("gfx950", "gfx942"), "gfx950"),
    "contract": (("ck", "cktile"), "ck"),
    "scale_block_m": ((1, 128), 1),
    "scale_layout": (("rm", "km"), "rm"),
    "b_layout": (("row_major", "shuffled_16x16"), "row_major"),
    "split_k": (None, 1),
    "out_dtype": (("bf16", "fp16"), "bf16"),
    "m": (None, (1, 64, 301)),
}
#: Rows and columns that a declaration may ask for; the machine would need days for more.
_LARGEST_SIZE = 1 << 20
#: Argument roles and their kinds; dtype of pointers.
ROLES = {"C": "", "A": "fp8", "B": "fp8", "x_scale": "fp32", "w_scale": "fp32", "workspace": "fp32"}
SCALARS = ("M", "N", "K")


def constant(tree: ast.Module, path: str, otherwise: SourceSpan) -> tuple[dict[str, Any] | None, SourceSpan]:
    """(the module's PORTER, where it stands); ({}, otherwise) without one. It is read, never run: None where it is not
    written with literals alone."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "PORTER" for t in node.targets):
            try:
                value = ast.literal_eval(node.value)
            except (ValueError, TypeError):
                value = None
            keys = isinstance(value, dict) and all(isinstance(key, str) for key in value)
            return (value if keys else None), SourceSpan(path, node.lineno)
    return {}, otherwise


def complete(given: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """(declaration with defaults, what is wrong). Neither: nothing is declared, so the kernel is not proved."""
    if not given:
        return None, ""
    unknown = sorted(set(given) - set(_DECLARED))
    if unknown:
        return None, f"declares {', '.join(unknown)}; known: {', '.join(_DECLARED)}"
    missing = [key for key, (_, default) in _DECLARED.items() if default is None and key not in given]
    if missing:
        return None, f"does not declare {', '.join(missing)}"
    full = {key: given.get(key, default) for key, (_, default) in _DECLARED.items()}
    for key, (allowed, _) in _DECLARED.items():
        if allowed is not None and full[key] not in allowed:
            return None, f"{key} = {full[key]!r}: expected one of {', '.join(map(str, allowed))}"
    try:
        slice_map(full["mfma"], full["k_slices"])
    except ValueError as error:
        return None, str(error)
    if problem := _take_weights(full, given):
        return None, problem
    if not _size(full["split_k"]):
        return None, f"split_k = {full['split_k']!r}: expected a positive whole number up to {_LARGEST_SIZE}"
    rows = full["m"] if isinstance(full["m"], list | tuple) else [full["m"]]
    if not rows or not all(_size(m) for m in rows):
        return None, f"m = {full['m']!r}: expected one or more numbers of rows, 1 to {_LARGEST_SIZE}"
    full["m"] = list(rows)
    if not isinstance(full["launcher"], str) or not full["launcher"].isidentifier():
        return None, f"launcher = {full['launcher']!r}: expected the name of a function build(N, K)"
    if not isinstance(full["host"], str) or not (full["host"] == "" or full["host"].isidentifier()):
        return None, f"host = {full['host']!r}: expected the name of a function (XQ, WQ, x_scale, w_scale, dtype)"
    roles = full["args"]
    known = {*ROLES, *SCALARS}
    if not isinstance(roles, list | tuple) or not all(role in known for role in map(str, roles)) or "C" not in roles:
        return None, f"args = {roles!r}: expected roles from {', '.join((*ROLES, *SCALARS))} in the launcher's order"
    full["args"] = [
        (
            {"name": role, "kind": "i32"}
            if role in SCALARS
            else {"name": role, "kind": "pointer", "dtype": ROLES[role] or full["out_dtype"]}
        )
        for role in roles
    ]
    return full, ""


def _take_weights(full: dict[str, Any], given: Mapping[str, Any]) -> str:
    """Put every declared (N, K) into full["weights"], in place of n and k; returns what is wrong."""
    pairs = full["weights"]
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs
    ):
        return f"weights = {pairs!r}: expected pairs of N and K, such as [[512, 768], [560, 1152]]"
    n, k = full.pop("n"), full.pop("k")
    if ("n" in given, "k" in given) not in ((True, True), (False, False)) or not ("n" in given or pairs):
        return "does not declare n and k, or weights"
    full["weights"] = [[n, k]] * ("n" in given) + [list(pair) for pair in pairs]
    for n, k in full["weights"]:
        if not _size(n) or not _size(k):
            return f"n = {n!r}, k = {k!r}: expected positive whole numbers up to {_LARGEST_SIZE}"
        if k % SCALE_BLOCK:
            return f"k = {k}: expected a multiple of {SCALE_BLOCK}"
    return ""


def _size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_SIZE
