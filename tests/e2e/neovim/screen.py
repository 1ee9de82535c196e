"""What a Neovim shows: a terminal's screen kept from its UI events, as text and as a picture."""

from __future__ import annotations

import html
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CELL_WIDTH_PX, CELL_HEIGHT_PX = 9, 19
"""Of a character in the pictures: Chromium's monospace font at 15 px."""

CHROMIUM = Path("/usr/bin/chromium")

MARK = "surveyor_screen_is_current"


@dataclass(slots=True)
class Screen:
    """One attached UI. `update` takes in what Neovim has drawn until now."""

    nvim: Any
    columns: int = 110
    rows: int = 32
    _cells: list[list[tuple[str, int]]] = field(default_factory=list)
    _styles: dict[int, dict[str, Any]] = field(default_factory=dict)
    _colours: tuple[int, int] = (0xFFFFFF, 0)
    _cursor: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        self._clear()
        self.nvim.ui_attach(self.columns, self.rows, rgb=True, ext_linegrid=True)

    def _clear(self) -> None:
        self._cells = [[(" ", 0)] * self.columns for _ in range(self.rows)]

    def update(self) -> None:
        """Redraw, and take in all events up to that."""
        self.nvim.command("redraw!")
        self.nvim.call("rpcnotify", self.nvim.channel_id, MARK)
        while True:
            message = self.nvim.next_message()
            if message is None or message[1] == MARK:
                return
            if message[1] == "redraw":
                for name, *calls in message[2]:
                    for arguments in calls:
                        self._take(name, arguments)

    def _take(self, name: str, arguments: list[Any]) -> None:
        match name:
            case "grid_resize":
                _, self.columns, self.rows = arguments
                self._clear()
            case "grid_clear":
                self._clear()
            case "grid_cursor_goto":
                self._cursor = (arguments[1], arguments[2])
            case "default_colors_set":
                self._colours = (arguments[0], arguments[1])
            case "hl_attr_define":
                self._styles[arguments[0]] = arguments[1]
            case "grid_line":
                self._line(*arguments[1:4])
            case "grid_scroll":
                self._scroll(*arguments[1:6])

    def _line(self, row: int, column: int, cells: list[list[Any]]) -> None:
        style = 0
        for text, *rest in cells:
            style = rest[0] if rest else style
            for _ in range(rest[1] if len(rest) > 1 else 1):
                self._cells[row][column] = (text, style)
                column += 1

    def _scroll(self, top: int, bottom: int, left: int, right: int, by: int) -> None:
        moved = range(top, bottom - by) if by > 0 else range(bottom - 1, top - by - 1, -1)
        for row in moved:
            self._cells[row][left:right] = self._cells[row + by][left:right]

    @property
    def text(self) -> str:
        """Its lines, without the spaces at their ends."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self._cells)

    def picture(self, file: Path) -> None:
        """Write it as a PNG, drawn by Chromium."""
        width, height = self.columns * CELL_WIDTH_PX, self.rows * CELL_HEIGHT_PX
        with tempfile.TemporaryDirectory(prefix="surveyor-e2e-") as folder:
            page = Path(folder) / "screen.html"
            page.write_text(self._page())
            subprocess.run(
                [
                    str(CHROMIUM),
                    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                    f"--user-data-dir={folder}/profile",
                    f"--window-size={width},{height}",
                    f"--screenshot={file}",
                    page.as_uri(),
                ],
                check=True,
                capture_output=True,
                timeout=120,
            )

    def _page(self) -> str:
        foreground, background = self._colours
        rows = []
        for row, cells in enumerate(self._cells):
            spans = []
            for column, (text, style) in enumerate(cells):
                look = self._look(style, (row, column) == self._cursor)
                spans.append(f'<b style="{look}">{html.escape(text) or ""}</b>')
            rows.append(f"<div>{''.join(spans)}</div>")
        return (
            "<!doctype html><meta charset=utf-8><style>"
            f"body{{margin:0;background:#{background:06x};color:#{foreground:06x};"
            "font:15px 'DejaVu Sans Mono','Liberation Mono',monospace}"
            f"div{{height:{CELL_HEIGHT_PX}px;white-space:pre;display:flex}}"
            f"b{{font-weight:normal;width:{CELL_WIDTH_PX}px;line-height:{CELL_HEIGHT_PX}px}}"
            f"</style>{''.join(rows)}"
        )

    def _look(self, style: int, is_cursor: bool) -> str:
        attributes = self._styles.get(style, {})
        front = attributes.get("foreground", self._colours[0])
        back = attributes.get("background", self._colours[1])
        if bool(attributes.get("reverse")) != is_cursor:
            front, back = back, front
        look = f"color:#{front:06x};background:#{back:06x}"
        if attributes.get("bold"):
            look += ";font-weight:bold"
        if attributes.get("italic"):
            look += ";font-style:italic"
        return look
