"""A terminal's screen as an SVG, which fetches nothing to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import pairwise

from rich.color import Color
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 18, 14
MARGIN = 12
THEME = TerminalTheme(
    (0x1B, 0x1D, 0x23),
    (0xD8, 0xDA, 0xE0),
    [
        (0x3B, 0x40, 0x4C), (0xE0, 0x6C, 0x75), (0x98, 0xC3, 0x79), (0xE5, 0xC0, 0x7B),
        (0x61, 0xAF, 0xEF), (0xC6, 0x78, 0xDD), (0x56, 0xB6, 0xC2), (0xD8, 0xDA, 0xE0),
    ],
    [
        (0x7F, 0x84, 0x8E), (0xF0, 0x8A, 0x92), (0xB0, 0xD8, 0x96), (0xF0, 0xD2, 0x98),
        (0x80, 0xC0, 0xFF), (0xD8, 0x98, 0xEC), (0x78, 0xCE, 0xD8), (0xFF, 0xFF, 0xFF),
    ],
)  # fmt: skip
CSS = (
    f"text{{font:{FONT_SIZE}px 'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,monospace;"
    "white-space:pre}"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a terminal shows."""

    lines: tuple[str, ...]
    """Each with the escape sequences of its colours."""
    cursor: tuple[int, int]
    """Row and column."""


@dataclass(frozen=True, slots=True)
class Shot:
    """What a terminal shows for a while."""

    frame: Frame
    seconds: float


def picture(frame: Frame, columns: int) -> str:
    """One screen as an SVG."""
    return _page(columns, len(frame.lines), _screen(frame), "")


def film(shots: list[Shot], size: tuple[int, int], title: str, described: str) -> str:
    """Screens one after the other, again and again; who wants no motion sees the last.

    `title` and `described` are what a reader hears who cannot see it.
    """
    whole = sum(shot.seconds for shot in shots)
    rules = [
        f".s{{visibility:hidden;animation:{whole:g}s step-end infinite}}",
        "@media(prefers-reduced-motion){.s{animation:none}.s:last-child{visibility:visible}}",
    ]
    screens, begun = [], 0.0
    for number, shot in enumerate(shots):
        begins, ends = (f"{100 * at / whole:.3f}%" for at in (begun, begun + shot.seconds))
        hidden = "" if begun == 0 else "0%{visibility:hidden}"
        rules.append(
            f"@keyframes k{number}{{{hidden}{begins}{{visibility:visible}}"
            f"{ends}{{visibility:hidden}}}}#s{number}{{animation-name:k{number}}}"
        )
        screens.append(f'<g class="s" id="s{number}">{_screen(shot.frame)}</g>')
        begun += shot.seconds
    spoken = f"<title>{escape(title)}</title><desc>{escape(described)}</desc>"
    style = f"<style>{''.join(rules)}</style>"
    return _page(size[0], size[1], "".join(screens), f"{spoken}{style}")


def _screen(frame: Frame) -> str:
    lines = (
        f'<g transform="translate(0,{row * CELL_HEIGHT})">{_line(line)}</g>'
        for row, line in enumerate(frame.lines)
        if line.strip()
    )
    return _cursor(frame) + "".join(lines)


def _page(columns: int, rows: int, content: str, head: str) -> str:
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = rows * CELL_HEIGHT + 2 * MARGIN
    back, front = THEME.background_color.hex, THEME.foreground_color.hex
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
        f"{head}<style>{CSS}</style>"
        f'<rect width="100%" height="100%" rx="8" fill="{back}"/>'
        f'<g transform="translate({MARGIN},{MARGIN})" fill="{front}">{content}</g></svg>\n'
    )


def _cursor(frame: Frame) -> str:
    row, column = frame.cursor
    return (
        f'<rect x="{column * CELL_WIDTH:g}" y="{row * CELL_HEIGHT}" width="{CELL_WIDTH}"'
        f' height="{CELL_HEIGHT}" opacity=".5"/>'
    )


def _line(line: str) -> str:
    """A line's runs of one style, each at its own column and as wide as it has to be."""
    text = Text.from_ansi(line)
    edges = sorted({0, len(text), *(at for span in text.spans for at in (span.start, span.end))})
    pieces = []
    for start, end in pairwise(edges):
        spans = (span for span in text.spans if span.start <= start < span.end)
        styles = (
            span.style if isinstance(span.style, Style) else Style.parse(span.style)
            for span in spans
        )
        style = Style.combine([Style.null(), *styles])
        pieces.append(_run(text.plain[start:end], start, style))
    return "".join(pieces)


def _run(text: str, column: int, style: Style) -> str:
    front, back = style.color, style.bgcolor
    if style.reverse:
        front = _resolved(back, is_front=False)
        back = _resolved(style.color, is_front=True)
    left, width = column * CELL_WIDTH, len(text) * CELL_WIDTH
    drawn = ""
    if back is not None and not back.is_default:
        drawn = f'<rect x="{left:g}" width="{width:g}" height="{CELL_HEIGHT}" fill="{_hex(back)}"/>'
    if not text.strip():
        return drawn
    # An SVG's text may not begin with spaces, and its font may be another than here.
    kept = text.strip()
    left += (len(text) - len(text.lstrip())) * CELL_WIDTH
    look = "" if front is None or front.is_default else f' fill="{_hex(front)}"'
    look += ' font-weight="bold"' if style.bold else ""
    look += ' font-style="italic"' if style.italic else ""
    look += ' opacity=".6"' if style.dim else ""
    look += ' text-decoration="underline"' if style.underline else ""
    wide = f' textLength="{len(kept) * CELL_WIDTH:g}"' if len(kept) > 1 else ""
    return f'{drawn}<text x="{left:g}" y="{FONT_SIZE}"{wide}{look}>{escape(kept)}</text>'


def _resolved(color: Color | None, *, is_front: bool) -> Color:
    """A colour that is not the default, for where front and back change places."""
    if color is not None and not color.is_default:
        return color
    return Color.from_triplet(THEME.foreground_color if is_front else THEME.background_color)


def _hex(color: Color) -> str:
    return color.get_truecolor(THEME).hex
