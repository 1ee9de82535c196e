"""The table of formats, and one pass over a text for all of them."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import re2

from surveyor.secrets.values import entropy, is_credentials, is_mixed, is_password, is_random
from surveyor.secrets.word_tables import words

__all__ = ["SecretRule", "formatted", "rules"]


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One format; `rules.toml` says what its fields are."""

    id: str
    pattern: Any
    entropy: float
    mixed: bool
    check: str
    mark: bytes


@lru_cache(maxsize=1)
def rules() -> tuple[SecretRule, ...]:
    """All formats."""
    text = (resources.files("surveyor.secrets") / "rules.toml").read_text("utf-8")
    return tuple(
        SecretRule(
            id=one["id"],
            pattern=re2.compile(one["pattern"].encode()),
            entropy=one.get("entropy", 0.0),
            mixed=one.get("mixed", False),
            check=one.get("check", ""),
            mark=one.get("mark", one["pattern"]).encode(),
        )
        for one in tomllib.loads(text)["rule"]
    )


@lru_cache(maxsize=1)
def _loose() -> tuple[bytes, ...]:
    """A pattern for each rule that matches where the rule does, and elsewhere, too."""
    return tuple(_COUNT.sub(_uncounted, rule.mark) for rule in rules())


@lru_cache(maxsize=1)
def _any() -> Any:
    return re2.compile(b"|".join(b"(?:" + one + b")" for one in _loose()), _OPTIONS)


@lru_cache(maxsize=1)
def _which() -> Any:
    every = re2.Set.MatchSet(_OPTIONS)
    for one in _loose():
        every.Add(one)
    every.Compile()
    return every


def _rules_at(data: bytes, start: int) -> Iterable[SecretRule]:
    """The rules that may match at a place: a hundred are asked at once. The set sees nothing of
    what is before the place, so that a word may begin there for it that does not."""
    among = _which().Match(data[start : start + AHEAD_BYTES])
    # Where its automaton has no room it says nothing.
    return rules() if among is None else [rules()[at] for at in among]


_COUNT = re.compile(rb"(?<!\\)\{(\d+)(?:,\d*)?\}\??")


def _uncounted(match: re.Match[bytes]) -> bytes:
    """Without counts, which make an automaton large."""
    return b"*" if match[1] == b"0" else b"+"


AHEAD_BYTES = 64 << 10
"""Read of a place by the rules together; the longest form of a secret that is known has 16 KB."""
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 64 << 20


def formatted(data: bytes) -> Iterator[tuple[int, int, str]]:
    """(start, end, rule) of secrets that their own form tells."""
    at = 0
    find = _any()
    while at < len(data) and (found := find.search(data, at)) is not None:
        start, end = found.span()
        taken = start
        for rule in _rules_at(data, start):
            match = rule.pattern.match(data, start)
            if match is None:
                continue
            group = 1 if rule.pattern.groups else 0
            if _passes(rule, match.group(group)) and not _is_digest(data, start):
                yield (*match.span(group), rule.id)
                taken = max(taken, match.end(group))
        at = max(taken, start + 1) if taken > start else max(start + 1, _next(data, start, end))


_DIGEST = re.compile(rb"(?i)(?:sha(?:1|256|384|512)|integrity|md5|digest|checksum)[-=: ]{1,2}$")


def _is_digest(data: bytes, start: int) -> bool:
    """Whether it says in front of it that it is a checksum: by chance they begin like tokens."""
    return _DIGEST.search(data, max(0, start - 12), start) is not None


def _next(data: bytes, start: int, end: int) -> int:
    """Where to go on behind a match that is no secret: in it there may be another."""
    space = data.find(b" ", start, end)
    return space + 1 if space > 0 else end


def _passes(rule: SecretRule, value: bytes) -> bool:
    text = value.decode("utf-8", "replace")
    if rule.entropy and entropy(text) < rule.entropy:
        return False
    if rule.mixed and not is_mixed(text):
        return False
    if rule.check == "basic":
        return is_credentials(text)
    if rule.check == "pem":
        return _is_private_pem(text)
    if rule.check == "url":
        return _is_url_password(text)
    if rule.check == "typed":
        return is_password(text, quoted=False)
    if rule.check == "random":
        return is_random(text)
    return len(set(text)) > 4


def _is_private_pem(text: str) -> bool:
    head = "".join(text.split())[:80]
    try:
        return b"PRIVATE KEY" in base64.b64decode(head[: len(head) // 4 * 4])
    except ValueError:
        return False


_URL_USUAL = words(
    "repo bar pass password passwd pwd secret token user username test guest postgres root admin"
    " example foo bar baz key pw p port pa55 mypass mypassword hunter xxx"
)


_NAMED = re.compile(r"pass|pwd|secret|token")
_DIGIT = re.compile(r"(?<!%)(?<!%\w)\d")


def _is_url_password(text: str) -> bool:
    lower = text.lower()
    if lower in _URL_USUAL or (lower.isdigit() and len(lower) < 6):
        return False
    if any(mark in text for mark in ("${", "{{", "$(", "%s", "...", "***", "://", "{", "<", "(")):
        return False
    if text.startswith(("$", ":")) or (_NAMED.search(lower) and not _DIGIT.search(lower)):
        return False
    return len(set(text)) > 2
