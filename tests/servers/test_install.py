"""Installing: what can be, what cannot and why; multilspy fetches once and launches offline."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from surveyor.errors import NotFoundError, UsageError
from surveyor.servers import multilspy_provider
from surveyor.servers.discovery import RECORD
from surveyor.servers.install import (
    InstallError,
    InstallRecord,
    choose,
    install,
    installed,
    remove,
    write_record,
)
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.registry import InstallMethod, ServerSpec, builtin
from tests.servers.real import cache_folder


def quiet(line: str) -> None:
    """Installers say what they run; not here."""


def test_a_language_means_its_first_server_that_can_be_installed() -> None:
    assert choose(builtin(), "python").name == "ty"
    assert choose(builtin(), "basedpyright").name == "basedpyright"
    assert choose(builtin(), "typescript").install.npm[1].startswith("typescript@5")


@pytest.mark.parametrize(
    ("what", "hint"), [("go", "go install"), ("rust", "rustup"), ("klingon", "python")]
)
def test_what_cannot_be_installed_says_what_to_do(what: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose(builtin(), what)
    assert hint in caught.value.hint


def test_a_failed_install_leaves_nothing_and_shows_the_tools_words(tmp_path: Path) -> None:
    spec = ServerSpec(
        "broken", ("broken",), ("fake",), install=InstallMethod(pypi=("./no-such-folder-anywhere",))
    )
    with pytest.raises(InstallError) as caught:
        install(spec, tmp_path, quiet)
    assert "no-such-folder-anywhere" in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_what_is_installed_is_listed_and_removed_by_server_or_language(tmp_path: Path) -> None:
    for name, language in (("ty", "python"), ("clangd", "cpp")):
        (tmp_path / name).mkdir()
        write_record(tmp_path / name, InstallRecord(name, "packages", [name], [language]))
    assert [record.server for record in installed(tmp_path)] == ["clangd", "ty"]
    assert remove("python", builtin(), tmp_path) == ["ty"]
    assert remove("clangd", builtin(), tmp_path) == ["clangd"]
    with pytest.raises(NotFoundError):
        remove("clangd", builtin(), tmp_path)


async def test_nothing_fetched_means_no_multilspy_and_no_error(tmp_path: Path) -> None:
    python = builtin().languages["python"]
    assert await multilspy_provider.launch(tmp_path, python, tmp_path) is None


def test_a_language_that_multilspy_does_not_know_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        multilspy_provider.install_language(builtin(), "lua", tmp_path, quiet)
    assert "java" in caught.value.hint


def fetched(language: str) -> Path:
    """The servers folder with a language fetched by multilspy, once for all test runs."""
    base = cache_folder()
    base.mkdir(parents=True, exist_ok=True)
    with (base / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (multilspy_provider.ProviderPaths(base).language(language) / RECORD).exists():
            multilspy_provider.install_language(builtin(), language, base, quiet)
    return base


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("language", "other", "name", "text"),
    [
        ("python", "pyrefly", "a.py", "value = 1\nprint(value)\n"),
        ("typescript", "vtsls", "a.ts", "export const value = 1;\nconsole.log(value);\n"),
    ],
)
def test_a_server_that_multilspy_fetched_answers(
    tmp_path: Path, language: str, other: str, name: str, text: str
) -> None:
    """With no other server of the language there, as on a machine that has only multilspy's."""
    import asyncio

    base = fetched(language)
    (tmp_path / name).write_text(text)

    async def ask() -> tuple[str, int]:
        manager = UpstreamManager(
            UpstreamConfig(upstream={language: {"server": other}}, installed=base)
        )
        try:
            upstream, answer = await manager.request(
                tmp_path / name,
                tmp_path,
                "textDocument/references",
                {
                    "position": {"line": 0, "character": text.index("value")},
                    "context": {"includeDeclaration": True},
                },
                timeout=60,
                wait_ready=60,
            )
            return upstream.name, len(answer.value())
        finally:
            await manager.close()

    server, references = asyncio.run(ask())
    assert server.startswith("multilspy-") and references == 2
