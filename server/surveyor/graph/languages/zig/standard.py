"""Members that values of Zig's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
acquire addOne alloc allocSentinel allocator append appendAssumeCapacity appendNTimes appendSlice
appendSliceAssumeCapacity bufPrint bytes capacity clearAndFree clearRetainingCapacity clone close
contains count create createFile deinit destroy dupe dupeZ ensureTotalCapacity ensureUnusedCapacity
fetchAdd fetchPut fetchRemove fetchSub first flush free get getEntry getKey getOrPut getOrPutValue
getPtr getWritten index init initCapacity insert insertSlice items iterate iterator join keyIterator
keys kind load lock makePath newArray next open openDir openFile ordered orderedRemove peek pop
popFirst popOrNull prepend print put putAssumeCapacity putNoClobber rawAlloc read readAll
readAllAlloc readByte readUntilDelimiter reader realloc realpath remove replaceRange reset resize
rest seekTo setCapacity shrinkAndFree shrinkRetainingCapacity signal spawn split stat store
swapRemove toOwnedSlice toOwnedSliceSentinel tryLock unlock unusedCapacitySlice valueIterator values
wait write writeAll writeByte writeInt writer
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of what Zig's standard library defines."""
