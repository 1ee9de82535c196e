"""Draw docs/images/ui-search.svg: `surveyor ui` on this repository, with a real engine.

Usage: scripts/ui_picture.py [QUESTION]. The engine is the user's own; the folder is indexed first.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from surveyor.client.asynchronous import AsyncClient, hello
from surveyor.tui.app import SurveyorApp

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "ui-search.svg"
SIZE = (112, 28)
SETTLE_S = 4.0
"""The engine is found, answers, and the text is coloured."""
FETCHED_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A reader's browser fetches nothing from elsewhere."""


async def draw(question: str) -> None:
    """Write the picture."""
    app = SurveyorApp(AsyncClient(hello("cli")), str(ROOT), question=question)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(SETTLE_S)
        svg = app.export_screenshot(title="surveyor ui", simplify=True)
    PICTURE.write_text(FETCHED_FONTS.sub("", svg), encoding="utf-8")


if __name__ == "__main__":
    subprocess.run([sys.executable, "-m", "surveyor", "index", str(ROOT)], check=True)
    asyncio.run(draw(" ".join(sys.argv[1:]) or "wait before trying to connect again"))
