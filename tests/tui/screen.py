"""What a terminal would show of the UI: its lines, and the colours of its letters."""

from __future__ import annotations

from pathlib import Path

from rich.color import Color
from rich.segment import Segment
from textual.app import App

SCREENS = Path(__file__).parent / "screens"


def strips(app: App[None]) -> list[list[Segment]]:
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def lines(app: App[None]) -> list[str]:
    return ["".join(part.text for part in strip).rstrip() for strip in strips(app)]


def faint(app: App[None], least: float) -> dict[str, float]:
    """Words whose contrast with what is behind them is less than `least`."""
    found = {}
    for segment in (part for strip in strips(app) for part in strip):
        style = segment.style
        if not any(sign.isalnum() for sign in segment.text) or style is None:
            continue
        assert style.color is not None and style.bgcolor is not None, segment
        front, back = style.color, style.bgcolor
        contrast = _contrast(*((back, front) if style.reverse else (front, back)))
        if contrast < least:
            found[segment.text.strip()] = round(contrast, 2)
    return found


def _contrast(front: Color, back: Color) -> float:
    light, dark = sorted((_luminance(front), _luminance(back)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: Color) -> float:
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
