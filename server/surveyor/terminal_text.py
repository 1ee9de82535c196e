"""Text of others, made safe to show in a terminal."""

from __future__ import annotations

_WRITTEN_OUT = {
    code: repr(chr(code))[1:-1]
    for code in (
        *(code for code in range(0x20) if chr(code) != "\t"),
        *range(0x7F, 0xA0),
        0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A),
    )
}  # fmt: skip
"""Control characters, separators of lines, and marks of direction, as Python writes them."""


def written_out(text: str) -> str:
    """`text` with line breaks, and what a terminal would obey or hide, written out.

    A file's name and a line of code may hold anything but must not break a line in two, clear
    the screen or turn the rest around.
    """
    return text.translate(_WRITTEN_OUT)
