"""Which hosts the user has allowed, and at which of them a private address may answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.errors import SurveyorError
from surveyor.web.addresses import DEFAULT_PORTS, PageAddress

__all__ = ["AllowedHosts", "NotAllowedError"]


class NotAllowedError(SurveyorError):
    """The user has not allowed this host, or not the address that it has."""

    code = "not_allowed"
    exit_code = 2


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The user's lists. `hosts`: `host`, `host:port` or `*.host`, with public addresses only;
    `private_hosts`: `host:port`, also with an address of the local network or this machine."""

    enabled: bool
    hosts: Sequence[str]
    private_hosts: Sequence[str]

    def check(self, address: PageAddress) -> None:
        """Raises `NotAllowedError`, with what the user can do, unless a page may be fetched."""
        if not self.enabled:
            is_listed = AllowedHosts(True, self.hosts, self.private_hosts).allows(address)
            raise NotAllowedError(
                "the web is off",
                "You turn it on: `surveyor config set web.enabled true`"
                + ("." if is_listed else f", and {self._how(address)}"),
            )
        if not self.allows(address):
            raise NotAllowedError(
                f"{_named(address)} is not among the hosts that you have allowed",
                f"You allow it: {self._how(address)}",
            )

    def allows(self, address: PageAddress) -> bool:
        """Whether its host and port are in one of the lists, and the web is on."""
        return self.enabled and (
            self.may_be_private(address) or any(_fits(each, address) for each in self.hosts)
        )

    def may_be_private(self, address: PageAddress) -> bool:
        """Whether the user has allowed that very host and port, whatever its address is."""
        wanted = _with_port(address)
        return self.enabled and any(each.strip().lower() == wanted for each in self.private_hosts)

    def _how(self, address: PageAddress) -> str:
        if is_local_name(address.host):
            listed = json.dumps([*self.private_hosts, _with_port(address)])
            return f"`surveyor config set web.private_hosts '{listed}'`"
        listed = json.dumps([*self.hosts, _named(address)])
        return f"`surveyor config set web.hosts '{listed}'`"


def is_local_name(host: str) -> bool:
    """Whether a host is of this machine or its network by its name alone; only for what is advised:
    what a name leads to is known once it is looked up."""
    return (
        "." not in host
        or host.endswith((".localhost", ".local", ".internal", ".lan"))
        or (host.replace(".", "").isdigit() and host.startswith(("127.", "10.", "192.168.")))
    )


def _fits(entry: str, address: PageAddress) -> bool:
    """Whether an entry of `hosts` means an address. Without a port it means the usual ones."""
    host, colon, port = entry.strip().lower().rpartition(":")
    if not colon or not port.isdigit() or (":" in host and not host.endswith("]")):
        host, port = entry.strip().lower(), ""
    if port:
        if int(port) != address.port:
            return False
    elif address.port not in DEFAULT_PORTS.values():
        return False
    host = host.strip("[]").rstrip(".")
    if host.startswith("*."):
        return address.host.endswith(host[1:])
    return address.host == host


def _with_port(address: PageAddress) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def _named(address: PageAddress) -> str:
    """As it stands in the list: the port only where it is not the usual one."""
    return _with_port(address).removesuffix(f":{DEFAULT_PORTS[address.scheme]}")
