"""The part of the configuration that decides which servers run, from the one file of all faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor import paths
from surveyor.servers.host.client import Sharing
from surveyor.servers.install import servers_folder
from surveyor.servers.manager import UpstreamConfig
from surveyor.servers.trust import Trust, trust_file
from surveyor.user_path import stored_path

if TYPE_CHECKING:
    from surveyor.config import Settings


def load_config(trust: Trust | None = None, *, client: str = "") -> UpstreamConfig:
    """Read the configuration. `client` is who uses the servers, for people."""
    from surveyor.config import load  # with pydantic: `surveyor lsp` starts without

    return config_from(load().settings, trust, client=client)


def config_from(
    settings: Settings, trust: Trust | None = None, *, client: str = ""
) -> UpstreamConfig:
    """The part of loaded settings that is about upstreams."""
    data = paths.data_dir()
    known = trust or Trust(trust_file(data))
    return UpstreamConfig(
        upstream={
            name: table.model_dump(exclude_none=True) for name, table in settings.upstream.items()
        },
        user_path=settings.environment.user_path,
        user_path_now=lambda: stored_path(paths.config_file()),
        installed=servers_folder(data),
        trusted=known.is_trusted,
        idle_stop_s=settings.lsp.upstream_idle,
        sharing=Sharing(data, client, settings.servers.grace) if settings.servers.shared else None,
    )
