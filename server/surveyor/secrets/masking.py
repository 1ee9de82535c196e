"""Finds secrets in a text and puts asterisks in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from surveyor.secrets.allowed import current
from surveyor.secrets.named import Manner, named_values
from surveyor.secrets.rules import formatted
from surveyor.secrets.values import entropy, is_mixed
from surveyor.secrets.word_tables import words

__all__ = [
    "MASKING_VERSION",
    "PARTS_MASKED",
    "SecretSpan",
    "find",
    "find_all",
    "manner_of",
    "mask_bytes",
    "mask_diff",
    "mask_text",
    "mask_values",
]

MASKING_VERSION = "2"
"""Raised when more is masked than before: part of the version of an index, which is made again."""

PARTS_MASKED = "credentials are masked"
"""What is noted of a file in which something is."""

_NO_SPACE = re.compile(rb"\S")
_KEY_BEGIN = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = b"-----END "
_KEY_BODY = re.compile(rb"(?:[A-Za-z0-9+/=:,.\-\s\"'`;|>*#()@]|\\[nrt\\\"])+")
_KEY_RUN = re.compile(rb"(?:\\[nrt])|[A-Za-z0-9+/=]{8,}|[A-Za-z0-9+/]{1,}={1,2}")
_KEY_SOLID = re.compile(rb"[A-Za-z0-9+/]{16,}")
MAX_KEY_BYTES = 40_000
"""The longest that a private key may be, armoured: RSA of 16,384 bits takes 12 KB."""
_AWS_ID = re.compile(rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")
_AWS_SECRET = re.compile(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_KUBERNETES = re.compile(rb"(?m)^\s*[\"']?kind[\"']?\s*:\s*[\"']?Secret\b")
_KUBERNETES_DATA = re.compile(
    rb"(?m)^(?P<i>[ \t]*)[\"']?(?:data|stringData)[\"']?:[ \t]*\r?\n"
    rb"(?P<b>(?:(?P=i)[ \t]+[^\n]*\n?){1,400})"
)
_KUBERNETES_ITEM = re.compile(
    rb"(?m)^[ \t]+[\w.\-\"']+:[ \t]*[\"']?(?P<v>[^\s\"'|>{$][^\s\"']{3,})"
)
_DOCKER_AUTH = re.compile(
    rb"\"(?:auth|identitytoken|registrytoken)\"\s{0,8}:\s{0,8}"
    rb"\"([A-Za-z0-9+/=_.\-]{8,})\""
)

_SETTINGS = words(
    ".yaml .yml .properties .ini .cfg .conf .env .toml .sh .bash .zsh .fish .ksh .profile .service"
    " .tf .hcl .config .cnf .reg .ps1 .bat .cmd .plist .xml .json .jsonc .csv .tsv .sql .envrc"
    " .gradle .pkr .nomad .desktop .list .rc"
)
_PROSE = words(
    ".md .markdown .mdx .rst .txt .adoc .org .tex .log .out .jsonl .ndjson .html .htm .ipynb"
    " .http .rest .eml .diff .patch"
)


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A secret in a text: byte offsets, half open, and the rule that told it."""

    start: int
    end: int
    rule: str


def manner_of(path: str | None) -> Manner:
    """How the file at `path` writes values; None is prose (a message, a note)."""
    if path is None:
        return "prose"
    pure = PurePosixPath(path)
    suffix, name = pure.suffix.lower(), pure.name.lower()
    if suffix in _PROSE:
        return "prose"
    if suffix in _SETTINGS or name.startswith((".env", "dockerfile", "containerfile")):
        return "settings"
    if not suffix or (name.startswith(".") and name.count(".") == 1):
        return "settings"
    return "code"


def find(data: bytes, path: str | None = None) -> list[SecretSpan]:
    """Secrets in a text but those that are allowed, in order, none overlapping."""
    found = find_all(data, path)
    using = current()
    if not found or not (using.fingerprints or using.paths):
        return found
    if using.covers(path):
        return []
    return [
        one
        for one in found
        if using.fingerprint(data[one.start : one.end]) not in using.fingerprints
    ]


def find_all(data: bytes, path: str | None = None) -> list[SecretSpan]:
    """Secrets in a text, also the allowed ones."""
    found = [SecretSpan(*one) for one in formatted(data)]
    found += [SecretSpan(*span, "named") for span in named_values(data, manner_of(path))]
    if b"PRIVATE KEY" in data:
        found += [SecretSpan(*span, "private-key") for span in _private_keys(data)]
    if (b"AKIA" in data or b"ASIA" in data) and _AWS_ID.search(data):
        found += [SecretSpan(*span, "aws-secret-key") for span in _aws_secrets(data)]
    if b"Secret" in data and _KUBERNETES.search(data):
        found += [SecretSpan(*span, "kubernetes-secret") for span in _kubernetes(data)]
    if b'"auth' in data or b'token"' in data:
        found += [
            SecretSpan(*m.span(1), "docker-auth")
            for m in _DOCKER_AUTH.finditer(data)
            if _mixed(m[1])
        ]
    return _apart(found)


