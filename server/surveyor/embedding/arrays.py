"""What numpy has in a form that loads much more: `np.unique` imports its masked arrays, 25 ms of a
processor that the first search of an engine, or the first file of a worker, would wait for."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

A = TypeVar("A", bound=np.generic)


def distinct(values: np.ndarray[Any, np.dtype[A]]) -> np.ndarray[Any, np.dtype[A]]:
    """The different values of a row, ascending."""
    ordered = np.sort(values)
    if len(ordered) < 2:
        return ordered
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]
