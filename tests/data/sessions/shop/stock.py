"""What a shop has."""


class Stock:
    """Prices by name."""

    def __init__(self, prices: dict[str, float]) -> None:
        self.prices = prices


def take(stock: Stock, name: str) -> str:
    """Take one thing out of the stock."""
    if name not in stock.prices:
        raise KeyError(name)
    return name
