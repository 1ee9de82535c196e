"""Where training data comes from: which licences are taken, and which projects never are."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
import tomllib
from pathlib import Path, PurePosixPath

HERE = Path(__file__).parent

PERMISSIVE = re.compile(
    r"^(mit|mit[- ]license|the mit license.*|expat|x11|.*bsd.*|apache.*|isc.*|psf.*|python-2\.0.*"
    r"|python software.*|zlib.*|libpng.*"
    r"|bsl-1\.0|boost.*|unlicense|the unlicense.*|cc0.*|0bsd|hpnd.*|postgresql|openssl|ncsa"
    r"|unicode.*|public[- ]domain|pd|wtfpl|blueoak.*|mit-0|mit-cmu|curl|ssleay|tcl.*|libtiff|ijg"
    r"|historical permission.*)$"
)
COPYLEFT = re.compile(
    r"gpl|gnu|mpl|mozilla|eclipse|\bepl|cddl|eupl|cecill|sspl|busl|ofl|artistic|cc-by|proprietary"
    r"|sleepycat|qpl|osl|nonfree|non-commercial"
)
COPYLEFT_HEADER = re.compile(
    r"GNU (General|Lesser|Library|Affero)|\b[AL]?GPL"
    r"|SPDX-License-Identifier:[^\n]*(GPL|MPL|EPL|CDDL)"
    r"|Mozilla Public License|Eclipse Public License|Common Development and Distribution"
    r"|Server Side Public|Business Source License|NonCommercial|ShareAlike"
)
"""In the first lines of a file: the file is left out whatever its package declares."""


def is_permissive(licence: str) -> bool:
    """Whether a declared licence (SPDX expression, Debian short name or plain words) is taken.

    Of alternatives one must be permissive, of a conjunction all.
    """
    text = re.sub(r"[()\"']", " ", licence.lower()).strip()
    text = re.sub(r"\s+with\s+[\w.-]+", "", text)
    if not text or "unknown" in text or "see license" in text:
        return False
    alternatives = re.split(r"\s+or\s+|/|\s*\|\s*", text)
    return any(
        all(
            PERMISSIVE.match(part.strip()) and not COPYLEFT.search(part)
            for part in re.split(r"\s+and\s+|,|;|&", alternative)
            if part.strip()
        )
        for alternative in alternatives
        if alternative.strip()
    )


LICENCE_TEXTS = (
    (r"Apache License,?\s+Version 2\.0", "Apache-2.0"),
    (r"Permission is hereby granted, free of charge", "MIT"),
    (r"Boost Software License", "BSL-1.0"),
    (r"Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms", "BSD"),
    (r"Permission to use, copy, modify,? and(/or)? distribute this software", "ISC"),
    (r"provided 'as-is', without any express or implied", "Zlib"),
    (r"in the public domain|dedicated to the public", "public-domain"),
)


def licence_of_text(text: str) -> str:
    """The licence that a LICENSE or COPYING file gives; empty when not a known permissive one."""
    head = re.sub(r"\s+", " ", text[:6000])
    if COPYLEFT_HEADER.search(head):
        return ""
    found = (name for pattern, name in LICENCE_TEXTS if re.search(pattern, head))
    return next(found, "")


def licence_of_debian(copyright_file: str) -> tuple[str, list[str]]:
    """Of a Debian copyright file: the licence of `Files: *`, and globs under other terms.

    An empty licence: the file is not in the machine-readable format, or declares none.
    """
    default, refused = "", []
    for stanza in re.split(r"\n\s*\n", copyright_file):
        files = re.search(r"^Files:\s*(.+(?:\n[ \t]+.+)*)", stanza, re.M)
        licence = re.search(r"^License:[ \t]*(.+)$", stanza, re.M)
        if not files or not licence:
            continue
        globs = files.group(1).split()
        if "*" in globs:
            default = licence.group(1).strip()
        elif not is_permissive(licence.group(1)):
            refused += [glob for glob in globs if not glob.startswith("debian")]
    return default, refused


def licence_of_wheel(metadata: str) -> str:
    """The licence in a wheel's METADATA: expression, else classifiers, else the free text."""
    head = metadata.split("\n\n", 1)[0]
    expression = re.search(r"^License-Expression:\s*(.+)$", head, re.M)
    if expression:
        return expression.group(1).strip()
    classified = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.M)
    if classified:
        return " AND ".join(sorted(set(classified)))
    free = re.search(r"^License:\s*(.+)$", head, re.M)
    return free.group(1).strip()[:80] if free else ""


