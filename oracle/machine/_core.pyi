# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence

Result = tuple[
    list[bytes],
    int,
    bytes,
    bytes,
    tuple[int, ...],
    bytes,
    tuple[int, int, int, int, int],
    tuple[int, int, int, int, int],
]

ABI_DIGEST: str

def launch(
    config: bytes,
    code: bytes,
    memory: Sequence[tuple[int, memoryview, bool, bool]],
    workgroups: bytes,
    progress: Callable[[int, int], object] | None,
) -> Result: ...
def implemented() -> list[tuple[str, bool]]: ...
