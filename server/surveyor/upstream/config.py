"""The part of the configuration that decides which servers run, from the one file of all faces."""

from __future__ import annotations

from surveyor import paths
from surveyor.upstream.install import servers_folder
from surveyor.upstream.manager import Config
from surveyor.upstream.trust import Trust, trust_file


def load_config(trust: Trust | None = None) -> Config:
    """Read the configuration (imports pydantic: not on a path that must be fast)."""
    from surveyor.config import load

    data = paths.data_dir()
    settings = load().settings
    known = trust or Trust(trust_file(data))
    return Config(
        upstream={
            name: table.model_dump(exclude_none=True) for name, table in settings.upstream.items()
        },
        user_path=settings.environment.user_path,
        installed=servers_folder(data),
        trusted=known.is_trusted,
        idle_stop_s=settings.lsp.upstream_idle,
    )
