"""The part of the configuration that decides which servers run, from the one file of all faces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from surveyor import paths
from surveyor.servers import probes
from surveyor.servers.host.client import Sharing
from surveyor.servers.install import servers_folder
from surveyor.servers.manager import UpstreamConfig
from surveyor.servers.trust import Trust, trust_file
from surveyor.user_path import stored_path

if TYPE_CHECKING:
    from surveyor.config import Settings


class ServerSettings(msgspec.Struct, frozen=True):
    """What the settings say of servers."""

    upstream: dict[str, dict[str, Any]] = {}
    user_path: str = ""
    idle_stop_s: float = 0.0
    shared: bool = True
    grace_s: float = 0.0


def load_config(*, client: str = "") -> UpstreamConfig:
    """Read the configuration. `client` is who uses the servers, for people."""
    from surveyor.config import load  # with pydantic: `surveyor lsp` starts without

    return config_from(server_settings(load().settings), client=client)


def server_settings(settings: Settings) -> ServerSettings:
    """The part of loaded settings that is about servers."""
    return ServerSettings(
        upstream={
            name: table.model_dump(exclude_none=True) for name, table in settings.upstream.items()
        },
        user_path=settings.environment.user_path,
        idle_stop_s=settings.lsp.upstream_idle,
        shared=settings.servers.shared,
        grace_s=settings.servers.grace,
    )


def config_from(
    settings: ServerSettings, trust: Trust | None = None, *, client: str = ""
) -> UpstreamConfig:
    """What a manager of upstreams needs."""
    data = paths.data_dir()
    known = trust or Trust(trust_file(data))
    return UpstreamConfig(
        upstream=settings.upstream,
        user_path=settings.user_path,
        user_path_now=lambda: stored_path(paths.config_file()),
        installed=servers_folder(data),
        probed=data / probes.FILE,
        trusted=known.is_trusted,
        confined=lambda root: not known.is_trusted(root),
        idle_stop_s=settings.idle_stop_s,
        sharing=Sharing(data, client, settings.grace_s) if settings.shared else None,
    )
