# SPDX-License-Identifier: Apache-2.0
"""How does gfx950 round inside an MFMA? One capture on an MI355X settles it; AMD has not published it.

    python examples/mfma_rounding.py capture mfma.npz    # on an MI355X, from the repository's folder
    python examples/mfma_rounding.py analyse mfma.npz    # anywhere

The capture kernel is a committed one (CAPTURE), with one v_mfma_f32_16x16x128_f8f6f4 a scale block. Its data set
`cancel` takes the first half of K back in the second, so that what is left of most results is the rounding inside. Two
models are held against the captured bits: `instruction`, one round-to-nearest-even of C plus the exact dot product (the
contract, and porter's machine), and `element`, one rounding for each K, in ascending order (AMD's emulator rocjitsu).
They differ in 86 % of the results of this data. Bits that fit neither are worth an issue, with the file attached.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from oracle.datasets import dataset  # noqa: E402
from oracle.reference import SCALE_BLOCK, Problem, bf16_bits, decode, fma32, mfma_add, reference  # noqa: E402

CAPTURE = "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16"
SIZES = (64, 128, 256)  # M, N, K


def problem() -> Problem:
    """The data of every capture: seeded, so that the file need not carry it."""
    return dataset("cancel", *SIZES, seed=2026)


def capture(file: str) -> int:
    """Runs the kernel on the first GPU and saves C's bits."""
    kernel = importlib.import_module(f"generated.{CAPTURE}")
    given = problem()
    fp8 = torch.float8_e4m3fn
    x, w = (codes.view(fp8).cuda() for codes in (given.x, given.w))
    c = kernel.gemm_a8w8_blockscale(x, w, given.xs.cuda(), given.ws.cuda())
    torch.cuda.synchronize()
    np.savez(file, c=c.cpu().view(torch.uint16).numpy(), device=torch.cuda.get_device_properties(0).gcnArchName)
    print(f"{file}: {tuple(c.shape)} results")
    return 0


def by_element(given: Problem) -> torch.Tensor:
    """The contract's GEMM with one rounding for each K: bf16 patterns [M, N]."""
    x, w = (decode(codes, given.flavour) for codes in (given.x, given.w))
    ws = given.ws.repeat_interleave(SCALE_BLOCK, 0)[: given.n]
    total = torch.zeros((given.m, given.n), dtype=torch.float32)
    for block in range(given.k // SCALE_BLOCK):
        partial = torch.zeros_like(total)
        for k in range(block * SCALE_BLOCK, (block + 1) * SCALE_BLOCK):
            partial = mfma_add(partial, x[:, k, None] * w[None, :, k])  # the product is exact
        scale = given.xs[:, block, None] * ws[None, :, block]
        total = fma32(scale, partial, total)
    return bf16_bits(total).view(torch.uint16)


MODELS: dict[str, Callable[[Problem], torch.Tensor]] = {"instruction": reference, "element": by_element}


def shares(bits: torch.Tensor) -> dict[str, float]:
    """Of the captured bits, how many each model gives."""
    given = problem()
    return {name: (bits.int() == model(given).int()).double().mean().item() for name, model in MODELS.items()}


def verdict(found: dict[str, float]) -> str:
    """In words. The contract expects 99.9 % of its own model (docs/contract.md, On hardware)."""
    fitting = [name for name, share in found.items() if share >= 0.999]
    return f"one rounding for each {fitting[0]}" if len(fitting) == 1 else "neither model"


def analyse(file: str) -> int:
    """Says which model the bits follow; 1 where it is not the contract's."""
    saved = np.load(file)
    found = shares(torch.from_numpy(saved["c"]))
    for name, share in found.items():
        print(f"one rounding for each {name}: {share:.2%} of {saved['c'].size} results equal")
    print(f"{saved['device']}: {verdict(found)}")
    return int(found["instruction"] < 0.999)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("capture", "analyse"):
        sys.exit(__doc__)
    sys.exit({"capture": capture, "analyse": analyse}[sys.argv[1]](sys.argv[2]))
