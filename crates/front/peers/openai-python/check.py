"""OpenAI's client for Python reads our streams, from a real socket, and validates them.

Its types are made of the published OpenAPI schema. The client itself does not validate what it
reads, so this check does.
"""

import json
import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

SCENARIOS = "text parallel approval continuation agent failure malformed stopped error".split()
EVENT = TypeAdapter(ResponseStreamEvent)
REQUEST = {"model": "silcrow", "input": "Hello."}
CHAT = {"model": "silcrow", "messages": [{"role": "user", "content": "Hello."}]}


def streams(*args):
    """Returns what the example `streams` prints."""
    program = os.environ["SILCROW_FRONT_STREAMS"]
    return subprocess.run([program, *args], check=True, capture_output=True, encoding="utf8").stdout


class Replay(BaseHTTPRequestHandler):
    """Answers each request by the body of the server."""

    def answer(self):
        length = int(self.headers.get("content-length", 0))
        self.server.sent = self.rfile.read(length).decode()
        body = self.server.body
        self.send_response(self.server.status)
        kind = "application/json" if body.startswith("{") else "text/event-stream"
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Replay)
server.daemon_threads = True
server.status = 200
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"
client = openai.OpenAI(base_url=address, api_key="key", max_retries=0)


def events(stream):
    """Returns the data of the messages of a stream, without `[DONE]`."""
    data = [line.removeprefix("data: ") for line in stream.split("\n") if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [json.loads(line) for line in data[:-1]]


def read(stream):
    """Returns the last response that the client makes of a stream, as JSON."""
    server.body = stream
    with client.responses.stream(**REQUEST) as read_events:
        last = None
        for event in read_events:
            last = getattr(event, "response", last)
        if last.status == "completed":
            last = read_events.get_final_response()
    # The client adds what it parsed.
    return without_parsed(last.to_dict())


def without_parsed(value):
    if isinstance(value, list):
        return [without_parsed(item) for item in value]
    if not isinstance(value, dict):
        return value
    added = ("parsed", "parsed_arguments")
    return {key: without_parsed(item) for key, item in value.items() if key not in added}


def check_response(name, stream):
    sent = events(stream)
    for event in sent:
        EVENT.validate_python(event)
    response = sent[-1]["response"]
    Response.model_validate(response)
    assert read(stream) == response, name
    # The items add up without the last event, too.
    without_output = {**sent[-1], "response": {**response, "output": None}}
    again = [*sent[:-1], without_output]
    again = "".join(f"data: {json.dumps(event)}\n\n" for event in again)
    assert read(again)["output"] == response["output"], name


def read_chat(stream):
    """Returns the reasoning and the content of a stream of completions."""
    server.body = stream
    reasoning, content = "", ""
    for chunk in client.chat.completions.create(**CHAT, stream=True):
        ChatCompletionChunk.model_validate(chunk.to_dict())
        for choice in chunk.choices:
            reasoning += getattr(choice.delta, "reasoning_content", None) or ""
            content += choice.delta.content or ""
    with client.chat.completions.stream(**CHAT) as chunks:
        final = chunks.get_final_completion().choices[0]
    assert (final.message.content, final.finish_reason) == (content, "stop")
    assert not final.message.tool_calls
    return reasoning, content


def a_stream_adds_up_to_the_response():
    for name in SCENARIOS:
        stream = streams("responses", name)
        check_response(name, stream)
        assert read(stream) == json.loads(streams("responses:whole", name))
        check_response(name, streams("responses:pairs", name))


def a_whole_response_has_its_text():
    server.body = streams("responses:whole", "text")
    response = client.responses.create(**REQUEST)
    assert response.output_text == "2 + 2 is 4.\nAnything else?"
    assert re.search(r'text: "Hello."', streams("responses-request", server.sent))


def chunks_add_up_to_the_completion():
    for name in SCENARIOS[:-1]:
        whole = json.loads(streams("chat-completions:whole", name))
        ChatCompletion.model_validate(whole)
        message = whole["choices"][0]["message"]
        expected = (message.get("reasoning_content", ""), message["content"])
        assert read_chat(streams("chat-completions", name)) == expected, name
    server.body = streams("chat-completions:whole", "text")
    completion = client.chat.completions.create(**CHAT)
    assert completion.choices[0].message.content == "2 + 2 is 4.\nAnything else?"
    assert re.search(r'text: "Hello."', streams("chat-completions-request", server.sent))


def a_run_that_fails_is_an_error():
    try:
        read_chat(streams("chat-completions", "error"))
        raise AssertionError("no error")
    except openai.APIError as error:
        assert error.code == "unreachable"
    assert read(streams("responses", "error"))["status"] == "failed"
    assert read(streams("responses", "stopped"))["status"] == "cancelled"


def errors_have_classes():
    classes = {
        400: openai.BadRequestError,
        401: openai.AuthenticationError,
        403: openai.PermissionDeniedError,
        404: openai.NotFoundError,
        409: openai.ConflictError,
        413: openai.APIStatusError,
        429: openai.RateLimitError,
        500: openai.InternalServerError,
        503: openai.InternalServerError,
    }
    for line in streams("openai-errors").splitlines():
        status, server.body = line.split(" ", 1)
        server.status = int(status)
        try:
            client.responses.create(**REQUEST)
            raise AssertionError(f"no error: {status}")
        except openai.APIStatusError as error:
            assert isinstance(error, classes[server.status]), status
            assert error.param == "model" and error.body["message"] == "This is wrong."
    server.status = 200


def models_are_listed():
    server.body = streams("openai-models")
    assert [model.id for model in client.models.list()] == ["silcrow", "silcrow-plain"]


def random_runs_are_read_to_their_end():
    def random(protocol):
        return streams(protocol, "random", "2", "200").split("\0")[:-1]

    for protocol in ("responses", "responses:pairs"):
        for number, stream in enumerate(random(protocol)):
            check_response(f"{protocol} {number}", stream)
    for stream in random("chat-completions"):
        failed = 'data: {"error":' in stream
        try:
            read_chat(stream)
            assert not failed
        except openai.APIError:
            assert failed


for check in (
    a_stream_adds_up_to_the_response,
    a_whole_response_has_its_text,
    chunks_add_up_to_the_completion,
    a_run_that_fails_is_an_error,
    errors_have_classes,
    models_are_listed,
    random_runs_are_read_to_their_end,
):
    check()
    print(f"ok: {check.__name__.replace('_', ' ')}", flush=True)
server.shutdown()
