"""`state.db`: the truth from which the vector store can always be rebuilt."""

from surveyor.store.state.database import State, StateError, Transaction, damage_of

__all__ = ["State", "StateError", "Transaction", "damage_of"]
