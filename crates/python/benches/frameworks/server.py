"""A server of Chat Completions whose model calls a tool once, and then answers with 200 words.

It streams both. A client that offers tools gets the calls of the interface; the others get them as text of
the dialect ``sigil``. It prints its port.
"""

import asyncio
import json

WORDS = [f"word{number} " for number in range(200)]


def deltas(request):
    messages, is_native = request["messages"], bool(request.get("tools"))
    is_called = any(message["role"] == "tool" for message in messages) or any(
        message["role"] == "assistant" for message in messages
    )
    if is_called:
        start = [] if is_native else ["§respond: "]
        return [{"content": text} for text in [*start, *WORDS]], "stop"
    if is_native:
        function = {"name": "wait", "arguments": ""}
        call = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
        arguments = [{"index": 0, "function": {"arguments": part}} for part in ('{"number"', ": 1}")]
        return [{"tool_calls": call}, *({"tool_calls": [part]} for part in arguments)], "tool_calls"
    text = '§call: {"name": "wait", "args": {"number": 1}}\n§execute\n'
    return [{"content": text[at : at + 4]} for at in range(0, len(text), 4)], "stop"


def event(value):
    return f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()


async def answer(request, writer):
    parts, end = deltas(request)
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock"}
    usage = {"prompt_tokens": 10, "completion_tokens": len(parts), "total_tokens": 10 + len(parts)}
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    for delta in [{"role": "assistant"}, *parts]:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        await send(writer, event({**head, "choices": [choice]}))
    await send(writer, event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]}))
    await send(writer, event({**head, "choices": [], "usage": usage}))
    await send(writer, event("[DONE]"))
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def send(writer, data):
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode().lower().split("\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith("content-length:")), 0)
            body = await reader.readexactly(length)
            if head.startswith(b"POST"):
                await answer(json.loads(body), writer)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
