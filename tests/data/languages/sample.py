"""Orders and what belongs to them."""

from __future__ import annotations

from __future__ import annotations

import json as js
from collections.abc import Iterator
from .base import Entity, Clock

MAX_LINES = 100
count, total = 0, 1
type Handler = Callable[[Order], None]


@dataclass(frozen=True)
class Order(Base, Payable):
    """What a customer buys."""

    customer: str
    lines: list[Line] = field(default_factory=list)
    limit = 10

    def __init__(self, customer: str) -> None:
        self.customer = customer

    @property
    def total(self) -> float:
        '''Adds up
        the lines.'''
        return sum(price(line) for line in self.lines)

    async def pay(self, account: Account, *, amount: float | None = None) -> None:
        def check(value):
            return value > 0

        await account.withdraw(amount or self.total)

    class Error(Exception):
        pass


# Reads an order.
# From JSON.
def read(path):
    local = 1
    return Order(js.load(open(path)))


if __name__ == "__main__":
    main = read
    main("order.json")
