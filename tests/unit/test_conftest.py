"""The closed network is closed: outwards nothing, on this machine everything."""

from __future__ import annotations

import os
import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 443, 0, 0)])
def test_other_machines_cannot_be_reached(address: tuple[object, ...]) -> None:
    """A connection outwards fails before a packet leaves, whatever the address family."""
    family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
    with (
        socket.socket(family, socket.SOCK_STREAM) as client,
        pytest.raises(AssertionError, match="reach nothing but this machine"),
    ):
        client.connect(address)


def test_other_names_cannot_be_looked_up() -> None:
    """A host name is refused before any resolver is asked."""
    with pytest.raises(AssertionError, match=r"getaddrinfo to 'hub\.example'"):
        socket.create_connection(("hub.example", 443))


def test_datagrams_cannot_leave() -> None:
    """UDP, which needs no connection, is closed too."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
        pytest.raises(AssertionError, match=r"sendto to '192\.0\.2\.1'"),
    ):
        client.sendto(b"x", ("192.0.2.1", 53))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_can_be_reached(host: str) -> None:
    """Servers that tests start on loopback answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection((host, server.getsockname()[1]), timeout=5)
        accepted, _ = server.accept()
        with client, accepted:
            client.sendall(b"here")
            assert accepted.recv(4) == b"here"


def test_no_setting_is_inherited() -> None:
    """No variable with our prefix survives into a test."""
    assert [name for name in os.environ if name.startswith("ARBITER_")] == []
