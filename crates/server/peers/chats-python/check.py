"""OpenAI's client for Python talks to a served agent, whose model and tools do what this check says.

The client does not validate what it reads, so this check does.
"""

import json
import socket
import tempfile
import threading
import urllib.request

import openai
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

import langchain_chat
from agent_server import TOKEN, AgentServer, action

EVENT = TypeAdapter(ResponseStreamEvent)


class Line:
    """A way to the server that a check can cut."""

    def __init__(self, port):
        self.far = port
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.far))
            self.sockets += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=ends, daemon=True).start()

    @staticmethod
    def pump(source, to):
        try:
            while data := source.recv(65536):
                to.sendall(data)
        except OSError:
            pass
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.sockets.clear()


def work(name):
    return action(name, "work", {"name": name, "says": f"The {name} one."})


class Read:
    """What a client has read of a response."""

    def __init__(self):
        self.text, self.items, self.number, self.id, self.response = "", [], None, None, None

    def take(self, event):
        EVENT.validate_python(event.to_dict())
        self.number = event.sequence_number
        response = getattr(event, "response", None)
        self.id = response.id if response else self.id
        if event.type == "response.output_text.delta":
            self.text += event.delta
        elif event.type == "response.output_item.done":
            self.items.append(event.item)
        elif event.type in ENDS:
            Response.model_validate(response.to_dict())
            self.response = response

    def results(self):
        return [call.output for call in self.items if call.type == "mcp_call"]


ENDS = [f"response.{word}" for word in ("completed", "incomplete", "failed", "cancelled")]


def ask(prompt, then=lambda event, read: None, **more):
    """Sends a prompt, and calls `then` for each event that comes."""
    request = {"model": "silcrow", "input": prompt, "stream": True, "background": True, **more}
    read = Read()
    for event in client.responses.create(**request):
        read.take(event)
        then(event, read)
    return read


def a_text_and_the_next_one():
    server.answer("<response>Four.</response>")
    first = ask("2 + 2?")
    assert (first.text, first.response.output_text) == ("Four.", "Four.")
    server.answer("<response>Five.</response>")
    second = ask("And 1?", previous_response_id=first.id)
    assert second.text == "Five."
    assert client.responses.retrieve(second.id).output == second.response.output


def calls_run_at_once_while_the_model_writes():
    server.say(work("first"), work("second"), work("third"), '<response final="false">I am wor')

    def then(event, read):
        if event.type == "response.output_text.delta" and read.text == "I am wor":
            server.command("release second")
        elif event.type == "response.output_item.done" and event.item.type == "mcp_call":
            if read.text == "I am wor":
                server.answer("king.</response>")
                server.answer("<response> It is the first one.</response>")
                server.command("release third")
                server.command("release first")

    read = ask("Compare three libraries.", then)
    assert sorted(read.results()) == ["The first one.", "The second one.", "The third one."]
    assert "I am working." in read.text


def an_approval_is_continued():
    for approve, text in ((True, "It is there."), (False, "Then not.")):
        server.answer(action("one", "publish", {"page": "index.md", "text": "Hello"}))
        asked = ask("Publish it.")
        (question,) = [item for item in asked.response.output if item.type == "mcp_approval_request"]
        assert "index.md" in question.arguments
        kind = "mcp_approval_response"
        given = {"type": kind, "approval_request_id": question.id, "approve": approve}
        server.answer(f"<response>{text}</response>")
        assert ask([given], previous_response_id=asked.id).text == text


def an_agent_works_in_a_call():
    server.answer(action("help", "helper", {"task": "Look."}, "agent"))
    server.command("release inside")
    server.answer("<response>It was found.</response>")
    read = ask("Ask the helper.")
    assert read.text == "It was found."
    assert "The helper found" in read.results()[0]


def a_call_fails_and_a_run_fails():
    server.answer(work("broken"))
    server.command("fail broken")
    server.answer("<response>It does not work.</response>")
    read = ask("Try it.")
    (call,) = [item for item in read.items if item.type == "mcp_call"]
    assert "broken has failed" in json.dumps(call.to_dict()["error"])
    server.command("break The key is wrong.")
    failed = ask("Try it.").response
    assert (failed.status, "The key is wrong" in failed.error.message) == ("failed", True)


