// React pages with the AI SDK's hook and with assistant-ui talk to a served agent.

import "./window.mjs";
import assert from "node:assert/strict";
import { assistantUi } from "./assistant-ui.mjs";
import { useChatPage } from "./use-chat.mjs";
import { PageServer, token } from "./server.mjs";

setTimeout(() => assert.fail("a page waits in vain"), 120_000).unref();
const server = await PageServer.start();
const place = { api: `${server.origin}/api/chat`, headers: { authorization: `Bearer ${token}` } };
for (const checks of [useChatPage, assistantUi]) {
  for (const [name, check] of Object.entries(checks)) {
    await check(server, place);
    console.log(`ok: ${name}`);
  }
}
await server.stop();
process.exit(0);
