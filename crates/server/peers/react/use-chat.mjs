// A page with the hook of the AI SDK.

import assert from "node:assert/strict";
import * as react5 from "@ai-sdk/react-5";
import * as react6 from "@ai-sdk/react-6";
import * as react7 from "@ai-sdk/react";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai";
import { createElement as h, useMemo } from "react";
import { action, rendered } from "./page.mjs";

const openMap = {
  description: "Opens a map.",
  inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

/** A chat whose own tool is `open_map`; `seen.chat` has what the hook returned last. */
function Chat({ id, place, seen, resume = false }) {
  const { version, useChat, ai } = place.sdk;
  const transport = useMemo(
    () =>
      new ai.DefaultChatTransport({
        api: `${place.api}?ai=${version}`,
        headers: place.headers,
        body: { tools: { open_map: openMap } },
        prepareReconnectToStreamRequest: () => ({ api: `${place.api}/${id}/stream?ai=${version}`, headers: place.headers }),
      }),
    [],
  );
  const chat = useChat({
    id,
    transport,
    resume,
    sendAutomaticallyWhen: (options) =>
      ai.lastAssistantMessageIsCompleteWithApprovalResponses?.(options) || ai.lastAssistantMessageIsCompleteWithToolCalls(options),
    onToolCall({ toolCall }) {
      if (toolCall.dynamic) return;
      const { place: where } = toolCall.input;
      chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: `A map of ${where}.` });
    },
  });
  seen.chat = chat;
  const part = (one, at) => {
    if (one.type === "text") return h("p", { key: at }, one.text);
    if (one.state === "approval-requested") {
      const answer = (approved) => () => chat.addToolApprovalResponse({ id: one.approval.id, approved });
      return h("button", { key: at, onClick: answer(true) }, `Allow ${one.toolName}`);
    }
    return one.state ? h("i", { key: at }, `${one.toolName ?? one.type} ${one.state} ${one.output ?? one.errorText ?? ""}`) : null;
  };
  const messages = chat.messages.map((one) => h("section", { key: one.id, className: one.role }, one.parts.map(part)));
  return h("main", null, messages, h("b", null, `${chat.status} ${chat.error?.message ?? ""}`));
}

const open = (id, place, op, more) => {
  const seen = {};
  return rendered(h(Chat, { id, place, seen, ...more }), async (page) => {
    await page.until(() => seen.chat);
    await op(page, seen);
  });
};

const SDKS = [
  { version: 5, useChat: react5.useChat, ai: ai5 },
  { version: 6, useChat: react6.useChat, ai: ai6 },
  { version: 7, useChat: react7.useChat, ai: ai7 },
];

const checks = {
  async "a text, an answer that is given again and a question"(server, place) {
    await open(`react-1-${place.sdk.version}`, place, async ({ place: shown, says, until }, seen) => {
      server.answer("<response>Four.</response>");
      seen.chat.sendMessage({ text: "2 + 2?" });
      await says("Four.");
      await until(() => seen.chat.status === "ready");
      server.answer("<response>It is four.</response>");
      seen.chat.regenerate();
      await says("It is four.");
      await until(() => seen.chat.status === "ready");
      assert.equal(shown.querySelectorAll(".assistant").length, 1);
      // Version 5 has no questions.
      if (place.sdk.version === 5) return;
      server.answer(action("one", "publish", { page: "index.md", text: "Hello" }));
      seen.chat.sendMessage({ text: "Publish it." });
      await says("Allow publish");
      server.answer("<response>It is there.</response>");
      shown.querySelector("button").click();
      await says("It is there.");
      assert.match(shown.textContent, /output-available published/);
    });
  },

  async "a tool of the page"(server, place) {
    await open(`react-2-${place.sdk.version}`, place, async ({ says, place: shown }, seen) => {
      server.answer(action("map", "open_map", { place: "Oslo" }));
      server.answer("<response>It is open.</response>");
      seen.chat.sendMessage({ text: "Where is Oslo?" });
      await says("It is open.");
      assert.match(shown.textContent, /output-available A map of Oslo\./);
    });
  },

  async "what is being written is resumed by a page that is loaded again"(server, place) {
    await open(`react-3-${place.sdk.version}`, place, async ({ says }, seen) => {
      server.say("<response>One, ");
      seen.chat.sendMessage({ text: "Count." });
      await says("One,");
    });
    const resumed = async ({ says, until }, seen) => {
      await says("One,");
      server.answer("two.</response>");
      await says("One, two.");
      await until(() => seen.chat.status === "ready");
    };
    await open(`react-3-${place.sdk.version}`, place, resumed, { resume: true });
  },

  async "why a run failed"(server, place) {
    await open(`react-4-${place.sdk.version}`, place, async ({ says }, seen) => {
      server.command("break The key is wrong.");
      seen.chat.sendMessage({ text: "Try it." });
      await says("error");
      await says("The key is wrong.");
    });
  },
};

/** The checks of all versions. */
export const useChatPage = Object.fromEntries(
  SDKS.flatMap((sdk) =>
    Object.entries(checks).map(([name, check]) => [
      `useChat of version ${sdk.version}: ${name}`,
      (server, place) => check(server, { ...place, sdk }),
    ]),
  ),
);
