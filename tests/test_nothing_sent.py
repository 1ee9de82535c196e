"""What Surveyor brings along tells nobody of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import surveyor


def test_onnx_runtime_neither_notes_nor_tells_whose_machine_it_is(tmp_path: Path) -> None:
    unsaid = {k: v for k, v in os.environ.items() if "TELEMETRY" not in k and k[:4] != "XDG_"}
    sources = str(Path(surveyor.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-c", "import surveyor, onnxruntime"],
        env=unsaid | {"HOME": str(tmp_path), "PYTHONPATH": sources},
        check=True,
    )
    assert list(tmp_path.iterdir()) == []
