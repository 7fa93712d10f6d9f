# SPDX-License-Identifier: Apache-2.0
"""Composable Kernel's own block-scale GEMMs as kernels to run: from a code object to launches.

An object that porter built states itself: three tables in its read-only data, which the compiler filled while it
compiled the kernels, say where the fields of CK's Argument lie, what the instance is, and which kernel serves how many
K blocks. Nothing of that is guessed here; what is computed are the values that CK's host code puts into the fields.

Source of the rules: CK, gridwise_gemm_xdl_cshuffle_v3_multi_d_ab_scale.hpp and ..._blockscale_b_preshuffle.hpp
(struct Problem, CheckValidity), November 2025.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from oracle.kernarg import Field, KernargLayout
from oracle.machine import elf
from oracle.machine.errors import LaunchError, ProgramError
from oracle.machine.program import Program, load
from oracle.reference import SCALE_BLOCK, Flavour, Mfma
from oracle.verify import KernelUnderTest, Step

#: CK's names of the operands.
_OPERANDS = {
    "C": "p_c_grid",
    "A": "p_a_grid",
    "B": "p_b_grid",
    "x_scale": "p_a_scale_grid",
    "w_scale": "p_b_scale_grid",
}
#: MFMA of each chip by MPerXDL: K elements of the instruction (docs/notes/ck.md#mfma-and-k-slices).
_MFMA_K = {("gfx950", 16): 128, ("gfx950", 32): 64, ("gfx942", 16): 32, ("gfx942", 32): 16}
#: The end of a kernel's symbol: its main loop and its TailNumber, as the Itanium ABI spells template arguments.
_CHOICE = re.compile(r"ELb([01])ELNS_25InMemoryDataOperationEnumE\d+ELi\d+ELNS_10TailNumberE(\d+)EEEv")

_FIELD, _FACT = struct.Struct("<24sII"), struct.Struct("<24si")


@dataclass(frozen=True)
class CkObject:
    """One CK instance, compiled.

    facts: CK's template parameters by name; layout: of its Argument; kernels: symbol of each (main loop, TailNumber);
    choices: for each number of K blocks 0, or 1 + 2 * TailNumber + main loop.
    """

    path: str
    program: Program
    facts: Mapping[str, int]
    layout: KernargLayout
    kernels: Mapping[tuple[bool, int], str]
    choices: bytes

    @property
    def arch(self) -> str:
        return self.program.arch

    @property
    def tile(self) -> tuple[int, int, int]:
        """MPerBlock, NPerBlock, KPerBlock."""
        return self.facts["MPerBlock"], self.facts["NPerBlock"], self.facts["KPerBlock"]

    @property
    def threads(self) -> int:
        """Work-items of a workgroup."""
        return self.facts["BlockSize"]

    @property
    def mfma(self) -> Mfma:
        """The instruction that CK issues on the chip for the instance's XDL."""
        square = self.facts["MPerXDL"]
        return cast(Mfma, f"{square}x{square}x{_MFMA_K[self.arch, square]}")

    def refusals(self, m: int, n: int, k: int) -> list[str]:
        """Why CK would not run a shape (its IsSupportedArgument), or nothing."""
        tile_n, tile_k = self.tile[1:]
        facts, found = self.facts, []
        if k % facts["AK1"] or k % facts["BK1"]:
            found.append(f"K = {k} is no multiple of AK1 = {facts['AK1']} and BK1 = {facts['BK1']}")
        if (facts["Preshuffled"] or not facts["Padded"]) and k % tile_k:
            found.append(f"K = {k} is no multiple of KPerBlock = {tile_k}")
        if facts["Preshuffled"] and n % tile_n:
            found.append(f"N = {n} is no multiple of NPerBlock = {tile_n}")
        if n % facts["CVector"]:
            found.append(f"N = {n} is no multiple of the C store's {facts['CVector']} elements")
        loops = -(-k // tile_k)
        if loops >= len(self.choices):
            found.append(f"K = {k} is more than {len(self.choices) - 1} K blocks")
        elif not self.choices[loops]:
            found.append(f"no kernel of the instance runs {loops} K blocks of {tile_k}")
        return found

    def served(self, symbol: str) -> list[int]:
        """The numbers of K tiles for which CK launches a kernel, as far as the object's table goes."""
        codes = [1 + 2 * tail + main for (main, tail), known in self.kernels.items() if known == symbol]
        return [loops for loops, choice in enumerate(self.choices) if choice in codes]

    def kernel(self, k: int) -> str:
        """The symbol that serves K. Raises LaunchError (CKM102) where CK has none."""
        choice = self.choices[-(-k // self.tile[2])]
        main, tail = bool((choice - 1) % 2), (choice - 1) // 2
        try:
            return self.kernels[main, tail]
        except KeyError:
            raise LaunchError("CKM102", f"no kernel with main loop {main} and TailNumber {tail}", self.path) from None

    def under_test(self, n: int, k: int) -> KernelUnderTest:
        """The instance as a kernel with sizes N and K, for the rooms that prove kernels.

        Raises LaunchError (CKM106) for an N or K that CK itself refuses, at any M.
        """
        refusals = self.refusals(1, n, k)
        if refusals:
            raise LaunchError("CKM106", f"CK does not run N = {n}, K = {k}: {'; '.join(refusals)}", self.path)
        flavour: Flavour = "e4m3fn" if self.arch == "gfx950" else "e4m3fnuz"
        preshuffled = bool(self.facts["Preshuffled"])
        return KernelUnderTest(
            name=Path(self.path).stem,
            isa=self.path,
            arch=self.arch,
            steps=lambda m: [self.step(m, n, k)],
            n=n,
            k=k,
            b_layout="shuffled_16x16" if preshuffled else "row_major",
            scale_layout="k_major" if preshuffled else "row_major",
            scale_block_m=self.facts["ScaleBlockM"],
            flavour=flavour,
            contract="ck",
            mfma=self.mfma,
            split_k=1,
            out="bf16",
            k_slices=self.facts["KShare"],
            fp32_denormals="flush" if self.facts["FlushDenormals"] else "keep",
        )

    def step(self, m: int, n: int, k: int) -> Step:
        """CK's one launch for a shape: grid and the values of its Argument, KBatch 1."""
        tile_m, tile_n, tile_k = self.tile
        facts = self.facts
        blocks_m, blocks_n, blocks_k = -(-m // tile_m), -(-n // tile_n), -(-k // tile_k)
        read = math.lcm(facts["AK1"], facts["BK1"])
        values = {
            "M": m,
            "N": n,
            "K": k,
            "StrideA": k,
            "StrideB": k,
            "StrideC": n,
            "KBatch": 1,
            "MPadded": blocks_m * tile_m,
            "NPadded": blocks_n * tile_n,
            "KPadded": blocks_k * tile_k,
            "KRead": -(-k // read) * read,
            "AK0": blocks_k * tile_k // facts["AK1"],
            "BK0": blocks_k * tile_k // facts["BK1"],
            "MBlock": blocks_m,
            "NBlock": blocks_n,
        }
        block = (self.threads, 1, 1)
        return Step(
            self.kernel(k), (blocks_m * blocks_n, 1, 1), block, tuple(_OPERANDS), self.layout, _OPERANDS, values
        )


def read(path: str | os.PathLike[str]) -> CkObject:
    """A code object that porter built of a CK instance.

    Raises ProgramError: CKM010 and CKM014 as for any object, CKM018 for one without the tables or with damaged ones;
    LaunchError (CKM102) where its Argument's fields overlap; DisassemblerMissing.
    """
    name = os.fspath(path)
    program = load(path)
    raw = Path(path).read_bytes()
    argument, instance, choices = (
        elf.symbol_data(raw, f"porter_{table}", name) for table in ("argument", "instance", "kernels")
    )
    if not (argument and instance and choices):
        raise ProgramError("CKM018", "no tables of a CK instance: porter did not build this object", name)
    try:
        rows = [(_text(label), offset, size) for label, offset, size in _FIELD.iter_unpack(argument)]
        facts = {_text(label): value for label, value in _FACT.iter_unpack(instance)}
    except (struct.error, UnicodeDecodeError) as error:
        raise ProgramError("CKM018", f"damaged tables of a CK instance: {error}", name) from error
    sizes = [offset for label, offset, _ in rows if not label]
    fields = tuple(Field(label, offset, size) for label, offset, size in rows if label)
    facts.pop("", None)
    if len(sizes) != 1 or not _complete(facts):
        raise ProgramError("CKM018", "damaged tables of a CK instance", name)
    return CkObject(name, program, facts, KernargLayout(fields, sizes[0]), _kernels(program), choices)


def _text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("ascii")


def _complete(facts: Mapping[str, int]) -> bool:
    """Whether all that is asked of an instance is there and positive, and its scale block is one that exists."""
    sizes = (
        "ScaleBlockM",
        "MPerBlock",
        "NPerBlock",
        "KPerBlock",
        "MPerXDL",
        "BlockSize",
        "AK1",
        "BK1",
        "CVector",
        "KShare",
    )
    flags = ("Padded", "Preshuffled", "FlushDenormals")
    return (
        all(facts.get(name, 0) > 0 for name in sizes)
        and all(name in facts for name in flags)
        and facts["MPerXDL"] in (16, 32)
        and facts["ScaleBlockM"] in (1, SCALE_BLOCK)
    )


def _kernels(program: Program) -> dict[tuple[bool, int], str]:
    found = ((match, symbol) for symbol in program.kernels if (match := _CHOICE.search(symbol)))
    return {(match[1] == "1", int(match[2])): symbol for match, symbol in found}
