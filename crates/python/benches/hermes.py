"""Measures how fast an answer with calls is read in pieces of four characters, in processor time.

    PYTHONPATH=target/bindings/python python3 crates/python/benches/hermes.py 8000000
    python3 crates/python/benches/hermes.py 20000 --vllm .../vllm/tool_parsers/hermes_tool_parser.py

The second command runs the parser of vLLM, from its file, with stand-ins for what that imports.
"""

import importlib.util
import json
import logging
import re
import sys
import time
import types

UNIT = (
    "I will look at the weather now.\n<tool_call>\n"
    '{"name": "weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>\n'
    "The tool knows the weather of each city, so I ask it first, and then I go on.\n"
)


def silcrow(chunks):
    from silcrow import NativeParser

    parser = NativeParser("hermes", chunks=True, call_text=True)
    events = sum(len(parser.push(chunk)) for chunk in chunks)
    return events + len(parser.finish())


def vllm(file):
    parser = _hermes(file).Hermes2ProToolParser(object())

    def read(chunks):
        events, current = 0, ""
        for chunk in chunks:
            previous, current = current, current + chunk
            delta = parser.extract_tool_calls_streaming(previous, current, chunk, (), (), (), None)
            events += delta is not None
        return events

    return read


def _hermes(file):
    class Plain:
        def __init__(self, **members):
            self.__dict__.update(members)

        def model_dump(self, **_):
            return dict(self.__dict__)

    class ToolParser:
        def __init__(self, tokenizer, tools=None):
            self.model_tokenizer, self.prev_tool_call_arr, self.streamed_args_for_tool = tokenizer, [], []

    def overlap(text, tag):
        return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)

    def is_json(text):
        try:
            json.loads(text)
        except ValueError:
            return False
        return True

    members = {
        "regex": re.__dict__,
        "vllm.logger": {"init_logger": logging.getLogger},
        "vllm.renderers.chat_utils": {"make_tool_call_id": lambda: "id"},
        "vllm.tokenizers": {"TokenizerLike": object},
        "vllm.tool_parsers.abstract_tool_parser": {"Tool": object, "ToolParser": ToolParser},
        "vllm.tool_parsers.utils": {"is_complete_json": is_json, "partial_tag_overlap": overlap},
        "vllm.utils.mistral": {"is_mistral_tokenizer": lambda tokenizer: False},
    }
    for name in re.findall(r"^from (vllm[\w.]*) import", open(file).read(), re.MULTILINE):
        members.setdefault(name, {})
    for name, found in members.items():
        module = types.ModuleType(name)
        module.__dict__.update(found)
        module.__dict__.setdefault("__getattr__", lambda _: Plain)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location("hermes", file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


if __name__ == "__main__":
    size = int(sys.argv[1])
    text = (UNIT * (size // len(UNIT) + 1))[:size]
    chunks = [text[at : at + 4] for at in range(0, size, 4)]
    read = vllm(sys.argv[3]) if "--vllm" in sys.argv else silcrow
    start = time.process_time()
    events = read(chunks)
    seconds = time.process_time() - start
    print(f"{size} characters, {events} events, {seconds:.2f} s, {size / 1e6 / seconds:.3f} MB/s")
