"""What a reader of pieces gets of a stream that may begin again."""

from __future__ import annotations

from collections.abc import Iterator

from ._events import Event


class PieceFilter:
    """Leaves out what would come twice: pieces, or the whole of what came in pieces.

    After a lost connection a server may send ``reset``: what it had not stored comes again, in pieces or as a
    whole. The reader gets only what is new of it. If the text is another one, the reader gets the ``reset``
    and then all of it.
    """

    def __init__(self, chunks: bool) -> None:
        self._chunks = chunks
        #: The type, the part and the text of what has come in pieces and not yet as a whole.
        self._open: tuple[str, object, str] | None = None
        #: What has come again of it.
        self._again: str | None = None
        self._reset: Event | None = None

    def read(self, event: Event) -> Iterator[Event]:
        """Returns what the reader gets of the next event."""
        if not self._chunks:
            if event.type != "reset" and not self._is_piece(event):
                yield event
        elif event.type == "reset":
            if self._open is not None:
                self._again, self._reset = "", event
        elif self._is_piece(event):
            yield from self._piece(event)
        elif event.type in ("think", "respond", "call") and event.agent_path is None:
            yield from self._whole(event)
        else:
            if self._again is not None and event.agent_path is None:
                yield from self._void()
            yield event

    def _is_piece(self, event: Event) -> bool:
        return event.type == "call_text" or (event.type in ("think", "respond") and event.part is not None)

    def _piece(self, event: Event) -> Iterator[Event]:
        content = event.content or ""
        if self._again is None or self._open is None:
            known = self._open
            is_next = known is not None and known[:2] == (event.type, event.part)
            self._open = (event.type, event.part, (known[2] if known and is_next else "") + content)
            yield event
            return
        kind, _, text = self._open
        again = self._again + content
        if kind != event.type or not (text.startswith(again) or again.startswith(text)):
            yield from self._void()
            self._open = (event.type, event.part, again)
            yield Event({**event, "content": again})
        elif len(again) <= len(text):
            self._again = again
        else:
            self._again, self._open = None, (event.type, event.part, again)
            yield Event({**event, "content": again[len(text) :]})

    def _whole(self, event: Event) -> Iterator[Event]:
        known, again = self._open, self._again
        self._open = self._again = None
        if event.type == "call" or known is None or known[0] != event.type:
            if again is not None and known is not None and known[0] != "call_text":
                yield self._reset or event
            yield event
        elif again is not None:
            rest = _rest(known[2], event["content"])
            if rest is None:
                yield self._reset or event
                yield event
            elif rest:
                yield Event({**event, "content": rest, "part": known[1]})

    def _void(self) -> Iterator[Event]:
        self._again = self._open = None
        if self._reset is not None:
            yield self._reset


def _rest(pieces: str, whole: str) -> str | None:
    """Returns what a whole text has after its pieces, or ``None`` if it does not begin with them. A whole text
    has no white space at its ends."""
    text = pieces.strip()
    if not whole.startswith(text):
        return None
    blank = pieces[len(pieces.rstrip()) :] if text else ""
    rest = whole[len(text) :]
    return rest[len(blank) :] if rest.startswith(blank) else rest.lstrip()
