"""Write the enumerations that the Visual Studio Code client has from the server's.

python scripts/typescript_enumerations.py
"""

from __future__ import annotations

from pathlib import Path

from surveyor.protocol import enumerations

TARGET = Path(__file__).parents[1] / "clients" / "vscode" / "src" / "generated" / "enumerations.ts"
HEAD = """\
/**
 * Values that the server and its clients share.
 *
 * Written by scripts/typescript_enumerations.py from server/surveyor/protocol/enumerations.py.
 */
"""
WANTED = {
    "CORPORA": ("Corpus", enumerations.CORPORA),
    "MODES": ("SearchMode", enumerations.MODES),
    "FILE_TYPES": ("FileType", enumerations.FILE_TYPES),
    "STATUSES": ("IndexStatus", enumerations.STATUSES),
}
"""By the constant's name in TypeScript: its type's name, and the values."""


def typescript() -> str:
    """The text of the generated file."""
    parts = [HEAD]
    for constant, (name, values) in WANTED.items():
        listed = ", ".join(f'"{value}"' for value in values)
        parts.append(
            f"export const {constant} = [{listed}] as const;\n"
            f"export type {name} = (typeof {constant})[number];\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(typescript(), encoding="utf-8")
