"""The parsers, and the way back."""

import doctest
import random
import time
import unittest

import silcrow
import silcrow._agent
import silcrow._parsing
import silcrow._tools
from silcrow import NativeParser, Parser, families, grammar, write

TEXTS = [
    ("sigil", '§think: é 😀\n§call: {"name": "ls", "args": {"a": "§end"}}\n§execute\n§respond: ok §\n§end tail'),
    ("sigil", "§§think: escaped\n```\n§call: {}\n```\n§call: {broken\n§respond: x"),
    ("phase", '<think>a</think>text <execute>[{"name": "f", "args": {}}, {"name": 1}]</execute>'),
    ("action", '<thought>a</thought><action id="x">{"name": "f", "parameters": {}}</action><response>b</response>'),
    ("hermes", '<think>a</think>b<tool_call>{"name": "f", "arguments": {"x": [1, "é"]}}</tool_call> <tool_call>{"na'),
    ("mistral", '[TOOL_CALLS][{"name": "a", "arguments": {}}]'),
]


def parser(form, **options):
    return (Parser if form in ("sigil", "phase", "action") else NativeParser)(form, **options)


def read(form, text, **options):
    """Reads chunks, without the time of the events."""
    found = []
    for event in parser(form, **options).parse(text):
        assert event.pop("timestamp") > 1.7e9
        found.append(dict(event))
    return found


def joined(events):
    """Joins neighbours that are pieces of one text."""
    found = []
    for event in events:
        if found and event.get("part") and found[-1].get("part") == event["part"]:
            found[-1]["content"] += event["content"]
        else:
            found.append(dict(event))
    return found


class Parsing(unittest.TestCase):
    def test_events_have_the_schema_of_the_protocol(self):
        before = time.time()
        events = list(Parser("sigil").parse(["§thi", "nk: reasoning text\n§respond: final", " response"]))
        self.assertEqual([event.type for event in events], ["think", "respond"])
        event = events[0]
        self.assertEqual(list(event), ["type", "content", "timestamp"])
        self.assertTrue(before - 1 <= event["timestamp"] <= time.time() + 1)
        self.assertIsInstance(event, dict)
        self.assertEqual(event.content, "reasoning text")
        self.assertIsNone(event.status)

    def test_a_call_is_the_content_of_its_event(self):
        text = '§call: {"name": "file_read", "args": {"file": "main.py"}}\n§execute'
        call, execute = Parser("sigil").parse(text)
        self.assertEqual(call["content"], '{"name": "file_read", "args": {"file": "main.py"}}')
        self.assertEqual(execute["type"], "execute")

    def test_texts_come_in_pieces_at_once(self):
        parser = Parser("sigil", chunks=True)
        pieces = [event for chunk in ("§think: I need", " to analyze", " this") for event in parser.push(chunk)]
        self.assertEqual([piece["content"] for piece in pieces], ["I need", " to analyze", " this"])
        self.assertEqual({piece["part"] for piece in pieces}, {1})

    def test_the_events_are_the_same_wherever_a_text_is_cut(self):
        choices = random.Random(7)
        for form, text in TEXTS:
            whole, data = read(form, text), text.encode()
            pieces = joined(read(form, text, chunks=True))
            for at in range(len(data) + 1):
                self.assertEqual(read(form, [data[:at], data[at:]]), whole, (form, at))
                self.assertEqual(joined(read(form, [data[:at], data[at:]], chunks=True)), pieces, (form, at))
            for _ in range(20):
                places = sorted(choices.randrange(len(text) + 1) for _ in range(8))
                cut = [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]
                self.assertEqual(read(form, cut), whole, cut)

    def test_bytes_of_every_kind_are_chunks(self):
        chunks = ["§res".encode(), bytearray("pond: a".encode()), memoryview(b"b"), "c"]
        self.assertEqual(read("sigil", chunks), [{"type": "respond", "content": "abc"}])

    def test_a_native_form_is_found_by_its_model_and_typed_by_schemas(self):
        parameters = {"type": "object", "properties": {"lines": {"type": "integer"}}}
        tools = [{"type": "function", "function": {"name": "head", "parameters": parameters}}]
        text = "<tool_call>\n<function=head>\n<parameter=lines>\n3\n</parameter>\n</function>"
        call = next(NativeParser(model="Qwen/Qwen3-Coder-30B", tools=tools).parse(text))
        self.assertEqual(call["content"], '{"name":"head","args":{"lines":3}}')
        self.assertGreater(len(families()), 60)

    def test_functions_give_types_to_arguments(self):
        def wait(seconds: int) -> str: ...

        text = "<tool_call>\n<function=wait>\n<parameter=seconds>\n5\n</parameter>\n</function>\n</tool_call>"
        call = next(NativeParser(model="Qwen/Qwen3-Coder-30B", tools=[wait]).parse(text))
        self.assertEqual(call["content"], '{"name":"wait","args":{"seconds":5}}')

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(ValueError, "`hermse` is neither a dialect"):
            NativeParser("hermse")
        with self.assertRaisesRegex(ValueError, "either the family or the model"):
            NativeParser()
        parser = Parser()
        parser.finish()
        with self.assertRaisesRegex(ValueError, "is finished"):
            parser.push("x")
        with self.assertRaises(TypeError):
            Parser().push(3)
        with self.assertRaisesRegex(ValueError, "event 2"):
            write([{"type": "end"}, {"kind": 1}])

    def test_what_is_written_is_parsed_again(self):
        events = [
            {"type": "think", "content": "§end is a word"},
            {"type": "call", "id": "a1", "content": '{"name": "ls", "args": {}}'},
            {"type": "execute"},
        ]
        for dialect in ("sigil", "phase", "action"):
            again = read(dialect, write(events, dialect))
            self.assertEqual(again[0]["content"], "§end is a word")
            self.assertIn("call", [event["type"] for event in again])

    def test_a_grammar_names_the_tools(self):
        self.assertIn('"\\"ls\\""', grammar("sigil", tools=["ls"]))
        self.assertIn("start:", grammar("sigil", format="lark"))

    def test_the_examples_of_the_documentation_run(self):
        for module in (silcrow, silcrow._parsing, silcrow._agent, silcrow._tools):
            self.assertEqual(doctest.testmod(module).failed, 0, module)


if __name__ == "__main__":
    unittest.main()