def _mixed(value: bytes) -> bool:
    return is_mixed(value.decode("ascii", "replace"))


def _apart(found: list[SecretSpan]) -> list[SecretSpan]:
    result: list[SecretSpan] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if result and one.start < result[-1].end:
            if one.end > result[-1].end:
                result[-1] = SecretSpan(result[-1].start, one.end, result[-1].rule)
            continue
        result.append(one)
    return result


def _private_keys(data: bytes) -> Iterator[tuple[int, int]]:
    """The bodies of private keys; the lines around them stay, and so does code in between."""
    for begin in _KEY_BEGIN.finditer(data):
        limit = min(len(data), begin.end() + MAX_KEY_BYTES)
        end = data.find(_KEY_END, begin.end(), limit)
        if end < 0:
            body = _KEY_BODY.match(data, begin.end(), limit)
            end = body.end() if body else begin.end()
        if not _KEY_SOLID.search(data, begin.end(), end):
            continue
        for run in _KEY_RUN.finditer(data, begin.end(), end):
            if not run[0].startswith(b"\\"):
                yield run.span()


def _aws_secrets(data: bytes) -> Iterator[tuple[int, int]]:
    """Beside the id of an AWS key: what has the form of its other half."""
    for match in _AWS_SECRET.finditer(data):
        text = match[0].decode()
        if is_mixed(text) and entropy(text) > 4.0 and not text.islower():
            yield match.span()


def _kubernetes(data: bytes) -> Iterator[tuple[int, int]]:
    """Values of `data` and `stringData` in documents of the kind Secret."""
    start = 0
    for document in re.split(rb"(?m)^---", data):
        if _KUBERNETES.search(document):
            for block in _KUBERNETES_DATA.finditer(document):
                for item in _KUBERNETES_ITEM.finditer(block["b"]):
                    offset = start + block.start("b")
                    yield offset + item.start("v"), offset + item.end("v")
        start += len(document) + 3


def mask_bytes(data: bytes, path: str | None = None) -> bytes:
    """Secrets replaced by asterisks of the same length; `data` itself where there are none."""
    found = find(data, path)
    if not found:
        return data
    masked = bytearray(data)
    for one in found:
        masked[one.start : one.end] = _NO_SPACE.sub(b"*", data[one.start : one.end])
    return bytes(masked)


def mask_text(text: str, path: str | None = None) -> str:
    """The same of text; each character of a secret becomes one asterisk."""
    data = text.encode("utf-8", "surrogatepass")
    found = find(data, path)
    if not found:
        return text
    parts, at = [], 0
    for one in found:
        parts.append(data[at : one.start])
        secret = data[one.start : one.end].decode("utf-8", "replace")
        parts.append(re.sub(r"\S", "*", secret).encode())
        at = one.end
    parts.append(data[at:])
    return b"".join(parts).decode("utf-8", "surrogatepass")


_ARMOUR = re.compile(r"^[ \t\"'+]*[A-Za-z0-9+/]{40,76}={0,2}[ \t\"'+,;\\nr]*$")
"""A whole line of base64: in a part of a file, of a key whose beginning lies elsewhere."""


def mask_diff(diff: str, path: str | None = None) -> str:
    """A diff of the file at `path`, masked as the file itself is, line by line as it stands."""
    lines = diff.split("\n")
    masked = mask_text("\n".join(line[1:] for line in lines), path).split("\n")
    return "\n".join(
        line[:1] + (_ARMOURED.sub("*", text) if _ARMOUR.match(text) and _is_armour(text) else text)
        for line, text in zip(lines, masked, strict=True)
    )


_ARMOURED = re.compile(r"[A-Za-z0-9+/=]")


def _is_armour(text: str) -> bool:
    return is_mixed(text.strip()) and entropy(text) > 4.0


def mask_values(value: Any) -> Any:
    """Of what JSON can hold: every string masked, also by the name that it stands under."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, list):
        return [mask_values(one) for one in value]
    if isinstance(value, dict):
        return {key: _member(str(key), one) for key, one in value.items()}
    return value


def _member(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return mask_values(value)
    head = f'{name} = "'
    shown = mask_text(f"{head}{value}")[len(head) :]
    whole = mask_text(f'{head}{value}"')[len(head) : -1]
    return whole if "*" in whole else shown
