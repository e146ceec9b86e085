// Measures how fast an answer with calls is read in pieces of four characters, in processor time:
// `node crates/wasm/benches/hermes.mjs 8000000 3`, after `cargo dist bindings wasm`, does so three times.
// With `--ai-sdk`, and `@ai-sdk-tool/parser` installed where node finds it, that parser reads it in turn.

const size = Number(process.argv[2] ?? 8_000_000);
const UNIT =
  "I will look at the weather now.\n<tool_call>\n" +
  '{"name": "weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>\n' +
  "The tool knows the weather of each city, so I ask it first, and then I go on.\n";
const text = UNIT.repeat(Math.ceil(size / UNIT.length)).slice(0, size);

async function silcrow() {
  const { load } = await import("../tests/package.mjs");
  const { NativeParser } = await load();
  return async () => {
    const parser = new NativeParser("hermes", { chunks: true, callText: true });
    let events = 0;
    for (let at = 0; at < size; at += 4) events += parser.push(text.slice(at, at + 4)).length;
    return events + parser.finish().length;
  };
}

async function aiSdk() {
  const { hermesProtocol } = await import("@ai-sdk-tool/parser");
  const inputSchema = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
  const tools = [{ type: "function", name: "weather", inputSchema }];
  const stream = hermesProtocol().createStreamParser({ tools });
  return async () => {
    const writer = stream.writable.getWriter();
    let events = 0;
    const reading = (async () => {
      for await (const _ of stream.readable) events++;
    })();
    await writer.write({ type: "text-start", id: "1" });
    for (let at = 0; at < size; at += 4) {
      await writer.write({ type: "text-delta", id: "1", delta: text.slice(at, at + 4) });
    }
    await writer.write({ type: "text-end", id: "1" });
    await writer.close();
    await reading;
    return events;
  };
}

const rounds = Number(process.argv[3] ?? 1);
const parsers = process.argv.includes("--ai-sdk") ? { silcrow, aiSdk } : { silcrow };
const ratios = [];
for (let round = 0; round < rounds; round++) {
  const times = [];
  for (const [name, parser] of Object.entries(parsers)) {
    const read = await parser();
    const start = process.cpuUsage();
    const events = await read();
    const seconds = process.cpuUsage(start).user / 1e6;
    times.push(seconds);
    console.log(`${name}: ${size} characters, ${events} events, ${seconds.toFixed(2)} s, ${(size / 1e6 / seconds).toFixed(2)} MB/s`);
  }
  if (times.length === 2) ratios.push(times[1] / times[0]);
}
if (ratios.length > 0) console.log(`times as fast: ${ratios.map((one) => one.toFixed(1)).join(", ")}`);
