"""Messages between the grader and the sandbox: a JSON header and the raw bytes of tensors. Nothing is ever unpickled.

A frame is 4 bytes (length of the header), 8 bytes (length of the body), the header, the body. The reader checks every
length, dtype, shape and nesting before use, and raises :class:`BadMessage` for anything invalid.
"""

import contextlib
import json
import select
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

from autograder.sandbox.inside.encoding import MAX_BODY, BadMessage, Packing

MAX_HEADER = 4 * 2**20
_HEAD = struct.Struct(">IQ")
_AT_ONCE = 2**16  # bytes of a message that is sent in one piece
_POLL = 0.02  # seconds between two calls of ``watch``


class Silence(Exception):
    """No more data: the other side has ended, or the time is up."""


def send(
    connection: socket.socket,
    header: dict[str, Any],
    packing: Packing | None = None,
    watch: Callable[[], None] | None = None,
) -> None:
    """Send one message. ``watch`` is called while the other side does not read; it raises an exception to give up."""
    text = json.dumps(header, ensure_ascii=True).encode()
    packing = packing or Packing()
    parts = [_HEAD.pack(len(text), packing.size), text, *packing.parts]
    small = len(text) + packing.size < _AT_ONCE  # each piece by itself would wake the other side
    for part in [b"".join(parts)] if small else parts:
        if watch is None:
            connection.sendall(part)
        else:
            _write(connection, memoryview(part), watch)


def _write(connection: socket.socket, data: memoryview, watch: Callable[[], None]) -> None:
    while len(data):
        while not select.select([], [connection], [], _POLL)[1]:
            watch()
        with contextlib.suppress(BlockingIOError):
            data = data[connection.send(data, socket.MSG_DONTWAIT) :]


def receive(connection: socket.socket, watch: Callable[[], None] | None = None) -> tuple[dict[str, Any], bytearray]:
    """Wait for one message and return its header and its body. ``watch`` is called between waits; it raises to give up.

    Raises :class:`Silence` at the end of the stream and :class:`BadMessage` for anything that is not a message.
    """
    sizes = _read(connection, _HEAD.size, watch)
    header_size, body_size = _HEAD.unpack(sizes)
    if header_size > MAX_HEADER or body_size > MAX_BODY:
        raise BadMessage("a message that is too long")
    text = _read(connection, header_size, watch)
    body = _read(connection, body_size, watch)
    try:
        header = json.loads(bytes(text))
    except (ValueError, RecursionError):
        raise BadMessage("a message that is not JSON") from None
    if not isinstance(header, dict):
        raise BadMessage("a message that is not a JSON object")
    return header, body


def _read(connection: socket.socket, size: int, watch: Callable[[], None] | None) -> bytearray:
    """Read exactly ``size`` bytes. The buffer grows with the data received, not with the announced size."""
    data = bytearray(min(size, 2**16))
    filled = 0
    while filled < size:
        if filled == len(data):
            data.extend(bytes(min(size - filled, max(len(data), 2**16))))
        if watch is not None:
            while not select.select([connection], [], [], _POLL)[0]:
                watch()
        try:
            got = connection.recv_into(memoryview(data)[filled:], flags=0 if watch is None else socket.MSG_DONTWAIT)
        except BlockingIOError:  # urgent data makes a socket look readable when it is not
            time.sleep(_POLL)
            if watch is not None:  # without one the socket waits, and this cannot happen
                watch()
            continue
        except OSError:
            got = 0
        if not got:
            raise Silence("the process has ended")
        filled += got
        if watch is not None and filled < size:
            watch()
    return data
