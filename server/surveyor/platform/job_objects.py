"""Job objects of Windows: what ends with us, however we end.

Declared as in Microsoft's `jobapi2.h` and `winnt.h`.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

__all__ = ["JobGuard", "kernel_library"]


class _BasicLimits(ctypes.Structure):
    """`JOBOBJECT_BASIC_LIMIT_INFORMATION`."""

    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class _ExtendedLimits(ctypes.Structure):
    """`JOBOBJECT_EXTENDED_LIMIT_INFORMATION`."""

    _fields_ = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class JobGuard:
    """Job objects of Windows (`kernel32`), one for each group."""

    KILL_ON_JOB_CLOSE = 0x2000
    EXTENDED_LIMIT_INFORMATION = 9
    SET_QUOTA_AND_TERMINATE = 0x0100 | 0x0001
    """Rights to a process that putting it into a job needs."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._jobs: dict[int, Any] = {}

    def add(self, group: int) -> None:
        """Put a process, and so what it starts from now on, into a job that ends with us.

        Nothing where the system refuses: it is ended as a tree all the same.
        """
        job = self._new_job()
        if job is None:
            return
        process = self._kernel.OpenProcess(self.SET_QUOTA_AND_TERMINATE, 0, group)
        taken = process and self._kernel.AssignProcessToJobObject(job, process)
        if process:
            self._kernel.CloseHandle(process)
        if taken:
            self._jobs[group] = job
        else:
            self._kernel.CloseHandle(job)

    def remove(self, group: int) -> None:
        """Let a group's job go, and with it whatever of it is left."""
        job = self._jobs.pop(group, None)
        if job is not None:
            self._kernel.CloseHandle(job)

    def close(self) -> None:
        """Let all go."""
        for group in list(self._jobs):
            self.remove(group)

    def _new_job(self) -> Any:
        job = self._kernel.CreateJobObjectW(None, None)
        if not job:
            return None
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = self.KILL_ON_JOB_CLOSE
        set_so = self._kernel.SetInformationJobObject(
            job, self.EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        if not set_so:
            self._kernel.CloseHandle(job)
            return None
        return job


def kernel_library() -> Any:
    """The library that has them, its functions declared: a handle is as wide as a pointer."""
    if sys.platform != "win32":
        raise OSError("job objects are of Windows")
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    handle, number = ctypes.c_void_p, ctypes.c_uint32
    kernel.CreateJobObjectW.restype = handle
    kernel.CreateJobObjectW.argtypes = [handle, ctypes.c_wchar_p]
    kernel.SetInformationJobObject.argtypes = [handle, ctypes.c_int, handle, number]
    kernel.OpenProcess.restype = handle
    kernel.OpenProcess.argtypes = [number, ctypes.c_int, number]
    kernel.AssignProcessToJobObject.argtypes = [handle, handle]
    kernel.CloseHandle.argtypes = [handle]
    return kernel
