# SPDX-License-Identifier: Apache-2.0
"""What passed before, so that nothing is proved twice: runs, host functions, checks of the gate.

Only what passed is kept, under a key that holds everything which decides it. The key of runs is the compiled code with
what is launched of it and what it is held to, and the oracle that passed them: a kernel's name is no part of it, and a
changed machine or reference proves everything anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porter.toolchain.cache import cache_dir, key_of

if TYPE_CHECKING:
    from oracle.verify import Case, KernelUnderTest
    from porter.toolchain import CompiledKernel

#: The kind of passed runs.
RUNS = "proofs"
#: Files of a package that take part in a verdict; the machine's compiled core is one of them.
_CODE = (".py", ".jinja", ".so", ".txt")
#: What the name of a kernel of porter becomes in its code. Names of others stay: they may spell a register.
_OWN, _NAME = "flydsl_a8w8_", "kernel_under_proof"


@cache
def digest_of(*packages: str) -> str:
    """Over every file of these packages that takes part in a verdict."""
    digest = hashlib.sha256()
    for package in packages:
        root = Path(str(import_module(package).__file__)).parent
        for path in sorted(root.rglob("*")):
            if path.suffix in _CODE and path.is_file():
                digest.update(f"{package}/{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def code_hash(kernel: KernelUnderTest, compiled: CompiledKernel) -> str:
    """sha256 of the ISA text, the launches, and everything else that decides what the kernel must compute."""
    held_to = (
        *(kernel.arch, kernel.n, kernel.k, kernel.b_layout, kernel.scale_layout, kernel.scale_block_m),
        *(kernel.flavour, kernel.contract, kernel.mfma, kernel.split_k, kernel.out, sorted(kernel.e8m0)),
        *(kernel.k_slices, kernel.a_stride, kernel.b_stride),
    )
    arguments = [arg["name"] for arg in compiled.spec["args"]]
    launches = [launch.to_json() for launch in compiled.launches]
    text = "\0".join((compiled.isa, json.dumps([launches, arguments, held_to])))
    if kernel.name.startswith(_OWN):
        text = text.replace(kernel.name, _NAME)
    return hashlib.sha256(text.encode()).hexdigest()


def label(case: Case) -> str:
    """Everything of a run that decides what it shows; threads and budget do not."""
    mode = {name: value for name, value in asdict(case.mode).items() if name not in ("threads", "budget")}
    return json.dumps({**asdict(case), "mode": mode}, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Waits:
    """What the static check of waits said of a code: severe findings, and places that it could not decide."""

    findings: tuple[str, ...]
    undecided: tuple[str, ...]


def recall(kind: str, key: str) -> Any:
    """What was kept of a kind under a key, a JSON value; None where there is nothing that can be read."""
    try:
        return json.loads((cache_dir() / kind / key[:2] / key).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def keep(kind: str, key: str, value: Any) -> None:
    """Keep a JSON value. An unwritable cache is no error; a reader sees all of it or nothing."""
    from porter.errors import InputError
    from porter.write.output import replace_file

    path = cache_dir() / kind / key[:2] / key
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(value))
    except (OSError, InputError):
        return


@dataclass(slots=True)
class Kept:
    """What is known of one compiled code. key: empty for code of which nothing may be kept; passed: labels of runs."""

    key: str = ""
    passed: set[str] = field(default_factory=set)
    waits: Waits | None = None

    @classmethod
    def of(cls, code: str) -> Kept:
        """What earlier runs kept; nothing where the cache is damaged or empty."""
        key = key_of({"code": code, "oracle": digest_of("oracle")})
        data = recall(RUNS, key)
        try:
            return cls(key, set(data["passed"]), Waits(tuple(data["waits"]), tuple(data["undecided"])))
        except (KeyError, TypeError):
            return cls(key)

    def add(self, cases: Iterable[str], waits: Waits) -> None:
        """Keep passed runs."""
        passed = self.passed | set(cases)
        if self.key and (passed, waits) != (self.passed, self.waits):
            data = {"passed": sorted(passed), "waits": waits.findings, "undecided": waits.undecided}
            keep(RUNS, self.key, data)
