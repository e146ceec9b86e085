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
    respond       ``content``; ``final`` is false if it does not end the turn, and ``malformed`` true if
                  it is a call that the model did not finish
    call          ``id``; ``content``, a JSON object with ``name`` and ``args``
    call_text     of :class:`Client`, with chunks: a piece of a call that is being written
    execute       the calls so far run
    started       ``id``: a call runs
    result        ``id``; ``content``; ``payload`` with ``status``: ``success``, ``failure`` and others
    changes       the files that a tool has changed
    approval      ``id``, ``state``: somebody was asked about a call, or has answered
    parked        the run waits for answers
    metric        ``step`` and ``total``: what the run has used
    error         ``code``, ``content``, ``scope``, ``retry``
    failed        the run has failed: ``code``, ``content``
    reset         of :class:`Client`, with chunks: what came in pieces since the last whole event is void,
                  and another text follows
    interrupt     the run is being stopped
    cancelled     the stored record of that
    end           the model is done
    ============  =======================================================================

    A piece has a ``part``, a number that begins again in each ``turn``. Most have a ``timestamp`` in seconds since 1970, and events of a run have ``turn`` and ``seq``, their
    place in the log.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)
