"""The steps of an edit, on one text: found, replaced, put before or after a definition."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence

from surveyor.engine.edits.file_text import FileText
from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.graph.extract.scopes import qualified
from surveyor.parsing.types import Symbol
from surveyor.protocol.edits import EditStep
from surveyor.units import counted

__all__ = ["DefinitionsIn", "apply_step"]

DefinitionsIn = Callable[[str, bytes], Awaitable[Sequence[Symbol]]]
"""The definitions of a file, given by its path and what is in it."""

_COMMENT = re.compile(
    r"\s*(?://|/\*|\*|--|@|\[|#(?!\s*(?:include|define|if|ifdef|ifndef|else|elif|endif|undef|pragma)\b))"
)
"""A line that belongs to what follows it: a comment, a decorator, an attribute."""
_MARK = re.compile(r"\s*(@|#\[)")
"""How decorators and attributes begin that may stand beside what they are of (TypeScript's methods,
Rust)."""
_CLOSING = re.compile(r"\}[;,)\s]*\Z")
SHOWN_PLACES = 5


async def apply_step(
    file: FileText, path: str, step: EditStep, definitions_in: DefinitionsIn
) -> FileText:
    """A text with one step done. Raises `UsageError` and `NotFoundError`."""
    if step.action == "replace" and not step.name:
        return _replaced_text(file, path, step, None)
    if not step.name:
        raise UsageError("no definition is named", "Give `name`.")
    data = file.text.encode("utf-8", "replace")
    symbols = await definitions_in(path, data)
    symbol = _named(path, step.name, symbols)
    if step.action == "replace" and step.old:
        return _replaced_text(file, path, step, symbol)
    if step.action == "replace":
        return _replaced_definition(file, symbol, step.new, symbols)
    return _inserted(file, symbol, step.new, before=step.action == "before")


def _replaced_text(file: FileText, path: str, step: EditStep, within: Symbol | None) -> FileText:
    """With a text in place of another one, of the whole file or within a definition."""
    if not step.old:
        raise UsageError("the text to be replaced is empty", "Give it in `old`, or a `name`.")
    spans = file.find(step.old)
    if within is not None:
        starts = file.line_starts()
        begin = starts[within.start_line - 1]
        end = starts[within.end_line] if within.end_line < len(starts) else len(file.text)
        spans = [(first, last) for first, last in spans if begin <= first and last <= end]
    if not spans:
        why = ""
        if _is_masked(file, step.old):
            why = ": asterisks in it stand for a secret"
        elif "\ufffd" in step.old and "\ufffd" not in file.text:
            why = ": U+FFFD in it stands for bytes that are no UTF-8, which are changed by hand"
        raise NotFoundError(
            f"{path} does not have that text{why}",
            Quoting(f"{_nearest(file, step.old)}Read it again."),
        )
    if len(spans) != step.count:
        starts = file.line_starts()
        lines = list(dict.fromkeys(bisect_right(starts, start) for start, _ in spans))
        more = " …" if len(lines) > SHOWN_PLACES else ""
        raise UsageError(
            f"{path} has that text {counted(len(spans), 'time')}, not {step.count}"
            f" (lines {', '.join(map(str, lines[:SHOWN_PLACES]))}{more})",
            "Give more of what is around it, or how often in `count`.",
        )
    return file.replaced(spans, step.new)


def _is_masked(file: FileText, wanted: str) -> bool:
    """Whether a text was shown with a secret of the file masked."""
    return "****" in wanted and "****" not in file.text


def _nearest(file: FileText, wanted: str) -> str:
    """Why it may not be there: it was shown masked; else where its first line stands."""
    if _is_masked(file, wanted):
        return "Nothing was changed: what holds the secret is changed by hand, or left out here. "
    first = next((line.strip() for line in wanted.splitlines() if line.strip()), "")
    if len(first) < 4 or "\n" not in wanted.strip():
        return ""
    at = file.text.find(first)
    if at < 0:
        return ""
    return f"Its first line stands in line {file.text.count(chr(10), 0, at) + 1}. "


def _named(path: str, name: str, symbols: Sequence[Symbol]) -> Symbol:
    wanted = name.replace("::", ".").replace("#", ".").replace("->", ".").lstrip(".")
    exact = [each for each in symbols if qualified(each) == wanted]
    found = exact or [
        each for each in symbols if qualified(each).endswith(f".{wanted}") or each.name == wanted
    ]
    if not symbols:  # too large to be read, or in a language that has none
        raise NotFoundError(f"no definitions of {path} are known", "Give the text in `old`.")
    if not found:
        error = NotFoundError(
            f"{path} defines no {name}", "symbol action=outline lists what it does."
        )
        error.details["near"] = [qualified(each) for each in symbols if wanted in each.name][
            :SHOWN_PLACES
        ]
        raise error
    if len(found) > 1:
        lines = ", ".join(f"{qualified(each)} in line {each.line}" for each in found[:SHOWN_PLACES])
        raise UsageError(
            f"{path} defines {name} {counted(len(found), 'time')}: {lines}",
            "Name it in full, or replace its text.",
        )
    others = [each for each in symbols if each is not found[0]]
    if any(_shares_a_line(found[0], each) for each in others):
        raise UsageError(f"{name} shares a line with another definition", "Replace its text.")
    return found[0]


def _shares_a_line(one: Symbol, other: Symbol) -> bool:
    """Whether a line of a definition has something of another one that is no part of it: beside it,
    or around it and begun in the same line."""
    if other.end_line < one.start_line or one.end_line < other.start_line:
        return False
    if qualified(other).startswith(f"{qualified(one)}."):
        return False
    one_lines, other_lines = (each.end_line - each.start_line for each in (one, other))
    if other.start_line <= one.start_line and one.end_line <= other.end_line:
        return other.start_line == one.start_line or one_lines == other_lines
    is_inside = one.start_line <= other.start_line and other.end_line <= one.end_line
    return not is_inside or other.start_line == one.end_line


def _replaced_definition(
    file: FileText, symbol: Symbol, new: str, symbols: Sequence[Symbol]
) -> FileText:
    starts = file.line_starts()
    first = symbol.start_line
    mark = _MARK.match(new)
    while mark and first > 1 and _line(file, starts, first - 1).lstrip().startswith(mark[1]):
        first -= 1  # what it is given anew, and the grammar has beside it
    begin = starts[first - 1]
    end = starts[symbol.end_line] if symbol.end_line < len(starts) else len(file.text)
    ends_around = any(
        each is not symbol
        and each.start_line <= symbol.start_line <= each.end_line == symbol.end_line
        for each in symbols
    )
    old = file.text[begin:end]
    if ends_around and _CLOSING.search(old) and old.count("}") > old.count("{"):
        raise UsageError(f"{symbol.name} shares a line with what is around it", "Replace its text.")
    body = _indented(new.strip("\r\n"), _indentation(_line(file, starts, symbol.start_line)))
    if file.text[begin:end].endswith("\n"):
        body += "\n"
    return file.replaced([(begin, end)], body)


def _inserted(file: FileText, symbol: Symbol, new: str, *, before: bool) -> FileText:
    starts = file.line_starts()
    lines = [_line(file, starts, number) for number in range(1, len(starts) + 1)]
    body = _indented(new.strip("\r\n"), _indentation(lines[symbol.start_line - 1]))
    gap = "\n" * _gap(lines, symbol)
    if before:
        first = symbol.start_line - 1
        while first > 0 and _COMMENT.match(lines[first - 1]):
            first -= 1
        return file.replaced([(starts[first],) * 2], f"{body}\n{gap}")
    if symbol.end_line < len(starts):
        return file.replaced([(starts[symbol.end_line],) * 2], f"{gap}{body}\n")
    return file.replaced([(len(file.text),) * 2], f"\n{gap}{body}")  # no final newline


def _gap(lines: Sequence[str], symbol: Symbol) -> int:
    """Blank lines between a definition and its neighbours, one where it has none."""
    above, first = 0, symbol.start_line - 1
    while first > 0 and _COMMENT.match(lines[first - 1]):
        first -= 1
    while first - above > 0 and not lines[first - above - 1].strip():
        above += 1
    if first - above > 0 and above:
        return above
    below, last = 0, symbol.end_line
    while last + below < len(lines) and not lines[last + below].strip():
        below += 1
    return below if below and last + below < len(lines) else 1


def _line(file: FileText, starts: Sequence[int], number: int) -> str:
    end = starts[number] if number < len(starts) else len(file.text)
    return file.text[starts[number - 1] : end].rstrip("\r\n")


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(text: str, wanted: str) -> str:
    """A text moved so that its first line is indented as wanted; lines keep their distances."""
    lines = text.replace("\r\n", "\n").split("\n")
    has = _indentation(lines[0])
    if has == wanted:
        return "\n".join(lines)
    return "\n".join(
        wanted + line.removeprefix(has) if line.strip() else line.strip() for line in lines
    )
