"""Which variables are kept from tests that somebody else than the user starts."""

from __future__ import annotations

import pytest

from surveyor.secrets.environment import without_credentials


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_TOKEN", "x"),
        ("MY_PASSWORD", "correct horse"),
        ("db_pass", "x"),
        ("AWS_ACCESS_KEY_ID", "x"),
        ("OPENAI_APIKEY", "x"),
        ("SSH_AUTH_SOCK", "/tmp/agent.1"),
        ("NPM_CONFIG__AUTH", "x"),
        ("DATABASE_URL", "postgres://user:hunter2secret@db/x"),
        ("UPSTREAM", "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"),
    ],
)
def test_credentials_are_withheld(name: str, value: str) -> None:
    assert without_credentials({name: value, "PATH": "/bin"}) == {"PATH": "/bin"}


def test_what_tests_need_is_kept() -> None:
    kept = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/root",
        "JAVA_HOME": "/usr/lib/jvm/java-21",
        "TOKENIZERS_PARALLELISM": "false",
        "KEYBOARD": "us",
        "PASSED": "1",
        "DATABASE_URL": "postgres://localhost/test",
        "BROKEN": "\udc80",
    }
    assert without_credentials(kept) == kept
