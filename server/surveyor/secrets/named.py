"""Values under names that say secret: assignments, members, arguments, attributes, flags.

A name is found first (in linear time), then what stands between it and its value, then the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import re2

from surveyor.secrets.values import is_password, is_random
from surveyor.secrets.word_tables import words

__all__ = ["Manner", "named_values"]

Manner = Literal["code", "settings", "prose"]
"""How a text writes values: in code what is not quoted is a name; in settings and in prose it is
the value."""

_WORDS = (
    r"pass(?:word|wd|phrase|code|wort)?s?|pwd|secret|token|jeton|credentials?|kennwort"
    r"|contrase(?:ñ|n)a|mot[-_ ]de[-_ ]passe|motdepasse|senha|wachtwoord"
    r"|(?:api|app|application|access|account|secret|private|auth|encrypt(?:ion)?|sign(?:ing)?"
    r"|master|shared|subscription|session|storage|license|deploy|jwt|hmac|crypto|cookie|server"
    r"|client|admin|service|webhook|integration|rest|write|security|cipher|aes|consumer"
    r"|stripe|openai|anthropic|gemini|sentry|sendgrid|mailgun|twilio|github|maps|mapbox|algolia"
    r"|pusher|firebase|slack|datadog|newrelic|cloudflare|heroku|ssh|gpg|rsa|merchant|partner"
    r"|key[-_]?vault|cosmos|primary|secondary|data)[-_. ]?(?:key|key[-_]?data)"
    r"|auth|authorization|conn(?:ection)?[-_. ]?str(?:ing)?|dsn|mnemonic|seed[-_ ]?phrase"
    r"|salt|pepper|sas|pw|psw|pword|creds|jwt|bearer"
    r"|(?:azdo|azure|devops|ado|ext|github|gh|gitlab|git)_?pat"
)
_SUFFIX = (
    r"(?:[-_.]?(?:\d+|base|value|val|prod(?:uction)?|dev|live|test|staging|default|string|str|base64"
    r"|b64|encoded|enc|raw|plain(?:text)?|old|new|current|key|token|data|literal|const|v\d))*"
)
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 32 << 20
_FIND = re2.compile(
    (
        rf"(?i)(?:{_WORDS}){_SUFFIX}"
        r"(?:\\{0,2}[\"'`]|[\])}]|\[[^\]\n]{0,8}\]|\s){0,8}"  # the name ends
        r"(?:"
        r":=|=>|={1,3}|!==?|\?\?=|\|\|=|:{1,2}|,|\(|>"
        r"|\\{0,2}[\"'`]"
        r"|is\b|</|value\\{0,2}[\"']?\s{0,3}[:=]"
        r")"
    ).encode(),
    _OPTIONS,
)
_NAME_BEFORE = re.compile(rb"[\w$.\-]*\Z")
_BETWEEN = re.compile(
    rb"""[ \t]*
    (?:\\{0,2}["'`])?                       # the quote that ends the name
    (?:\]|\)|\[[^\]\n]{0,8}\])?[ \t]*
    (?P<sep>
      :[ \t]*[&*]?[A-Za-z_](?:[\w<>\[\].?|&*, ']|::){0,40}?[ \t]*=(?!=)   # a type between
      | :=|=>|===?|!==?|\?\?=|\|\|=|\+=|::|=|:
      | ,[ \t]*(?:\\{0,2}["'])?value(?:\\{0,2}["'])?[ \t]*[:=]            # {"name": N, "value": V}
      | [ \t]+(?:value|content)[ \t]*=
      | [ \t]*\{[^{}]{0,300}?\bdefault[ \t]*=
      | \r?\n[ \t]*-?[ \t]*["']?value["']?[ \t]*:
      | >[ \t]*(?:\r?\n[ \t]*)?(?:<(?:string|value)>)?
      | </(?:key|name)>\s{0,40}<(?:string|value)>
      | ,|\(
      | [ \t]+is(?=[ \t]+\S)
      | [ \t]+
    )
    [ \t]*(?:![\w!]{1,40}[ \t]+)?(?:[>|][-+]?[ \t]*\r?\n[ \t]+)?(?:\r?\n[ \t]+(?=["'`]))?
    (?:\(\s{0,40})?
    (?:[\w.\[\]"'()]{1,80}[ \t]*(?:\|\||\?\?|\bor\b)[ \t]*(?=["']))?   # what is taken else
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = re.compile(
    rb"""(?:[bruflBRUFL@$]{0,2}|new[ ]String\(|!!str[ ]
      |(?:\w{1,30}(?:\.|::)){0,3}(?:from|new|of|b64decode|SecretStr|SecretString|Secret|String)\()
    (?: \\+"(?P<e>[^"\\\n]{1,400})\\+"
      | \\+'(?P<f>[^'\\\n]{1,400})\\+'
      | (?:\"{3})(?P<t>[^"\n]{1,400})\"{3}
      | "(?P<d>(?:[^"\\\n]|\\.){1,4000})"
      | '(?P<s>(?:[^'\\\n]|\\.){1,4000})'
      | `(?P<b>[^`\n]{1,400})`
    )""",
    re.VERBOSE,
)
_BARE = re.compile(rb"(?P<u>[^\s\"'`<>,;(){}\[\]\\]{4,2000})(?P<next>.?)")
_SETTING = re.compile(rb"(?P<u>[^\s\"'`<>;\\][^\s\"'`<>;\\]{3,2000})")
_XML = re.compile(rb"(?P<u>[^<>\r\n\\]{4,1000})</")
_COMMENT = re.compile(rb"^\s*(?:#|//|/?\*|--|;|<!--|%|rem\b)", re.IGNORECASE)
_SHELL = re.compile(rb"(?:^|\s)(?:export|set|env|arg|setx|declare(?:\s-x)?)\s[^\n]{0,120}$", re.I)
_FLAG = re.compile(rb"(?:^|[\s\"'=])--?$")
_DEFINE = re.compile(
    rb"(?:#\s*define|identified\s+by|with|\bencrypted|\buser\b[^\n]{0,80})\s+$", re.I
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PUBLIC = words("public publishable csrf xsrf next page continuation cancellation pad eos bos")
_QUERY = re.compile(rb"[?&;]$")
_ENDS = re.compile(rb"[,.;)]*[ \t]*(?:\*/|-->)?[ \t]*(?:\r?\n|$)|[&\"'`#;]")


def named_values(data: bytes, manner: Manner) -> Iterator[tuple[int, int]]:
    """(start, end) of values that are secrets by the names that they stand under."""
    done = 0
    for found in _FIND.finditer(data):
        start = found.start()
        if start < done:
            continue
        end = _end_of_name(data, start)
        before = _NAME_BEFORE.search(data[max(0, start - 60) : start])
        prefix = before[0] if before else b""
        strength = _strength(prefix, data[start:end])
        if strength is None:
            continue
        left = start - len(prefix)
        if data[left - 2 : left] == b"::":
            continue
        span = _value(data, left, end, strength, manner)
        if span is not None:
            done = span[1]
            yield span


_PASSWORDS = (
    "password", "passwd", "passphrase", "passcode", "passwort", "pwd", "kennwort", "contrase",
    "mot", "senha", "wachtwoord",
)  # fmt: skip
_NAME = re.compile(rf"(?i:(?:{_WORDS}){_SUFFIX})".encode())
_STOP = re.compile(rb"[\w]")


def _end_of_name(data: bytes, start: int) -> int:
    found = _NAME.match(data, start)
    return found.end() if found else start


def _strength(prefix: bytes, name: bytes) -> str | None:
    """`password`, `key`, or None for a name that only looks so (`compass`, `public_key`)."""
    word = name.decode("ascii", "replace")
    whole = (prefix + name).decode("ascii", "replace")
    parts = [part.lower() for part in _CAMEL.findall(whole)]
    if _PUBLIC.intersection(parts):
        return None
    lower = word.lower()
    if lower.startswith(_PASSWORDS):
        return "password"
    if lower in ("pw", "psw", "pword"):
        return "password" if lower in parts else None
    if lower.startswith("pass"):
        return "password" if "pass" in parts else None
    if lower.startswith("secret"):
        return "password"
    short = re.match(r"auth|salt|sas|dsn|pepper|pw$|psw$|jwt|bearer", lower)
    if short and short[0] not in parts and parts[-1:] != [short[0]]:
        return None
    if re.match(r"mnemonic|seed", lower):
        return "phrase"
    return "key"


def _value(
    data: bytes, left: int, end: int, strength: str, manner: Manner
) -> tuple[int, int] | None:
    if _STOP.match(data, end):
        return None
    between = _BETWEEN.match(data, end)
    if between is None:
        return None
    sep = between["sep"].strip()
    at = between.end()
    near = max(0, left - 200)
    lead = data[max(near, data.rfind(b"\n", near, left) + 1) : left]
    flag = bool(_FLAG.search(lead)) or bool(re.search(rb"--[\w\-]*$", data[max(0, left - 2) : end]))
    bare_pass = data[left:end].lower() == b"pass"
    if bare_pass and (sep == b"" or (sep != b"=" and data[left:end].isupper())):
        return None
    if sep == b"," and b"\n" in data[end:at]:
        return None
    quoted = _QUOTED.match(data, at)
    if quoted is not None:
        group = quoted.lastgroup or "d"
        directive = strength == "password" and not lead.strip()
        if sep == b"" and not (flag or directive or _DEFINE.search(lead) or _SHELL.search(lead)):
            return None
        if sep in (b",", b"(", b"") and not (
            _fits(quoted[group], strength, loose=False)
            and (strength != "key" or len(quoted[group]) >= 16)
        ):
            return None
        return quoted.span(group) if _fits(quoted[group], strength, loose=True) else None
    if sep.startswith(b">") or sep.endswith(b">"):
        xml = _XML.match(data, at)
        if xml is None or not _fits(xml["u"].strip(), strength, loose=True):
            return None
        return xml.span("u")
    if sep in (b",", b"(", b"==", b"===", b"!=", b"!==", b"=>", b"::"):
        return None
    if sep == b"" and not (flag or _SHELL.search(lead)):
        return None
    if _QUERY.search(data[max(0, left - 1) : left]):
        query = re.compile(rb"[^\s&\"'`<>)\]};,]{4,}").match(data, at)
        if query and _fits(query[0], "key" if strength == "key" else strength, loose=False):
            return query.span()
        return None
    bare = (_SETTING if manner == "settings" or _SHELL.search(lead) else _BARE).match(data, at)
    if bare is None:
        return None
    value = bare["u"].rstrip(b",.")
    if manner == "code" and not (
        flag or _SHELL.search(lead) or _COMMENT.match(lead) or b"://" in lead
    ):
        if bare.groupdict().get("next") in (b"(", b"[", b"{", b"<"):
            return None
        if not (is_random(_text(value)) and _not_a_name(value)):
            return None
    elif not _fits(value, strength, loose=False) or (
        manner == "code" and not flag and not _ENDS.match(data, bare.start("u") + len(value))
    ):
        return None
    return bare.start("u"), bare.start("u") + len(value)


def _not_a_name(value: bytes) -> bool:
    """In code, without quotes: nothing that could be an identifier."""
    return not re.fullmatch(
        rb"[*&]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*", value
    )


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _fits(value: bytes, strength: str, *, loose: bool) -> bool:
    text = _text(value)
    if strength == "phrase":
        return len(text.split()) in (12, 15, 18, 21, 24) and text.replace(" ", "").isalpha()
    if strength == "password":
        return is_password(text, quoted=loose)
    return is_random(text)
