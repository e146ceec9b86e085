"""Events, in the schema of section 8 of the protocol."""

from __future__ import annotations

from typing import Any


class Event(dict[str, Any]):
    """What has happened: a thought, a call, its result, an answer.

    An event is a dictionary, such as ``{"type": "respond", "content": "Four."}``, whose members are also
    attributes: ``event.type``, ``event.content``. A member that it does not have is ``None`` as an
    attribute.

    ============  =======================================================================
    type          members
    ============  =======================================================================
    user          ``content``
    think         ``content``; with chunks a piece, with its ``part``
    respond       ``content``; ``final`` is false if it does not end the turn
    call          ``id``; ``content``, a JSON object with ``name`` and ``args``
    call_text     with chunks, a piece of a call that is being written
    execute       the calls so far run
    result        ``id``, ``status``, ``content``, ``payload``
    approval      ``id``, ``state``: somebody was asked about a call, or has answered
    metric        ``step`` and ``total``: what the run has used
    error         ``code``, ``content``, ``scope``, ``retry``
    interrupt     the run is being stopped
    cancelled     the stored record of that
    end           the model is done
    ============  =======================================================================

    Most have a ``timestamp`` in seconds since 1970, and events of a run have ``turn`` and ``seq``, their
    place in the log.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)
