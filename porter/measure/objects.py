# SPDX-License-Identifier: Apache-2.0
"""The census of code objects, whoever built them; CK's own say themselves which kernel serves which K."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from porter.census import CountedKernel
from porter.errors import InputError, ToolchainMissing
from porter.measure.census import Code, count

if TYPE_CHECKING:
    from oracle.ck_abi import CkObject

#: How files of machine code are called.
SUFFIXES = (".co", ".hsaco", ".o")
_ELF, _BUNDLE = b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__"


@contextmanager
def machine_errors(path: str) -> Iterator[None]:
    """What the machine says of a file as an error for people, with the machine's code and the line.

    Raises InputError; ToolchainMissing (CKM030) without llvm-objdump.
    """
    from oracle.machine import DisassemblerMissing, MachineError

    try:
        yield
    except DisassemblerMissing as error:
        raise ToolchainMissing(error.code, error.message) from error
    except MachineError as error:
        place = f"{path}:{error.line}" if error.line else path
        raise InputError(error.code, f"{place}: {error.message}") from error


def count_object(path: str) -> tuple[CountedKernel, ...]:
    """Every kernel of a code object that has MFMAs, or of a CK instance that porter built, those that CK launches.

    Raises InputError: CKM010 for a file that cannot be read, CKM013 for another chip, CKM014 for no code object, CKM018
    for damaged tables of a CK instance, CKB007 without a kernel, CKB008 where no kernel has an MFMA;
    ToolchainMissing (CKM030).
    """
    with machine_errors(path):
        code, ck = _read(path)
    if not code.kernels:
        raise InputError("CKB007", f"{path}: a code object without a kernel")
    counted = _of_ck(code, ck) if ck else count(code)
    found = tuple(kernel for kernel in counted if kernel.loop.mfma)
    if not found:
        names = ", ".join(code.kernels)
        raise InputError("CKB008", f"{path}: no kernel of the object has an MFMA", hint=f"its kernels: {names}")
    return found


def count_launched(path: str, n: int, k: int) -> CountedKernel:
    """The kernel of a CK instance that porter built which CK launches for B of this N and K.

    Raises InputError: CKM010, CKM013, CKM014 as `count_object`, CKM018 for an object without the tables of an instance,
    CKM106 for an N or K that CK does not run; ToolchainMissing (CKM030).
    """
    from oracle.machine import ProgramError

    with machine_errors(path):
        code, ck = _read(path)
        if ck is None:
            raise ProgramError("CKM018", "no tables of a CK instance: porter did not build this object")
        (step,) = ck.under_test(n, k).steps(1)
    name = code.kernels[step.kernel].name
    return next(kernel for kernel in _of_ck(code, ck) if kernel.name == name)


def _read(path: str) -> tuple[Code, CkObject | None]:
    from oracle import ck_abi
    from oracle.machine import ProgramError, elf
    from oracle.machine.metadata import kernels
    from oracle.machine.text import read

    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ProgramError("CKM010", f"cannot read: {error.strerror}") from error
    if raw.startswith(_BUNDLE):
        raise ProgramError("CKM014", "a bundle of code objects: clang-offload-bundler --unbundle takes them out")
    if not raw.startswith(_ELF):
        raise ProgramError("CKM014", "no code object: the file is no ELF")
    image = elf.read(raw, path)
    code = Code(path, read(image.disassembly, path), kernels(image.descriptors, image.metadata), image.arch)
    missing = [symbol for symbol in code.kernels if symbol not in code.listing.labels]
    if missing:
        raise ProgramError("CKM014", f"damaged code object: kernel {missing[0]} has no code")
    return code, ck_abi.read(path) if elf.symbol_data(raw, "porter_instance", path) else None


def _of_ck(code: Code, ck: CkObject) -> Iterator[CountedKernel]:
    """Its kernels in the order of the K that they serve; helpers that CK compiles along are left out."""
    counted = {kernel.name: kernel for kernel in count(code, ck)}
    served = {symbol: ck.served(symbol) for symbol in ck.kernels.values()}
    for symbol in sorted(served, key=lambda symbol: served[symbol]):
        yield msgspec.structs.replace(counted[code.kernels[symbol].name], k_tiles=_words(served[symbol]))


def _words(loops: Sequence[int]) -> str:
    """Numbers of K tiles in a word: `1`, `1, 2`, `from 3`, `even from 4`."""
    if len(loops) < 3:
        return ", ".join(map(str, loops)) or "none"
    steps = {later - earlier for earlier, later in pairwise(loops)}
    parity = ("even ", "odd ")[loops[0] % 2] if steps == {2} else ""
    return f"{parity}from {loops[0]}" if steps in ({1}, {2}) else f"{len(loops)} of {loops[0]} to {loops[-1]}"
