"""What a process may use of its machine: control groups of both versions, and what hides them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from surveyor.machine import control_groups, resources
from surveyor.machine.accelerators import accelerators
from surveyor.machine.capacity import ENGINE_BYTES, WORKER_BYTES, capacity
from surveyor.machine.resources import Cores, worker_count

MB = 1 << 20


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "cores", "memory", "used"),
    [
        ({}, None, None, None),
        (
            {
                "proc/self/cgroup": "0::/\n",
                "sys/fs/cgroup/cpu.max": "50000 100000\n",
                "sys/fs/cgroup/memory.max": f"{512 * MB}\n",
                "sys/fs/cgroup/memory.current": f"{300 * MB}\n",
                "sys/fs/cgroup/memory.stat": f"anon 1\ninactive_file {100 * MB}\n",
            },
            0.5,
            512 * MB,
            200 * MB,
        ),
        (  # a unit of systemd: the slice above is narrower in memory, the unit in time
            {
                "proc/self/cgroup": "0::/user.slice/app.service\n",
                "sys/fs/cgroup/user.slice/app.service/cpu.max": "150000 100000\n",
                "sys/fs/cgroup/user.slice/app.service/memory.max": "max\n",
                "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
                "sys/fs/cgroup/user.slice/memory.max": f"{900 * MB}\n",
                "sys/fs/cgroup/user.slice/memory.current": f"{100 * MB}\n",
            },
            1.5,
            900 * MB,
            100 * MB,
        ),
        (  # version 1 in a container that sees the host's path, but its own group at the top
            {
                "proc/self/cgroup": "9:memory:/docker/ab12\n4:cpu,cpuacct:/docker/ab12\n0::/\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{256 * MB}\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{50 * MB}\n",
                "sys/fs/cgroup/memory/memory.stat": f"total_inactive_file {10 * MB}\n",
            },
            2.0,
            256 * MB,
            40 * MB,
        ),
        (  # version 1 without limits
            {
                "proc/self/cgroup": "9:memory:/\n4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
            None,
            None,
        ),
        (  # no /proc at all; nonsense where a number should be
            {"sys/fs/cgroup/cpu.max": "garbage\n", "sys/fs/cgroup/memory.max": "\n"},
            None,
            None,
            None,
        ),
    ],
)
def test_limits_of_control_groups(
    tmp_path: Path,
    files: dict[str, str],
    cores: float | None,
    memory: int | None,
    used: int | None,
) -> None:
    root = write(tmp_path, files)
    assert control_groups.core_quota(root) == cores
    assert control_groups.memory_limit(root) == memory
    assert control_groups.memory_used(root) == used


def test_memory_is_what_the_group_leaves_of_the_machines(tmp_path: Path) -> None:
    meminfo = f"MemTotal: {8 << 20} kB\nMemFree: 1 kB\nMemAvailable: {4 << 20} kB\n"
    alone = resources.memory(write(tmp_path / "a", {"proc/meminfo": meminfo}))
    assert (alone.total, alone.available, alone.limit) == (8 << 30, 4 << 30, None)
    group = {
        "sys/fs/cgroup/memory.max": str(512 * MB),
        "sys/fs/cgroup/memory.current": str(100 * MB),
    }
    held = resources.memory(write(tmp_path / "b", {"proc/meminfo": meminfo, **group}))
    assert (held.total, held.available, held.machine) == (512 * MB, 412 * MB, 8 << 30)


def test_memory_without_meminfo_is_what_the_system_says_or_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_told_by_system", lambda: (None, None))
    unknown = resources.memory(tmp_path)
    assert (unknown.total, unknown.available) == (None, None)
    group = write(tmp_path / "b", {"sys/fs/cgroup/memory.max": str(512 * MB)})
    held = resources.memory(group)
    assert (held.total, held.available) == (512 * MB, None)


def test_half_a_core_is_one_worker() -> None:
    assert worker_count(0, Cores(64, 64, 0.5)) == 1
    assert worker_count(0, Cores(64, 64, None)) == 2
    assert worker_count(3, Cores(1, 1, 0.5)) == 3
    assert Cores(64, 4, 8.0).usable == 4.0


def test_accelerators_are_told_with_how_they_were_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert accelerators(tmp_path) == []
    files = {"dev/nvidia0": "", "dev/dri/renderD128": "", "dev/accel/accel0": ""}
    write(tmp_path, {**files, "sys/class/drm/renderD128/device/vendor": "0x8086\n"})
    assert [each.seen_by for each in accelerators(tmp_path)] == [
        "/dev/nvidia0",
        "/dev/accel/accel0",
    ]
    program = write(
        tmp_path, {"bin/nvidia-smi": "#!/bin/sh\necho 'NVIDIA H200, 143771 MiB'\n"}
    ) / "bin/nvidia-smi"  # fmt: skip
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    first = accelerators(tmp_path)[0]
    assert (first.name, first.seen_by) == ("NVIDIA H200, 143771 MiB", "nvidia-smi")
    program.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed, no driver' >&2\nexit 9\n")
    assert accelerators(tmp_path)[0].seen_by == "/dev/nvidia0"


def test_the_smallest_bound_says_how_large_a_repository_may_be() -> None:
    def fits(**changed: float | None) -> tuple[int, int | None, int | None]:
        measured = {"cores": 2.0, "total_s": 0.001, "cpu_s": 0.001, "model_s": 0.0, **changed}
        disk, memory = measured.pop("disk", None), measured.pop("memory", None)
        found = capacity(workers=1, memory=memory, disk=disk, **measured)  # type: ignore[arg-type]
        return found.chunks, found.by_memory, found.by_disk

    assert fits() == (600_000, None, None)
    assert fits(cores=0.5)[0] < 200_000
    assert fits(memory=ENGINE_BYTES + WORKER_BYTES + 2000 * 500) == (500, 500, None)
    assert fits(memory=100)[0] == 0
    assert fits(disk=5400 * 9) == (9, None, 9)
