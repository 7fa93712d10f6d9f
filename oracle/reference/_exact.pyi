# SPDX-License-Identifier: Apache-2.0
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

def add_dot(c: Floats, dot: Floats, /) -> None: ...
def promote(acc: Floats, partial: Floats, xs: Floats, ws: Floats, tile: bool, flush: bool, /) -> None: ...