def licence_of_npm(package_json: str) -> str:
    """The licence in a package.json."""
    said = json.loads(package_json)
    licence = said.get("license") or said.get("licenses") or ""
    if isinstance(licence, dict):
        licence = licence.get("type", "")
    if isinstance(licence, list):
        licence = " OR ".join(
            item.get("type", "") if isinstance(item, dict) else str(item) for item in licence
        )
    return str(licence)


EXCLUDED = tuple(
    tomllib.loads((HERE / "excluded.toml").read_text(encoding="utf-8"))["repositories"]
)

ALIASES = {
    "apache/commons-lang": ("commons-lang", "commons-lang3", "lang3", "libcommons-lang3-java"),
    "FasterXML/jackson-databind": ("jackson-databind", "databind"),
    "nlohmann/json": ("nlohmann", "nlohmann-json", "nlohmann-json3"),
    "abseil/abseil-cpp": ("abseil", "abseil-cpp", "absl"),
    "fmtlib/fmt": ("fmt", "fmtlib"),
    "libuv/libuv": ("libuv", "uv"),
    "google/gson": ("gson", "libgoogle-gson-java"),
    "reduxjs/redux": ("redux", "redux-toolkit", "toolkit"),
    "trpc/trpc": ("trpc", "@trpc"),
    "tokio-rs/tokio": ("tokio", "tokio-util", "tokio-stream", "tokio-macros"),
    "serde-rs/serde": ("serde", "serde-derive", "serde-core"),
    "tokio-rs/axum": ("axum", "axum-core", "axum-extra"),
    "dart-lang/http": (),
    "laravel/framework": ("laravel", "illuminate"),
    "psf/requests": ("requests",),
    "pydantic/pydantic": ("pydantic", "pydantic-core", "pydantic-v1"),
    "curl/curl": ("curl", "libcurl"),
    "redis/redis": ("redis", "hiredis"),
}


def _names() -> frozenset[str]:
    names: set[str] = set()
    for repository in EXCLUDED:
        own = repository.split("/", 1)[1].lower()
        names.update(ALIASES.get(repository, (own,)))
    return frozenset(names)


EXCLUDED_NAMES = _names()
"""Folder and package names that stand for a benchmark repository, lower case, with hyphens."""


def is_excluded_package(name: str, metadata: str) -> bool:
    """Whether a package is a benchmark repository by its name or by its declared address."""
    plain = re.sub(r"^(librust|golang-github|lib)-|-(dev|java)$", "", name.lower())
    if plain.replace("_", "-") in EXCLUDED_NAMES:
        return True
    declared = re.findall(r"github\.com[/:]([\w.-]+/[\w.-]+)", metadata)
    # Only the addresses of the package itself: a README may well link to others.
    return any(
        address.removesuffix(".git").lower() == repository.lower()
        for address in declared
        for repository in EXCLUDED
    )


def is_excluded_path(path: str) -> bool:
    """Whether a path inside an archive lies in a folder named after a benchmark repository."""
    parts = [part.lower().replace("_", "-") for part in PurePosixPath(path).parts[:-1]]
    stripped = [re.sub(r"[-.]v?\d[\d.]*$", "", part) for part in parts]
    return any(part in EXCLUDED_NAMES for part in (*parts, *stripped))


def matches_any(path: str, globs: list[str]) -> bool:
    """Whether a Debian glob covers the path; `path` may lie deeper than the glob's root."""
    return any(fnmatch.fnmatch(path, glob) or fnmatch.fnmatch(path, f"*/{glob}") for glob in globs)


def body_hash(code: str) -> str:
    """Identity of a function's text whatever its layout: what vendored copies are found by."""
    plain = "".join(re.findall(r"\w+|[^\w\s]", code))
    return hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()
