// A program with the types of both packages, and what they refuse. It is compiled, and not run.

import { Agent, SilcrowError, type Event, type Question } from "@silcrow/client";
import { load, type EventParser, type ParsedEvent } from "@silcrow/parser";
import { load as loadFull, type RunEvent } from "@silcrow/parser/full";

declare function appendText(text: string): void;
declare function displayMessage(text: string): void;

export async function client(query: string, token: string): Promise<string> {
  const agent = new Agent("http://127.0.0.1:4180", { token });
  for await (const event of agent.stream(query, { chunks: true })) {
    if (event.type === "respond") appendText(event.content ?? "");
  }
  const run = agent.stream(query, { conversation: "poems", chunks: false });
  for await (const event of run) {
    const seen: Event = event;
    if (seen.type === "respond") displayMessage(seen.content ?? "");
  }
  if (run.outcome === "waiting") {
    const questions: Question[] = await run.questions();
    const answers = questions.map(({ id }) => ({ question: id, allow: true, scope: "once" as const }));
    for await (const event of agent.resume("poems", answers)) appendText(event.type);
  }
  // @ts-expect-error: an outcome has four words.
  if (run.outcome === "done") return "";
  // @ts-expect-error: pieces are asked for by a boolean.
  agent.stream(query, { chunks: "yes" });
  // @ts-expect-error: a question is answered by a boolean.
  await agent.answer("poems", [{ question: "1/a1", allow: "yes" }]);
  return agent.ask(query).catch((why: unknown) => (why instanceof SilcrowError ? why.code : ""));
}

export async function parser(body: ReadableStream<Uint8Array>): Promise<ParsedEvent[]> {
  const { Parser, NativeParser, families } = await load();
  const sigil: EventParser = new Parser("sigil", { chunks: true, callText: true });
  const events = [...sigil.parse(["§thi", "nk: easy\n§end"])];
  for await (const event of new NativeParser({ model: "Qwen/Qwen3-8B" }, { chunks: true }).read(body)) {
    switch (event.type) {
      case "call": JSON.parse(event.content); break;
      case "respond": appendText(event.final === false ? "" : event.content); break;
      // @ts-expect-error: a call is not spelled so.
      case "calls": break;
    }
  }
  appendText(`${families().length}`);
  // @ts-expect-error: there are three dialects.
  new Parser("esperanto");
  // @ts-expect-error: the module of the parsers has no encoders.
  (await load()).Encoder;
  return events;
}

export async function encoder(events: Iterable<RunEvent>): Promise<string> {
  const { Encoder, write, grammar, Parser } = await loadFull(fetch("full.wasm"));
  const responses = new Encoder("responses", { conversation: "sums", model: "silcrow" });
  let sent = responses.head;
  for (const event of events) sent += responses.push(event);
  sent += responses.end({ outcome: "failed", code: "rate", content: "Later." });
  // @ts-expect-error: there is no such encoder.
  new Encoder("gopher");
  return sent + write(new Parser().parse("§end"), "phase") + grammar("sigil", { format: "lark" });
}
