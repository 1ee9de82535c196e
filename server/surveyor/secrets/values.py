"""Whether a value that stands under a name such as `password` is a secret, or says where one is.

Decides by the value's form: length, kinds of characters, entropy, and the words that people write
where a secret is to be put in.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter

from surveyor.secrets.word_tables import words

__all__ = ["entropy", "is_credentials", "is_mixed", "is_password", "is_random"]

MIN_PASSWORD_CHARS = 5
MAX_PASSWORD_CHARS = 200
MIN_RANDOM_CHARS = 12
MIN_RANDOM_BITS = 3.0
"""Entropy a character of what may pass for random; 12 different characters have 3.6."""
LONG_RANDOM_CHARS = 20
"""From here on a word such as `example` inside is chance, or part of a key from documentation."""

SCATTERED_CHARS = 3
"""Mean length of the pieces between changes of case, below which they are no words."""

_PLACEHOLDER = re.compile(
    r"example|sample|dummy|placeholder|change[-_ ]?(?:me|it|this)|replace|insert|redact|todo"
    r"|fixme|foo|bar(?![a-z])|fake|default|mock|lorem|your|(?<![a-z])my[-_]"
    r"|enter|not[-_ ]?(?:set|real|used|a)"
    r"|x{3,}|\.{3}|…|\*{2,}|•|#{3,}|0{6,}|abcdef|abc123|12345678|qwerty|testtest|goes[-_]?here"
    r"|process\.env|environ|getenv|env\.|secrets?\.|vault:|config\.|self\.|this\.|args\.|"
    r"params\.|request\.|options\.|settings\.|redacted|hidden|removed|masked|unknown|invalid|"
    r"wrong|incorrect|missing",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"^(?:\$|%[({A-Za-z_]|@|&[a-z]|!|\{|<|\[|\(|/|\.{1,2}/|~/|[A-Za-z]:[\\/]|-{1,2}[a-z])"
    r"|\$\{|\{\{|\$\(|<[%?]|#\{|%\(|\{[\w.!:]*\}|%[sdr]|<[\w -]+>|\\\(|://|\(\)|->|::|=>|[(\[{]$"
)
_TEMPLATE = re.compile(r"\$\{|\{\{|\$\(\w+\)|<[\w -]+>|%\(\w+\)|\{[\w.!:]*\}|->|::|\(\)|://|%[sd]")
_CUT = re.compile(r"\.{3}|…|\*{3}|x{4}|X{4}|(?:\\x[0-9a-fA-F]{2}){3}|(?:\\u[0-9a-fA-F]{4}){2}")
_CODE = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)*[!?]?$")
_FILE = re.compile(
    r"\.(?:pem|key|crt|cer|json|ya?ml|txt|xml|html?|toml|ini|cfg|conf|env|js|ts|py|md|go"
    r"|png|svg|jks|p12|php|java|rb|cs|sh|enc|gpg|sock)$",
    re.I,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d\s]+")
_PARTS = re.compile(r"[^A-Za-z0-9]+")
_HEX = re.compile(r"^(?:0x)?[0-9a-fA-F]+$")
_UUID = re.compile(r"^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_DATE_OR_VERSION = re.compile(r"^[vV]?\d+(?:[.\-:/T]\d+)*[Z]?$")
_SPECIAL = re.compile(r"[^\w\s.\-/:,;'()\[\]]")

_NAMES = words(
    "password passwd passphrase passcode pass pwd secret secrets token tokens key keys auth apikey"
    " credential credentials authorization bearer login signin username user userid email field"
    " input hash salt oauth oauth2 jwt csrf xsrf"
)
_USUAL = words(
    "string text none null nil true false undefined optional required test tests testing value"
    " values type name input hidden plain plaintext bytes object any number integer boolean bool"
    " str int float empty blank disabled enabled always never prompt interactive file stdin"
    " environment keyring keychain manager manual directory anonymous guest admin root postgres"
    " mysql mongo redis rabbitmq minio user users username basic digest bearer public private"
    " encrypted hashed md5 sha1 sha256 sha512 bcrypt scrypt argon2 argon2id pbkdf2 base64 utf8"
    " ascii latin1 header query body cookie cookies session default local remote ident trust peer"
    " static dynamic global scope unset ignore error errors warning message label title header"
    " visible toggle forgot forgotten reset confirm confirmation change changed update updated"
    " create delete remove show hide current previous expired strength policy"
)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values())


def is_mixed(text: str) -> bool:
    """Whether it has letters and digits in the way of random text, or both cases all over."""
    changes = digits = 0
    last = ""
    for char in text:
        kind = "d" if char.isdigit() else "u" if char.isupper() else "l" if char.islower() else ""
        digits += kind == "d"
        if kind and last and kind != last and not (last == "u" and kind == "l"):
            changes += 1
        last = kind or last
    letters = any(char.isalpha() for char in text)
    if _HEX.match(text) and len(text) >= 16:
        return letters and digits >= 3
    if digits and letters:
        return changes >= max(2, len(text) // 10)
    return letters and changes >= max(4, len(text) // 4)


def is_random(value: str) -> bool:
    """Whether a value looks as if a machine had drawn it: keys and tokens."""
    if len(value) < MIN_RANDOM_CHARS or any(char.isspace() for char in value):
        return False
    if _UUID.match(value):
        return not value.startswith("00000000") and entropy(value) >= MIN_RANDOM_BITS
    if _is_noise(value):
        return True
    if _REFERENCE.search(value) or _FILE.search(value) or _DATE_OR_VERSION.match(value):
        return False
    if _CUT.search(value) or (len(value) < LONG_RANDOM_CHARS and _PLACEHOLDER.search(value)):
        return False
    if not is_mixed(value) or entropy(value) < MIN_RANDOM_BITS:
        return False
    if len(value) < 40 and _CODE.match(value.lstrip("*&")) and _names_one(value):
        return False
    return not _is_worded(value)


def _is_noise(value: str) -> bool:
    """Long, of many characters and of no shape: what it begins with means nothing."""
    return (
        len(value) >= 32
        and entropy(value) >= 4.2
        and is_mixed(value)
        and not (_TEMPLATE.search(value) or _CUT.search(value) or _FILE.search(value))
        and value.count("/") <= len(value) // 8
        and not _is_worded(value)
        and not _CODE.match(value.lstrip("*&"))
    )


def _names_one(value: str) -> bool:
    """Whether one of its words says what the value would be: `testEd25519PrivateKey`."""
    return any(word.lower() in _NAMES and len(word) > 2 for word in _WORD.findall(value))


def _is_worded(value: str) -> bool:
    """Whether it is words with a number here and there: `aws4_request_v2`, `X-Auth-Token2`."""
    parts = [part for part in _PARTS.split(value) if part]
    longest = max(map(len, parts), default=0)
    if longest >= LONG_RANDOM_CHARS and is_mixed(max(parts, key=len)):
        return False
    words = [word for part in parts for word in _WORD.findall(part)]
    letters = [word for word in words if word.isalpha() and len(word) > 1]
    covered = sum(len(word) for word in letters if len(word) >= 4)
    return bool(words) and covered >= 0.75 * sum(map(len, words))


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether a literal under a password's name is one, however weak."""
    if len(value) > 2 * MAX_PASSWORD_CHARS:
        return False
    value = re.sub(r"(?:\\\\[nrt])+$", "", value)
    if not MIN_PASSWORD_CHARS <= len(value) <= MAX_PASSWORD_CHARS or value != value.strip():
        return False
    if is_random(value):
        return True
    lower = value.lower()
    if any(char.isspace() for char in value) or lower in _USUAL or _DATE_OR_VERSION.match(value):
        return quoted and value.isdigit() and len(value) >= 6 and len(set(value)) > 2
    if _REFERENCE.search(value) or _PLACEHOLDER.search(value) or _FILE.search(value):
        return _is_strong(value)
    if not value.isascii() and value.replace("-", "").isalpha():
        return False  # "password" in another language
    words = [word.lower() for word in _WORD.findall(value) if word.isalpha()]
    if _CUT.search(value) or (
        _CODE.match(value) and _NAMES.intersection(words) and len(words) > 1 and _is_worded(value)
    ):
        return False
    has_digit = any(char.isdigit() for char in value)
    if not has_digit and not _SPECIAL.search(value):
        return quoted and _is_plain_password(value, words)
    if not words:
        return bool(_SPECIAL.search(value)) and has_digit
    return not (not has_digit and value.strip("!?.:*").isalpha())


