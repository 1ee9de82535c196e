"""What the settings of the web allow, in words."""

from __future__ import annotations

from surveyor.config.addresses import without_user
from surveyor.config.settings import WebSection

__all__ = ["web_said"]


def web_said(web: WebSection) -> str | None:
    """Which hosts may be asked for pages, and where questions go; None where the web is off."""
    if not web.enabled:
        return None
    hosts = [*web.hosts, *(f"{each} (of a private address)" for each in web.private_hosts)]
    asks = f"; `ask` sends questions to {without_user(web.search)}" if web.search else ""
    return f"pages of {', '.join(hosts) or 'no host'}{asks}"
