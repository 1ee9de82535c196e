"""A space, and points to write to it."""

from __future__ import annotations

import uuid

import numpy as np

from surveyor.store.vectors.contract import Point, Space, Sparse

DIMENSION = 16


def space(tenant: str = "t", model: str = "m") -> Space:
    return Space("projects", tenant, model, DIMENSION)


def key(number: int) -> str:
    return str(uuid.UUID(int=number))


def points(first: int, last: int) -> list[Point]:
    numbers = np.random.default_rng(first)
    return [
        Point(
            key(number),
            numbers.normal(size=DIMENSION).astype(np.float32),
            Sparse((number % 97 + 1, 4_000_000_000), (1.5, 0.5)),
            {"file_path": f"f{number % 10}.py", "is_fragment": number % 2 == 0},
        )
        for number in range(first, last)
    ]
