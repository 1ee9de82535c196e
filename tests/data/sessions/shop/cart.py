"""A cart of goods, with prices — é included."""

from __future__ import annotations

from stock import Stock, take


class Cart:
    """What a customer wants to buy."""

    def __init__(self, stock: Stock) -> None:
        self.stock = stock
        self.names: list[str] = []

    def add(self, name: str, count: int = 1) -> int:
        """Put something into the cart; returns how much there is in it."""
        for _ in range(count):
            self.names.append(take(self.stock, name))
        return len(self.names)

    def total(self) -> float:
        """The sum of all prices."""
        return sum(self.stock.prices[name] for name in self.names)


def pay(cart: Cart, money: float) -> float:
    """Pay for everything; returns the change."""
    if money < cart.total():
        raise ValueError("too little")
    return money - cart.total() + missing


if __name__ == "__main__":
    cart = Cart(Stock({"tea": 2.5}))
    cart.add("tea", 2)
    print("à payer:", cart.total(), pay(cart, 10))