def _is_strong(value: str) -> bool:
    """With all four kinds of characters, a word inside does not make it a placeholder."""
    kinds = (str.isdigit, str.isupper, str.islower)
    special = re.search(r"[!@#^&*+=~|?]", value)
    return bool(
        all(any(kind(char) for char in value) for kind in kinds)
        and special
        and len(value) >= 8
        and not re.search(r"\$\{|\{\{|\$\(|\{\w*\}|^<.*>$|^\$\w+$|\(\)|x{4}|\*{3}|\.{3}", value)
    )


def _is_plain_password(value: str, words: list[str]) -> bool:
    """Letters only: a word in lower case that is not one of those of forms and types, or cases
    that change where no word begins."""
    if any(word in _NAMES or word in _USUAL for word in words):
        return False
    if any(name in value.lower() for name in ("pass", "secret", "token", "key", "auth", "pwd")):
        return False
    if re.fullmatch(r"[a-z]{7,40}", value) or _is_scattered(value):
        return True
    return bool(re.fullmatch(r"[a-z]{3,}(?:-[a-z]{3,}){3,}", value))


def _is_scattered(value: str) -> bool:
    """Letters of both cases in pieces too short for words: `nsCGRlrwZ`."""
    pieces = _WORD.findall(value)
    return value.isalpha() and len(value) >= 8 and len(value) < SCATTERED_CHARS * len(pieces)


def is_credentials(encoded: str) -> bool:
    """Whether base64 holds `user:password`."""
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    name, colon, password = plain.partition(b":")
    return bool(colon and name and password) and all(32 <= byte < 127 for byte in plain)
