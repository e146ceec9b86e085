"""Waiting for the other half without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def wait(register: Callable[[Callable[[], None]], bool]) -> None:
    """Waits until the other half calls what is registered with it, unless there is something already."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(_set, future)
        except RuntimeError:
            # The loop is closed, and nobody waits.
            pass

    if register(wake):
        await future


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
