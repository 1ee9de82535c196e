"""Diagnostics that tell of the machine rather than of the change: imports that lead out of the
project and that the server cannot follow here.

Where packages are not installed, a server says so of each import of one. A change that adds or
rewrites such a line brings a diagnostic that is new and says nothing of the change. It is one of
these where the server could not follow another such import before the change, or cannot in a line
that the change left alone. A file with such an import is read with holes: of what else is said of
it only that counts which was not said there before.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from surveyor.engine.change_review import ImportedModules
from surveyor.engine.file_versions import FileVersions
from surveyor.engine.new_diagnostics import NewDiagnostic, NewDiagnostics
from surveyor.graph.queries.lookup import language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.units import counted

__all__ = ["without_environment"]

_COMPILED_BY_COMMAND = frozenset({"c", "cpp", "objc"})
_COMPILATION_DATABASES = (
    "compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd",
)  # fmt: skip
_NO_FILE = re.compile(r"file not found")
_NO_MODULE = re.compile(r"cannot find module|cannot resolve imported module|could not import", re.I)
"""How servers say that they cannot follow an import, whether or not the index can."""
_OF_THE_PROJECT = (".", "/", "crate", "self", "super", '"')
"""How modules begin that are never installed."""


async def without_environment(
    context: QueryContext,
    told: NewDiagnostics,
    files: Sequence[FileVersions],
    modules: Mapping[str, ImportedModules],
) -> NewDiagnostics:
    """What servers said of a change, without what they say of packages that are not there."""
    gone = {PurePosixPath(file.path).stem for file in files if not file.after}
    gone |= {PurePosixPath(file.path).parent.name for file in files if not file.after}
    versions = {file.path: file for file in files}
    blamed: list[NewDiagnostic] = []
    for each in told.found:
        module = _module_at(each, modules)
        if module is None or module.startswith(_OF_THE_PROJECT):
            continue
        leads_out = _NO_MODULE.search(each.message) is not None or (
            each.line not in await _followed_lines(context, each.path)
        )
        if leads_out and gone.isdisjoint(module.replace("::", "/").replace(".", "/").split("/")):
            blamed.append(each)
    unfit = {
        each.server
        for each in blamed
        if not each.is_compared
        or (file := versions.get(each.path)) is None
        or not file.is_touched(each.line, each.line)
    }
    unfit |= {each.server for each in told.before if _was_import(each, versions, modules)}
    blamed = [each for each in blamed if each.server in unfit]
    kept = [each for each in told.found if each not in blamed]
    # What the server cannot follow has no types there: most of what it says comes of that.
    blind = {each.path for each in blamed}
    said = {(each.path, each.code, each.message) for each in told.before}
    unseen = [
        each
        for each in kept
        if each.path in blind
        and (not each.is_compared or (each.path, each.code, each.message) in said)
    ]
    kept = [each for each in kept if each not in unseen]
    # What a file used was not known there before the change, so nothing was said of how.
    opened = {each.path for each in told.gone if _is_at_import(each, versions, modules)}
    kept = [
        each
        for each in kept
        if each.path not in opened or versions[each.path].is_touched(each.line, each.line)
    ]
    lacks = list(told.lacks)
    root = context.checkout.root
    kept = await asyncio.to_thread(_of_built, root, kept, told, versions, lacks)
    for server in sorted({each.server for each in blamed}):
        number = sum(each.server == server for each in blamed)
        more = sum(each.server == server for each in unseen)
        what = f", and {more} more that it says of these files may come of that" if more else ""
        lacks.append(
            f"{server} cannot follow imports of what is not installed here ({number}){what}"
        )
    return NewDiagnostics(kept, lacks)


def _module_at(each: NewDiagnostic, modules: Mapping[str, ImportedModules]) -> str | None:
    """The module whose import a diagnostic stands at, as written; None for anything else."""
    known = modules.get(each.path)
    return _named(each.text, known.after) if known is not None else None


def _was_import(
    each: NewDiagnostic,
    versions: Mapping[str, FileVersions],
    modules: Mapping[str, ImportedModules],
) -> bool:
    """Whether a diagnostic from before the change stands at an import."""
    file, known = versions.get(each.path), modules.get(each.path)
    if file is None or known is None:
        return False
    module = _named(each.text, known.before)
    return module is not None and not module.startswith(_OF_THE_PROJECT)


def _is_at_import(
    each: NewDiagnostic,
    versions: Mapping[str, FileVersions],
    modules: Mapping[str, ImportedModules],
) -> bool:
    """Whether a diagnostic from before the change stands at an import of its file."""
    known = modules.get(each.path)
    return (
        each.path in versions and known is not None and _named(each.text, known.before) is not None
    )


def _of_built(
    root: str,
    kept: Sequence[NewDiagnostic],
    told: NewDiagnostics,
    versions: Mapping[str, FileVersions],
    lacks: list[str],
) -> list[NewDiagnostic]:
    """Without what is said of C and C++ where nothing says how the files are built: a file in which
    there were errors before, or includes cannot be followed, is read otherwise than the compiler
    does."""
    guessed = {each.path for each in kept if language_of_path(each.path) in _COMPILED_BY_COMMAND}
    guessed = {path for path in guessed if not _is_built_by_command(root, path)}
    failed = {each.path for each in told.before if each.is_error and each.path in guessed}
    failed |= {
        each.path
        for each in told.found
        if each.path in guessed
        and (not each.is_compared or _NO_FILE.search(each.message) is not None)
    }
    # Such a line may have come from another file of the change: then it is no news, and not found.
    moved = {each.text.strip() for each in told.before if _NO_FILE.search(each.message)} - {""}
    for path in guessed & versions.keys():
        lines = versions[path].after.decode("utf-8", "replace").splitlines()
        if not moved.isdisjoint(line.strip() for line in lines):
            failed.add(path)
    if failed:
        server = next(each.server for each in kept if each.path in failed)
        files = counted(len(failed), "file is", "files are")
        lacks.append(f"{server} is not told how {files} built (no compile_commands.json)")
    return [each for each in kept if each.path not in failed]


def _is_built_by_command(root: str, path: str) -> bool:
    """Whether there is what clangd looks for beside a file, or above it."""
    top = Path(root)
    folders = [top / parent for parent in PurePosixPath(path).parents]
    return any((folder / name).exists() for folder in folders for name in _COMPILATION_DATABASES)


def _named(line: str, modules: Sequence[str]) -> str | None:
    """The longest module that a line names."""
    found = [name for module in modules if (name := _plain(module)) and name in line]
    return max(found, key=len, default=None)


def _plain(module: str) -> str:
    return module.partition("::{")[0].strip("<>")


async def _followed_lines(context: QueryContext, path: str) -> set[int]:
    """Lines whose imports lead to files of the project."""
    file = await context.stored.file(path)
    if file is None:
        return set()
    return {each.line for each in await context.stored.imports([file.file_id], "out")}
