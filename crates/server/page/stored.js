// Reads the stored events of a long conversation many at a time, before its stream is followed.

import { conversationPath, request } from "./server.js";

/**
 * Lets a record take all stored events before the last run. The stream has more of that run than the
 * log, such as when calls began.
 */
export async function takeStored(record, isWanted) {
  const path = conversationPath(record.conversation);
  let waiting = [];
  for (let after = 0; ; ) {
    const { events } = await request("GET", `${path}?after=${after}&limit=${PAGE}`);
    if (!isWanted()) return;
    for (const event of events) {
      if (event.type === "user" && !event.steer) {
        for (const before of waiting) record.take(`${before.seq}.0`, before);
        waiting = [];
      }
      waiting.push(event);
    }
    if (events.length < PAGE) return;
    after = events.at(-1).seq;
  }
}

/** The most events that the server returns at once. */
const PAGE = 1_000;
