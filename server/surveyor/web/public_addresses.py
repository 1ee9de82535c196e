"""Which addresses are of the public internet, and those that a host is asked at.

A name may lead anywhere: to this machine, the local network, or a cloud's metadata service. So
the address that was looked up is the one that is judged and the one that is connected to; nothing
looks the name up a second time. The lists are those of IANA's registries of special purpose, and
written out: what Python calls global has changed between its versions.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from surveyor.errors import SurveyorError
from surveyor.web.addresses import PageAddress
from surveyor.web.allowed_hosts import NotAllowedError

__all__ = ["LookUp", "PublicAddressError", "addresses_to_ask", "is_public", "look_up"]

LookUp = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, as text. Raises `OSError`."""

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_SPECIAL_4 = [
    ipaddress.IPv4Network(each)
    for each in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
]  # fmt: skip
_UNICAST_6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL_6 = [
    ipaddress.IPv6Network(each)
    for each in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
]
"""Within it: Teredo and the like, documentation, 6to4 (which may carry any IPv4 address)."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LINK_LOCAL = (ipaddress.IPv4Network("169.254.0.0/16"), ipaddress.IPv6Network("fe80::/10"))
_NEVER = (ipaddress.IPv4Network("224.0.0.0/4"), ipaddress.IPv6Network("ff00::/8"),
          ipaddress.IPv4Network("255.255.255.255/32"))  # fmt: skip


class PublicAddressError(SurveyorError):
    """A host has no address, or cannot be looked up."""

    code = "no_address"


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet, also as what it carries within."""
    address = _parsed(text)
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in each for each in _SPECIAL_4)
    if address in _NAT64:
        return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
    return address in _UNICAST_6 and not any(address in each for each in _SPECIAL_6)


def _parsed(text: str) -> IPAddress:
    """An address; one of IPv4 that is written as one of IPv6 is what it stands for."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


async def look_up(host: str, port: int) -> Sequence[str]:
    """The system's answer, in its order."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def addresses_to_ask(
    address: PageAddress, look: LookUp, *, may_be_private: bool
) -> Sequence[str]:
    """The addresses that a host is asked at, one after the other until one answers.

    Raises `NotAllowedError` where any of its addresses is not public, unless the user has allowed
    that, and `PublicAddressError` where it has none.
    """
    try:
        found = await look(address.host, address.port)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise PublicAddressError(f"{address.host} cannot be looked up: {why}") from None
    if not found:
        raise PublicAddressError(f"{address.host} has no address")
    for each in found:
        # A server of the public internet has no private address beside its own: one that has both
        # would be asked at whichever comes first.
        if not (_is_usable(each, address.host) if may_be_private else is_public(each)):
            raise NotAllowedError(
                f"{address.host} leads to {each}, which is no address of the public internet",
                "Where you mean a server of your own, allow its host and port in"
                " `web.private_hosts`.",
            )
    return found


def _is_usable(text: str, host: str) -> bool:
    """Whether a private address may be asked. A cloud's metadata service is where link-local
    addresses are: such a one must be what the user wrote, and not what a name leads to."""
    address = _parsed(text)
    if any(address in each for each in _NEVER if each.version == address.version):
        return False
    is_link_local = any(address in each for each in _LINK_LOCAL if each.version == address.version)
    return not is_link_local or host == str(address)
