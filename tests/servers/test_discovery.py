"""Which program is started: order, trust, shims, the user's PATH."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surveyor.paths import USER_PYTHONPATH
from surveyor.servers.discovery import RECORD, Discovery
from surveyor.servers.errors import UpstreamMissingError
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.probes import Probes
from surveyor.servers.registry import ServerSpec, builtin
from surveyor.servers.upstream import LifecycleState
from tests.servers.support import make_fake, program, until

SPEC = ServerSpec("mine", ("my-ls", "--stdio"), ("fake",))


@pytest.fixture(autouse=True)
def short_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))


async def origins(discovery: Discovery, root: Path, *, trusted: bool) -> list[str]:
    found = await discovery.find([SPEC], root, trusted=trusted)
    return [item.origin for item in found]


async def test_the_projects_own_environment_is_used_only_when_trusted(tmp_path: Path) -> None:
    program(tmp_path / ".venv/bin", "my-ls")
    assert await origins(Discovery(), tmp_path, trusted=False) == []
    assert await origins(Discovery(), tmp_path, trusted=True) == ["project"]


async def test_the_users_path_is_searched_too(tmp_path: Path) -> None:
    program(tmp_path / "bin", "my-ls")
    discovery = Discovery(user_path=f"{tmp_path / 'bin'}")
    assert await origins(discovery, tmp_path / "p", trusted=False) == ["path"]
    assert str(tmp_path / "bin") in discovery.environment()["PATH"]


async def test_what_another_servers_package_brought_is_found_too(tmp_path: Path) -> None:
    """The package for JSON has the servers for CSS and HTML in it."""
    discovery = Discovery(installed=tmp_path / "servers")
    program(tmp_path / "servers/other/node_modules/.bin", "my-ls")
    assert await origins(discovery, tmp_path, trusted=False) == []  # still being installed
    (tmp_path / "servers/other" / RECORD).write_text("{}")
    assert await origins(discovery, tmp_path, trusted=False) == ["installed"]


@pytest.mark.parametrize("theirs", ["", "/home/me/lib"])
def test_servers_get_the_users_python_path_and_not_the_engines(
    monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/opt/surveyor/site-packages")
    assert Discovery().environment()["PYTHONPATH"] == "/opt/surveyor/site-packages"
    monkeypatch.setenv(USER_PYTHONPATH, theirs)
    found = Discovery().environment()
    assert found.get("PYTHONPATH", "") == theirs and USER_PYTHONPATH not in found


async def test_what_surveyor_installed_is_found_last(tmp_path: Path) -> None:
    program(tmp_path / "servers/mine/venv/bin", "my-ls")
    discovery = Discovery(installed=tmp_path / "servers")
    assert await origins(discovery, tmp_path, trusted=False) == ["installed"]
    program(tmp_path / "bin", "my-ls")
    discovery = Discovery(user_path=str(tmp_path / "bin"), installed=tmp_path / "servers")
    assert await origins(discovery, tmp_path, trusted=False) == ["path"]


@pytest.mark.parametrize(
    "body",
    [
        "echo \"error: Unknown binary 'my-ls' in official toolchain\" >&2; exit 1",
        "exit 127",
        "echo 'No version is set for command my-ls'",
    ],
)
async def test_a_shim_that_does_not_run_counts_as_missing(tmp_path: Path, body: str) -> None:
    program(tmp_path / "a", "my-ls", body)
    good = program(tmp_path / "b", "my-ls")
    path = os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b")])
    found = await Discovery(user_path=path).find([SPEC], None, trusted=False)
    assert [item.command[0] for item in found] == [str(good)]


async def test_a_relative_folder_on_path_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "my-ls")
    monkeypatch.chdir(tmp_path)
    assert await origins(Discovery(user_path="bin:."), tmp_path, trusted=True) == []


async def test_a_program_that_ends_at_once_gives_way_to_the_next(tmp_path: Path) -> None:
    """A broken first choice without a probe: found out at start, the second serves."""
    fake = make_fake(tmp_path / "root", {"answers": {"textDocument/hover": [{"result": 1}]}})
    program(tmp_path / "a", "first-ls", "exit 1")
    program(tmp_path / "a", "second-ls", f"exec {sys.executable} {' '.join(fake.spec.command[1:])}")
    manager = UpstreamManager(UpstreamConfig(user_path=str(tmp_path / "a")))
    first = ServerSpec("first", ("first-ls",), ("fake",), probe=())
    second = replace(fake.spec, name="second", command=("second-ls",))
    python = manager.registry.languages["python"]
    manager.registry = replace(
        manager.registry,
        languages={
            "fake": replace(
                python,
                name="fake",
                ids=("fake",),
                extensions=(".fake",),
                servers=("first", "second"),
            )
        },
        servers={"first": first, "second": second},
    )
    try:
        broken = await manager.get("fake", fake.folder)
        await until(lambda: broken.state is LifecycleState.DEAD)
        working = await manager.get("fake", fake.folder)
        assert working.name == "second"
        assert (await working.request("textDocument/hover", {}, timeout=60)).value() == 1
    finally:
        await manager.close()


async def test_no_server_at_all_is_an_error_that_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    manager = UpstreamManager(
        UpstreamConfig(
            upstream={"cobol": {"command": ["/nowhere/cobol-ls"], "extensions": [".cob"]}}
        ),
        on_missing=lambda language, message: told.append(language),
    )
    for _ in range(2):
        with pytest.raises(UpstreamMissingError) as caught:
            await manager.get("cobol", tmp_path)
        assert "servers install cobol" in caught.value.hint
    assert told == ["cobol"]
    monkeypatch.setattr("surveyor.servers.manager.MISSING_RETRY_S", 0.0)
    with pytest.raises(UpstreamMissingError):
        await manager.get("cobol", tmp_path)
    assert told == ["cobol"]  # looked for again, and the same as before
    await manager.close()


async def test_a_program_that_runs_is_asked_once_by_all_processes(tmp_path: Path) -> None:
    counting = f"#!/bin/sh\necho ran >> {tmp_path}/asked\n"
    path = program(tmp_path / "bin", "my-ls")
    path.write_text(counting)

    async def found() -> list[str]:
        probes = Probes(tmp_path / "probed.json")  # of another process each time
        discovery = Discovery(user_path=str(tmp_path / "bin"), probes=probes)
        return await origins(discovery, tmp_path, trusted=False)

    asked = tmp_path / "asked"
    assert await found() == await found() == ["path"]
    assert asked.read_text() == "ran\n"
    path.write_text(counting + "exit 1\n")  # another build, and a broken one
    assert await found() == await found() == []
    assert asked.read_text() == "ran\n" * 3  # what failed may have been mended meanwhile
    path.write_text(counting)
    assert await found() == ["path"]
    (tmp_path / "probed.json").write_text("{")
    assert await found() == ["path"]


async def test_a_program_is_asked_whether_it_runs_outside_of_the_folder_that_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """rustup's and mise's shims run what the folder that they are started in names."""
    program(tmp_path / "bin", "my-ls", f"pwd > {tmp_path}/asked-in")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    discovery = Discovery(user_path=str(tmp_path / "bin"))
    assert await origins(discovery, tmp_path / "project", trusted=False) == ["path"]
    assert (tmp_path / "asked-in").read_text().strip() == str(tmp_path / "bin")


def test_where_nobody_trusts_the_folder_nothing_is_fetched_that_it_names(tmp_path: Path) -> None:
    program(tmp_path / "bin", "gopls")
    program(tmp_path / "bin", "yaml-language-server")
    discovery = Discovery(user_path=str(tmp_path / "bin"))
    for name, fetches in (("gopls", "GOPROXY"), ("yaml-language-server", "http")):
        spec = builtin().servers[name]
        (found,) = discovery.places(spec, tmp_path / "p", trusted=False, confined=True)
        assert fetches in {**found.spec.env, **found.spec.all_settings}
        assert found.spec.unconfined == spec
        (elsewhere,) = discovery.places(spec, tmp_path / "p", trusted=False)
        assert elsewhere.spec == spec
