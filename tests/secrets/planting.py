# ruff: noqa: E501 - each template is one line, as it is in a file
"""Secrets of many kinds, made at test time, and the places that people leave them in.

None is written down here: each is put together from parts, so that no scanner takes this for a leak.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"


@dataclass(frozen=True)
class Plant:
    """A text of a file with a secret in it. `secret` must be nowhere afterwards."""

    kind: str
    path: str
    text: str
    secret: str


def _some(rng: random.Random, letters: str, size: int) -> str:
    """Random text with both digits and letters in it."""
    while True:
        text = "".join(rng.choice(letters) for _ in range(size))
        digits = sum(char.isdigit() for char in text)
        if size < 6 or 0 < digits < size:
            return text


def _password(rng: random.Random) -> str:
    kinds: tuple[Callable[[], str], ...] = (
        lambda: _some(rng, ALNUM, 12),
        lambda: rng.choice(["hunter", "tiger", "Blue", "winter"]) + str(rng.randrange(10, 9999)),
        lambda: _some(rng, ALNUM, 6) + rng.choice("!@#%^*") + _some(rng, ALNUM, 4),
        lambda: (
            rng.choice(["Summer", "Monday", "Tr0ub4dor", "Kitten"])
            + rng.choice("!@#&")
            + str(rng.randrange(100, 9999))
        ),
    )
    return rng.choice(kinds)()


def _b64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def _jwt(rng: random.Random) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": str(rng.randrange(10**9)), "iat": rng.randrange(10**9)}
    return ".".join((part({"alg": "HS256", "typ": "JWT"}), part(claims), _some(rng, URLSAFE, 43)))


def _pem(rng: random.Random) -> str:
    body = _b64(rng, 600)
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join(lines)


TOKENS: dict[str, Callable[[random.Random], str]] = {
    "aws-id": lambda r: (
        "AK" + "IA" + "".join(r.choice(string.ascii_uppercase + "234567") for _ in range(16))
    ),
    "github": lambda r: "gh" + r.choice("pousr") + "_" + _some(r, ALNUM, 36),
    "github-fine": lambda r: "github" + "_pat_" + _some(r, ALNUM, 22) + "_" + _some(r, ALNUM, 59),
    "gitlab": lambda r: "gl" + "pat-" + _some(r, URLSAFE, 20),
    "slack": lambda r: "xo" + "xb-" + str(r.randrange(10**11, 10**12)) + "-" + _some(r, ALNUM, 24),
    "slack-webhook": lambda r: (
        "https://hooks.slack"
        + ".com/services/T"
        + _some(r, ALNUM, 8).upper()
        + "/B"
        + _some(r, ALNUM, 8).upper()
        + "/"
        + _some(r, ALNUM, 24)
    ),
    "discord-webhook": lambda r: (
        "https://discord"
        + ".com/api/webhooks/"
        + str(r.randrange(10**17, 10**18))
        + "/"
        + _some(r, URLSAFE, 68)
    ),
    "stripe": lambda r: "sk_" + "live_" + _some(r, ALNUM, 24),
    "google": lambda r: "AI" + "za" + _some(r, URLSAFE, 35),
    "npm": lambda r: "np" + "m_" + _some(r, ALNUM, 36),
    "pypi": lambda r: "py" + "pi-AgEIcHlwaS5vcmc" + _some(r, URLSAFE, 120),
    "openai": lambda r: "sk-" + "proj-" + _some(r, ALNUM, 48),
    "anthropic": lambda r: "sk-" + "ant-api03-" + _some(r, URLSAFE, 93) + "AA",
    "huggingface": lambda r: "hf" + "_" + _some(r, ALNUM, 34),
    "sendgrid": lambda r: "SG" + "." + _some(r, URLSAFE, 22) + "." + _some(r, URLSAFE, 43),
    "twilio": lambda r: "S" + "K" + _some(r, HEX, 32),
    "jwt": _jwt,
    "telegram": lambda r: str(r.randrange(10**8, 10**9)) + ":A" + "A" + _some(r, URLSAFE, 33),
    "digitalocean": lambda r: "dop" + "_v1_" + _some(r, HEX, 64),
    "shopify": lambda r: "shp" + "at_" + _some(r, HEX, 32),
    "azure-client": lambda r: _some(r, ALNUM, 3) + "8" + "Q~" + _some(r, ALNUM, 34),
    "vault": lambda r: "hv" + "s." + _some(r, ALNUM, 24),
    "databricks": lambda r: "da" + "pi" + _some(r, HEX, 32),
    "mailchimp": lambda r: _some(r, HEX, 32) + "-us" + str(r.randrange(1, 21)),
    "atlassian": lambda r: "ATA" + "TT3" + _some(r, URLSAFE, 60),
    "grafana": lambda r: "gl" + "sa_" + _some(r, ALNUM, 32) + "_" + _some(r, HEX, 8),
    "age": lambda r: (
        "AGE-SECRET"
        + "-KEY-1"
        + "".join(r.choice("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L") for _ in range(58))
    ),
}
"""Formats that an issuer made recognisable."""

_NAMED: dict[str, tuple[tuple[str, ...], Callable[[random.Random], str]]] = {
    "aws-secret": (
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "secretAccessKey", "aws_secret"),
        lambda r: _some(r, BASE64, 40),
    ),
    "password": (("password", "DB_PASSWORD", "dbPassword", "passwd", "admin_pwd"), _password),
    "api-key": (("api_key", "API_KEY", "apiKey", "x-api-key"), lambda r: _some(r, ALNUM, 32)),
    "hex-key": (("SECRET_KEY", "signing_key", "encryptionKey"), lambda r: _some(r, HEX, 64)),
    "azure": (("AZURE_STORAGE_KEY", "accountKey", "account_key"), lambda r: _b64(r, 64)),
    "twilio-token": (("TWILIO_AUTH_TOKEN", "twilioAuthToken"), lambda r: _some(r, HEX, 32)),
    "client-secret": (
        ("client_secret", "clientSecret", "CLIENT_SECRET"),
        lambda r: _some(r, URLSAFE, 40),
    ),
    "uuid-token": (
        ("auth_token", "access_token"),
        lambda r: str(uuid.UUID(int=r.getrandbits(128))),
    ),
    "datadog": (("DD_API_KEY", "datadog_api_key"), lambda r: _some(r, HEX, 32)),
}

_ASSIGNED = (
    ("a.py", '{n} = "{s}"\n'),
    ("b.py", "def connect():\n    return open_db(host='db', {i}='{s}')\n"),
    ("c.py", 'CONFIG = {{"{n}": "{s}", "port": 5432}}\n'),
    ("d.js", "const {i} = '{s}';\n"),
    ("e.ts", 'export const {i}: string = "{s}";\n'),
    ("f.go", 'package a\n\nvar {i} = "{s}"\n'),
    ("g.go", 'package a\n\nfunc f() {{\n\tcfg := Config{{{I}: "{s}"}}\n\t_ = cfg\n}}\n'),
    ("h.java", 'class A {{\n  private static final String {i} = "{s}";\n}}\n'),
    ("i.rs", 'const {i}: &str = "{s}";\n'),
    ("j.rb", "config.{i} = '{s}'\n"),
    ("k.php", "<?php\ndefine('{n}', '{s}');\n${i} = '{s}';\n"),
    ("l.cs", 'class A {{ string {i} = "{s}"; }}\n'),
    ("m.c", '#define {i} "{s}"\n'),
    ("n.cpp", 'const std::string {i} = "{s}";\n'),
    ("o.kt", 'val {i} = "{s}"\n'),
    ("p.swift", 'let {i}: String = "{s}"\n'),
    ("q.sh", "#!/bin/sh\nexport {i}={s}\n"),
    ("r.sh", '{i}="{s}" ./run\n'),
    ("s.yaml", "db:\n  {n}: {s}\n  port: 1\n"),
    ("t.yml", "env:\n  - name: {n}\n    value: {s}\n"),
    ("u.json", '{{\n  "{n}": "{s}"\n}}\n'),
    ("v.toml", '[db]\n{n} = "{s}"\n'),
    ("w.ini", "[db]\n{n} = {s}\n"),
    ("x.properties", "spring.datasource.{n}={s}\n"),
    ("y.xml", "<config>\n  <{n}>{x}</{n}>\n</config>\n"),
    ("z.xml", '<add key="{n}" value="{x}"/>\n'),
    ("a.tf", 'resource "db" "a" {{\n  {n} = "{s}"\n}}\n'),
    ("Dockerfile", "FROM scratch\nENV {i}={s}\n"),
    ("b.md", "# Set-up\n\nThe {n}: `{s}`\n\n    {n}={s}\n"),
    ("c.ipynb", None),
    ("d.lua", 'local {i} = "{s}"\n'),
    ("e.ex", 'config :app, {i}: "{s}"\n'),
    ("f.scala", 'val {i}: String = "{s}"\n'),
    ("g.ps1", '${i} = "{s}"\n'),
    ("h.py", "# {n}: {s}\nx = 1\n"),
)


def _notebook(name: str, secret: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": [f'{name} = "{secret}"\n', "connect()\n"],
    }
    return json.dumps(
        {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def _identifier(name: str) -> str:
    return name.replace("-", "_")


def _pascal(name: str) -> str:
    parts = name.replace("-", "_").split("_")
    return "".join(part[:1].upper() + part[1:] for part in parts)


def _written(template: str | None, name: str, secret: str) -> str:
    if template is None:
        return _notebook(_identifier(name), secret)
    escaped = secret.replace("&", "&amp;")
    return template.format(n=name, i=_identifier(name), I=_pascal(name), s=secret, x=escaped)


def _special(rng: random.Random) -> list[Plant]:
    """Secrets that stand in places of their own."""
    one, two, three = (_some(rng, ALNUM, 14) for _ in range(3))
    basic = base64.b64encode(f"deploy:{one}".encode()).decode()
    docker = base64.b64encode(f"robot:{two}".encode()).decode()
    kube, kube_key = _b64(rng, 300), _some(rng, ALNUM, 40)
    token, azure, sas = _some(rng, URLSAFE, 40), _b64(rng, 64), _some(rng, ALNUM, 43)
    pem, encoded = _pem(rng), _b64(rng, 24)
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    return [
        Plant("url-postgres", "u1.py", f'DSN = "postgres://app:{one}@db.internal:5432/app"\n', one),
        Plant("url-mongo", "u2.js", f'const u = "mongodb+srv://app:{two}@c0.mongodb.net/x";\n', two),
        Plant("url-https", "u3.txt", f"git clone https://bot:{three}@git.internal/a/b.git\n", three),
        Plant("url-query", "u4.py", f'URL = "https://api.internal/v1?x=1&api_key={token}&y=2"\n', token),
        Plant("bearer", "u5.http", f"GET /\nAuthorization: Bearer {token}\n", token),
        Plant("bearer", "u6.py", f'H = {{"Authorization": "Bearer {token}"}}\n', token),
        Plant("bearer", "u7.sh", f'curl -H "Authorization: Bearer {token}" https://x\n', token),
        Plant("basic", "u8.py", f'H = {{"Authorization": "Basic {basic}"}}\n', basic),
        Plant("header", "u9.sh", f'curl -H "X-Api-Key: {token}" https://x\n', token),
        Plant("curl-user", "u10.sh", f"curl -u deploy:{one} https://x\n", one),
        Plant("flag", "u11.sh", f"deploy --password {one} --token {token}\n", one),
        Plant("flag", "u12.sh", f"deploy --token {token}\n", token),
        Plant("kubeconfig", "k1.yaml", f"users:\n- name: a\n  user:\n    client-key-data: {kube}\n", kube),
        Plant("kubeconfig", "k2.yaml", f"users:\n- name: a\n  user:\n    token: {kube_key}\n", kube_key),
        Plant(
            "kubernetes-secret",
            "k3.yaml",
            f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  it: {encoded}\n",
            encoded,
        ),
        Plant("docker", "config.json", f'{{"auths": {{"r.io": {{"auth": "{docker}"}}}}}}\n', docker),
        Plant(
            "azure-connection",
            "z1.cs",
            f'var c = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={azure};E=x";\n',
            azure,
        ),
        Plant("azure-sas", "z2.py", f'U = "https://a.blob.core.windows.net/c?sv=2020&sig={sas}%3D"\n', sas),
        Plant("sql-server", "z3.cs", f'var c = "Server=db;User Id=sa;Password={one};Encrypt=true";\n', one),
        Plant("pem", "p1.py", f'KEY = """{begin}\n{pem}\n{end}"""\n', pem.split("\n")[3]),
        Plant("pem", "p2.yaml", f"key: |\n  {begin}\n  " + pem.replace("\n", "\n  ") + f"\n  {end}\n", pem.split("\n")[2]),
        Plant("pem", "p3.json", json.dumps({"key": f"{begin}\n{pem}\n{end}"}) + "\n", pem.split("\n")[1]),
        Plant("sql", "s1.sql", f"CREATE USER a IDENTIFIED BY '{one}';\nALTER ROLE b WITH PASSWORD '{two}';\n", one),
        Plant("sql", "s2.sql", f"ALTER ROLE b WITH PASSWORD '{two}';\n", two),
        Plant("dockerfile", "a.dockerfile", f"FROM scratch\nENV DB_PASSWORD {one}\n", one),
        Plant("argument", "g1.py", f'os.environ.setdefault("DB_PASSWORD", "{one}")\n', one),
        Plant("argument", "g2.java", f'class A {{ void f() {{ ds.setPassword("{two}"); }} }}\n', two),
        Plant("comparison", "g3.py", f'if password == "{three}":\n    pass\n', three),
        Plant("default", "g4.py", f'def f(user, password: str = "{one}"):\n    return user\n', one),
        Plant("plist", "x1.plist", f"<dict><key>ApiToken</key>\n<string>{token}</string></dict>\n", token),
    ]  # fmt: skip


def plants(count: int, seed: int = 7) -> list[Plant]:
    """At least `count` files with a secret each; paths are not unique."""
    rng = random.Random(seed)
    found: list[Plant] = []
    number = 0
    while len(found) < count:
        for kind, make in TOKENS.items():
            path, template = _ASSIGNED[number % len(_ASSIGNED)]
            number += 1
            secret = make(rng)
            tail = secret.rsplit("/", 1)[-1] if kind.endswith("webhook") else secret
            name = rng.choice(("value", "target", "credential", "token"))
            found.append(Plant(kind, path, _written(template, name, secret), tail))
        for kind, (names, make) in _NAMED.items():
            for _ in range(3):
                path, template = _ASSIGNED[rng.randrange(len(_ASSIGNED))]
                secret = make(rng)
                found.append(
                    Plant(kind, path, _written(template, rng.choice(names), secret), secret)
                )
        found += _special(rng)
    return found
