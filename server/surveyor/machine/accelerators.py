"""Accelerators of this machine, each with how it was seen. Nothing is loaded to find one."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Accelerator", "accelerators"]

TIMEOUT_S = 1.0
"""A driver that hangs must not hold up what asks."""
NVIDIA_QUERY = ("--query-gpu=name,memory.total", "--format=csv,noheader")
DRM_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
"""PCI's numbers of vendors, as /sys has them."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A device that could compute vectors."""

    name: str
    seen_by: str
    """Which program or file tells of it."""


def accelerators(root: Path = Path("/")) -> list[Accelerator]:
    """What is there, the most telling source of each kind. `root`: what stands for `/`."""
    return [*_nvidia(root), *_amd(root), *_graphics(root), *_neural(root), *_apple()]


def _nvidia(root: Path) -> list[Accelerator]:
    program = shutil.which("nvidia-smi")
    if program:
        cards = [line for line in _said([program, *NVIDIA_QUERY]) if "," in line]
        found = [Accelerator(" ".join(line.split()), "nvidia-smi") for line in cards]
        if found:
            return found
    told = sorted((root / "proc/driver/nvidia/gpus").glob("*/information"))
    named = [_value(_text(file), "Model") for file in told]
    if any(named):
        return [Accelerator(name, "/proc/driver/nvidia") for name in named if name]
    devices = sorted((root / "dev").glob("nvidia[0-9]*"))
    return [Accelerator("NVIDIA GPU", f"/dev/{device.name}") for device in devices]


def _amd(root: Path) -> list[Accelerator]:
    return [Accelerator("AMD GPU (ROCm)", "/dev/kfd")] if (root / "dev/kfd").exists() else []


def _graphics(root: Path) -> list[Accelerator]:
    """Graphics of which nothing above has told: they are there for a screen, as a rule."""
    if (root / "dev/kfd").exists() or any((root / "dev").glob("nvidia[0-9]*")):
        return []
    found = []
    for node in sorted((root / "dev/dri").glob("renderD*")):
        vendor = _text(root / "sys/class/drm" / node.name / "device/vendor").strip()
        if vendor in DRM_VENDORS:
            found.append(Accelerator(f"{DRM_VENDORS[vendor]} graphics", f"/dev/dri/{node.name}"))
    return found


def _neural(root: Path) -> list[Accelerator]:
    devices = sorted((root / "dev/accel").glob("accel[0-9]*"))
    return [Accelerator("neural processor", f"/dev/accel/{device.name}") for device in devices]


def _apple() -> list[Accelerator]:
    if platform.system() != "Darwin" or platform.machine() != "arm64":
        return []
    chip = _said(["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"])
    return [Accelerator(f"GPU of {chip[0] if chip else 'Apple silicon'}", "sysctl")]


def _said(command: list[str]) -> list[str]:
    """A program's lines; none where it fails or does not answer in time."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True, errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _value(text: str, key: str) -> str:
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""
