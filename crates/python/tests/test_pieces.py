"""A stream of pieces that begins again: the reader gets each word once."""

import unittest

from silcrow._events import Event
from silcrow._pieces import PieceFilter

TEXTS = [("think", "I look at it. "), ("respond", " It has  two lines,\nand a third one.")]


def stream():
    """Returns the events of a turn, with the number of those that are stored before each."""
    events, stored = [], 0
    for part, (kind, text) in enumerate(TEXTS):
        for at in range(0, len(text), 3):
            events.append((stored, Event(type=kind, part=part, content=text[at : at + 3])))
        stored += 1
        events.append((stored, Event(type=kind, content=text.strip())))
    return [*events, (stored + 1, Event(type="end"))]


def read(events, chunks=True):
    pieces = PieceFilter(chunks)
    return [given for event in events for given in pieces.read(event)]


def texts(events):
    return ["".join(e.content for e in events if e.type == kind).strip() for kind, _ in TEXTS]


class Pieces(unittest.TestCase):
    expected = [text.strip() for _, text in TEXTS]

    def test_without_a_cut_pieces_come_once(self):
        events = [event for _, event in stream()]
        self.assertEqual(texts(read(events)), self.expected)
        self.assertEqual(texts(read(events, chunks=False)), self.expected)

    def test_wherever_it_is_cut_each_word_comes_once(self):
        for cut in range(len(stream())):
            stored = stream()[cut][0]
            before = [event for _, event in stream()[: cut + 1]]
            # What was not stored comes in pieces again, or the run has ended and it comes as a whole.
            again = [event for number, event in stream() if number > stored or number == stored and event.part is not None]
            whole = [event for number, event in stream() if number > stored and event.part is None]
            for rest in (again, whole):
                for cuts in (1, 2):
                    seen = read([*before, *([Event(type="reset")] * cuts), *rest])
                    self.assertEqual(texts(seen), self.expected, (cut, rest))
                    self.assertEqual([e.type for e in seen if e.type in ("reset", "end")], ["end"])

    def test_another_text_comes_after_the_reset(self):
        before = [Event(type="respond", part=0, content="It is four")]
        for again in (Event(type="respond", content="Three."), Event(type="respond", part=0, content="Three.")):
            seen = read([*before, Event(type="reset"), again])
            self.assertEqual([e.type for e in seen], ["respond", "reset", "respond"])
            self.assertEqual(seen[-1].content, "Three.")
        seen = read([*before, Event(type="reset"), Event(type="cancelled")])
        self.assertEqual([e.type for e in seen], ["respond", "reset", "cancelled"])


if __name__ == "__main__":
    unittest.main()
