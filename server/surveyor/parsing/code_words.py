"""Where a word stands as code in a source: neither in a comment nor in a string.

By the signs that a language begins and ends these with, without a grammar: it has to tell code from
prose where no grammar reads it either, as in what a macro stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["code_of", "code_word_lines"]

_SLASHES = rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
_HASH = rb"#[^\n]*"
_DOUBLE = rb"\"(?:\\.|[^\"\\\n])*+\"?"
_DOUBLE_LINES = rb"\"(?:\\.|[^\"\\])*+\"?"
_SINGLE = rb"'(?:\\.|[^'\\\n])*+'?"
_CHARACTER = rb"'(?:\\[^\n']{1,10}|\\'|[^'\\\n]{1,4})'"
"""Where a lone apostrophe means something else: lifetimes, type variables, symbols."""
_TRIPLE = rb"\"\"\".*?(?:\"\"\"|\Z)"
_TRIPLE_SINGLE = rb"'''.*?(?:'''|\Z)"
_BACKTICKS = rb"`(?:\\.|[^`\\])*+`?"
_RAW_GO = rb"`[^`]*+`?"
_RAW_RUST = rb"\br(?P<hashes>#+)\".*?(?:\"(?P=hashes)|\Z)"
_RAW_CPP = rb"R\"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)\"|\Z)"
_VERBATIM = rb"(?:@\$?|\$@)\"(?:\"\"|[^\"])*+\"?"
_HASKELL = rb"\{-(?!#).*?(?:-\}|\Z)|--+(?![!#$%&*+./<=>?@^|~:\\])[^\n]*"

_C = (_RAW_CPP, _SLASHES, _DOUBLE, _CHARACTER)
_JVM = (_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER)
_WEB = (_SLASHES, _DOUBLE, _SINGLE, _BACKTICKS)
_SIGNS: dict[str, tuple[bytes, ...]] = {
    "bash": (rb"(?<!\S)#[^\n]*", rb"'[^']*+'?"),
    "c": _C,
    "cpp": _C,
    "csharp": (_SLASHES, _VERBATIM, _TRIPLE, _DOUBLE, _CHARACTER),
    "cuda": _C,
    "dart": (_SLASHES, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "elixir": (_TRIPLE, _HASH, _DOUBLE),
    "go": (_SLASHES, _DOUBLE, _CHARACTER, _RAW_GO),
    "haskell": (_HASKELL, _DOUBLE, rb"(?<!\w)" + _CHARACTER),
    "java": _JVM,
    "javascript": _WEB,
    "julia": (rb"#=.*?(?:=#|\Z)", _HASH, _TRIPLE, _DOUBLE),
    "kotlin": _JVM,
    "lua": (rb"--\[(?P<level>=*)\[.*?(?:\](?P=level)\]|\Z)", rb"--[^\n]*", _DOUBLE, _SINGLE),
    "php": (_SLASHES, rb"#(?!\[)[^\n]*", _DOUBLE, _SINGLE),
    "python": (_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    "ruby": (rb"^=begin\b.*?(?:^=end\b|\Z)", _HASH, _DOUBLE, _SINGLE),
    "rust": (_SLASHES, _RAW_RUST, _DOUBLE_LINES, _CHARACTER),
    "scala": _JVM,
    "solidity": (_SLASHES, _DOUBLE, _SINGLE),
    "swift": (_SLASHES, _TRIPLE, _DOUBLE),
    "typescript": _WEB,
    "zig": (rb"//[^\n]*", rb"^[ \t]*\\\\[^\n]*", _DOUBLE, _CHARACTER),
}
"""By the name that users filter by. What begins first counts."""
_OTHER = (_SLASHES, rb"^[ \t]*(?:#|--|;|%|')[^\n]*", _DOUBLE)
"""Of a language that nothing is known of."""
_FILLED_IN = re.compile(rb"\$\{[^{}\n]*\}|#\{[^{}\n]*\}|\\\([^()\n]*\)|\{[^{}\n]*\}")
"""What of a string is code again."""
_STRING = frozenset(b"\"'`@$R")


def code_of(data: bytes, language: str) -> bytes:
    """The source of a language in as many lines, without comments and what stands in strings."""
    return _prose(language).sub(_blank, data)


def code_word_lines(data: bytes, word: str, language: str | None) -> Iterator[int]:
    """The lines, from 1, in which a word stands as code of a language, each once."""
    letters = rb"\w'" if language == "haskell" else rb"\w$"
    around = rb"(?<![" + letters + rb"])%s(?![" + letters + rb"])"
    wanted = re.compile(around % re.escape(word.encode()))
    if wanted.search(data) is None:
        return
    code = code_of(data, language or "")
    last = 0
    line, at = 1, 0
    for match in wanted.finditer(code):
        line, at = line + code.count(b"\n", at, match.start()), match.start()
        if line > last:
            yield line
            last = line


@cache
def _prose(language: str) -> re.Pattern[bytes]:
    return re.compile(b"|".join(_SIGNS.get(language, _OTHER)), re.DOTALL | re.MULTILINE)


def _blank(match: re.Match[bytes]) -> bytes:
    """As many lines without what is prose."""
    found = match[0]
    code = b" ".join(_FILLED_IN.findall(found)) if found[0] in _STRING else b""
    lines = found.count(b"\n")
    return b" " + code + b"\n" * lines + b" " if lines else b" " + code + b" "