def a_cut_connection_is_continued():
    server.say('<response final="false">One, ')
    read = Read()
    try:
        request = {"model": "silcrow", "input": "Count.", "stream": True, "background": True}
        for event in client.responses.create(**request):
            read.take(event)
            if event.type == "response.output_text.delta":
                line.cut()
        raise AssertionError("the stream ended without its end")
    except openai.APIConnectionError:
        pass
    assert read.response is None
    server.answer("two.</response>")
    server.answer("<response> There.</response>")
    rest = client.responses.retrieve(read.id, stream=True, starting_after=read.number)
    for event in rest:
        read.take(event)
    assert "One, two." in read.text and read.text.count("One") == 1, read.text
    assert read.response.status == "completed"


def a_response_is_cancelled():
    server.say("<response>One, ")

    def then(event, read):
        if event.type == "response.output_text.delta":
            assert client.responses.cancel(read.id).status == "cancelled"

    assert ask("Count.", then).response.status == "cancelled"


def completions_have_texts_and_calls():
    messages = [{"role": "user", "content": "Which?"}]
    server.answer(work("only"))
    server.command("release only")
    server.answer("<response>This one.</response>")
    text, reasoning = "", ""
    request = {"model": "silcrow", "messages": messages, "stream": True}
    for chunk in client.chat.completions.create(**request):
        ChatCompletionChunk.model_validate(chunk.to_dict())
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reasoning += getattr(choice.delta, "reasoning_content", None) or ""
    assert (text, "work" in reasoning) == ("This one.", True)


PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQSFiAFTEMLQkAAmxI"
    "AbLcbYIAAAAASUVORK5CYII="
)
DOCUMENT = "data:application/pdf;base64,JVBERi0xLjc="


def prompt_of(conversation):
    """Returns the prompt that the log of a conversation has."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/conversations/{conversation}",
        headers={"authorization": f"Bearer {TOKEN}"},
    )
    with urllib.request.urlopen(request) as answer:
        events = json.load(answer)["events"]
    return next(event["content"] for event in events if event["type"] == "user")


def a_picture_and_a_document_are_sent():
    chat = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}},
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": DOCUMENT}},
    ]
    server.answer("<response>A square.</response>")
    completion = client.chat.completions.create(
        model="silcrow",
        messages=[{"role": "user", "content": chat}],
        extra_headers={"x-openwebui-chat-id": "completions"},
    )
    assert completion.choices[0].message.content == "A square."
    content = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
        {"type": "input_file", "filename": "plan.pdf", "file_data": DOCUMENT},
    ]
    server.answer("<response>A plan.</response>")
    response = client.responses.create(
        model="silcrow", conversation="responses", input=[{"role": "user", "content": content}]
    )
    assert response.output_text == "A plan."
    for conversation in ("completions", "responses"):
        prompt = prompt_of(conversation)
        for part in ("What is this?", "PNG, 8 × 8", "plan.pdf, PDF"):
            assert part in prompt, f"{conversation}: {prompt}"


def errors_have_classes():
    other = openai.OpenAI(base_url=client.base_url, api_key="x", max_retries=0)
    for ask_wrongly, kind in (
        (other.models.list, openai.AuthenticationError),
        (lambda: client.responses.retrieve("resp_9"), openai.NotFoundError),
        (lambda: client.responses.create(model="other", input="Hi."), openai.APIStatusError),
    ):
        try:
            ask_wrongly()
            raise AssertionError("no error")
        except openai.APIStatusError as error:
            assert isinstance(error, kind), error


with tempfile.TemporaryDirectory(prefix="silcrow-chats-") as folder:
    server = AgentServer(folder)
    line = Line(server.port)
    address = f"http://127.0.0.1:{line.port}/v1"
    client = openai.OpenAI(base_url=address, api_key=TOKEN, max_retries=0, timeout=60)
    try:
        for check in (
            a_text_and_the_next_one,
            calls_run_at_once_while_the_model_writes,
            an_approval_is_continued,
            an_agent_works_in_a_call,
            a_call_fails_and_a_run_fails,
            a_cut_connection_is_continued,
            a_response_is_cancelled,
            completions_have_texts_and_calls,
            a_picture_and_a_document_are_sent,
            errors_have_classes,
        ):
            check()
            print(f"ok: {check.__name__.replace('_', ' ')}", flush=True)
        langchain_chat.check(server, address)
    finally:
        server.stop()
