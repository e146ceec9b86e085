// Random runs, read by a client's own reader.

import assert from "node:assert/strict";
import { storedParts } from "./chat.mjs";
import { streams } from "./server.mjs";

const SEED = "7";
const COUNT = "1000";

/// Reads random runs, some of which continue a message. A whole run that ends well becomes the
/// message that its log has.
export const readAtRandom = async (version, ai) => {
  const [before, runs, after] = ["ai-sdk-before", "ai-sdk", "ai-sdk-after"].map((protocol) =>
    streams(`${protocol}:${version}`, "random", SEED, COUNT).split("\0").slice(0, -1),
  );
  for (const [index, run] of runs.entries()) {
    const transport = new ai.DefaultChatTransport({ fetch: async () => new Response(run) });
    const stream = await transport.sendMessages({ messages: [], trigger: "submit-message" });
    const message = answer(before[index]);
    const errors = [];
    let last = message;
    const onError = (error) => errors.push(error.message);
    for await (const read of ai.readUIMessageStream({ message, stream, onError })) last = read;
    // The message of runs that fail.
    assert.deepEqual(errors.filter((error) => error !== "Too much."), [], `run ${index}`);
    if (before[index] === "[]" && run.includes('{"type":"finish","finishReason":"stop"}')) {
      const stored = answer(after[index]);
      assert.deepEqual(storedParts(last ?? NONE), storedParts(stored ?? NONE), `run ${index}`);
    }
  }
};

const NONE = { parts: [] };

/// The assistant's message of a chat, if it has one.
const answer = (messages) => JSON.parse(messages).find(({ role }) => role === "assistant");
