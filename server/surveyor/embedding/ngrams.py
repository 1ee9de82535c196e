"""Which runs of three and four bytes a text has, as a few bits each: what cannot hold a string is
not read.

A signature is a bitmap over hashes of the runs, of a power of two in size, so that of a text of any
length some 20 to 40 % of the bits are set. A string that stands in a text has all its runs there;
one that does not may have all its words' parts there and still not the four bytes where they meet:
runs of four leave a tenth of the texts that runs of three do. Those serve strings of three bytes.
Letters are folded, so that one signature serves searches in any case.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from surveyor.embedding.arrays import distinct

__all__ = [
    "LEAST_BYTES",
    "NGRAMS_VERSION",
    "Clauses",
    "SignatureTable",
    "SoughtString",
    "signature",
]

NGRAMS_VERSION = 1
"""Rises with any change of what a signature says."""
LEAST_BYTES = 3
"""Bytes of a string that tells texts apart."""

Clauses = tuple[frozenset[str], ...]
"""What a text must have to match: of each set, one string at least."""

LEAST_BITS, MOST_BITS = 6, 18
"""Powers of two: 8 bytes to 32 KiB."""
TRIED_FIRST = 8
"""Runs of a string that are looked for before all of it is made ready for a signature's size: with
a third of the bits set, hardly a text has so many that does not have the others."""
BITS_EACH = 2.0
"""Bits for each distinct run, at least; at most twice as many."""

_MULTIPLIERS = (np.uint32(2_654_435_769), np.uint32(2_246_822_519))
"""2**32 over the golden ratio (Knuth's multiplicative hashing) for runs of three, and a prime of
xxHash for those of four: the upper bits of the product are the hash."""
_ODD_CASES = (("\u212a".encode(), b"k"), ("\u017f".encode(), b"s"))
"""The two letters beyond ASCII that are cases of one in it."""


def signature(text: bytes) -> bytes:
    """The signature of a text in UTF-8; empty for one of less than three bytes."""
    hashes = _hashes(text)
    if not len(hashes):
        return b""
    bits = _bits(hashes, MOST_BITS)
    wanted = int(np.count_nonzero(bits)) * BITS_EACH
    size = LEAST_BITS
    while size < MOST_BITS and (1 << size) < wanted:
        size += 1
    if size < MOST_BITS:
        bits = _bits(hashes, size)
    return np.packbits(bits, bitorder="little").tobytes()


def _bits(hashes: npt.NDArray[np.uint32], size: int) -> npt.NDArray[np.bool_]:
    """Which of so many bits, as a power of two, the hashes set."""
    bits: npt.NDArray[np.bool_] = np.zeros(1 << size, dtype=np.bool_)
    bits[hashes >> np.uint32(32 - size)] = True
    return bits


class SoughtString:
    """A string that is looked for in a few texts, each by itself: a table of them costs more."""

    def __init__(self, text: str) -> None:
        self._hashes = _hashes(text.encode("utf-8", "surrogatepass"))
        self._first = self._hashes[:: max(1, len(self._hashes) // TRIED_FIRST)].tolist()
        self._tried: dict[int, list[tuple[int, int]]] = {}
        self._bits: dict[int, list[tuple[int, int]]] = {}
        """The bits to be set, of some runs and of all, as bytes and masks, by the size of a
        signature."""

    def may_stand_in(self, signature: bytes) -> bool:
        """Whether the text of a signature may have it. One of less than three bytes may stand
        anywhere."""
        if not len(self._hashes):
            return True
        if not signature:
            return False
        size = len(signature)
        first = self._tried.get(size)
        if first is None:
            shift = 33 - (size * 8).bit_length()
            first = self._tried[size] = [_bit(each >> shift) for each in self._first]
        for at, mask in first:
            if not signature[at] & mask:
                return False
        bits = self._bits.get(size)
        if bits is None:
            places = distinct(self._hashes >> _shift(size)).tolist()
            bits = self._bits[size] = [_bit(place) for place in places]
        return all(signature[at] & mask for at, mask in bits)


def _bit(place: int) -> tuple[int, int]:
    """The byte of a bit, and its mask."""
    return place >> 3, 1 << (place & 7)


class SignatureTable:
    """Many signatures, those of a size as the rows of one array."""

    def __init__(self, signatures: Sequence[bytes]) -> None:
        self._length = len(signatures)
        by_size: dict[int, list[int]] = {}
        for number, each in enumerate(signatures):
            by_size.setdefault(len(each), []).append(number)
        self._rows = {
            size: (
                np.array(numbers),
                np.frombuffer(b"".join([signatures[n] for n in numbers]), dtype=np.uint8).reshape(
                    len(numbers), size
                ),
            )
            for size, numbers in by_size.items()
        }

    @property
    def bytes(self) -> int:
        """What the signatures take."""
        return sum(rows.nbytes for _, rows in self._rows.values())

    def may_hold(self, clauses: Clauses) -> npt.NDArray[np.bool_]:
        """For each signature, as they were given, whether its text may have what all the clauses
        say. Strings of less than three bytes say nothing, and neither does a clause with one."""
        wanted = [
            [_hashes(each.encode("utf-8", "surrogatepass")) for each in some] for some in clauses
        ]
        wanted = [strings for strings in wanted if all(len(each) for each in strings)]
        found = np.ones(self._length, dtype=np.bool_)
        if not wanted:
            return found
        for size, (numbers, rows) in self._rows.items():
            # What is empty is shorter than any string that is looked for.
            found[numbers] = _rows_that_hold(rows, wanted) if size else False
        return found


def _rows_that_hold(
    rows: npt.NDArray[np.uint8], wanted: Sequence[Sequence[npt.NDArray[np.uint32]]]
) -> npt.NDArray[np.bool_]:
    shift = _shift(rows.shape[1])
    among = np.arange(len(rows))
    for strings in wanted:
        any_of = np.zeros(len(rows), dtype=np.bool_)
        for hashes in strings:
            some = among
            for place in distinct(hashes >> shift):
                some = some[(rows[some, place >> 3] >> (place & 7)) & 1 == 1]
                if not len(some):
                    break
            any_of[some] = True
        among = among[any_of[among]]
    held = np.zeros(len(rows), dtype=np.bool_)
    held[among] = True
    return held


def _shift(size: int) -> np.uint32:
    """By how much a hash is shifted for its place in a signature of so many bytes."""
    return np.uint32(33 - (size * 8).bit_length())


def _hashes(text: bytes) -> npt.NDArray[np.uint32]:
    """A hash of every run of three and of four bytes, in any case of its letters."""
    folded = text.lower()
    if not folded.isascii():
        for odd, plain in _ODD_CASES:
            folded = folded.replace(odd, plain)
    if len(folded) < LEAST_BYTES:
        return np.empty(0, dtype=np.uint32)
    each = np.frombuffer(folded, dtype=np.uint8).astype(np.uint32)
    three = (each[:-2] << np.uint32(16)) | (each[1:-1] << np.uint32(8)) | each[2:]
    four = (three[:-1] << np.uint32(8)) | each[3:]
    return np.concatenate((three * _MULTIPLIERS[0], four * _MULTIPLIERS[1]))
