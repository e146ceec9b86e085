// A page with assistant-ui.

import assert from "node:assert/strict";
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAssistantTool,
} from "@assistant-ui/react";
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createElement as h, useMemo } from "react";
import { action, rendered } from "./page.mjs";

/** A tool that the page has itself. */
function OpenMap() {
  useAssistantTool({
    toolName: "open_map",
    description: "Opens a map.",
    parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
    execute: async ({ place }) => `A map of ${place}.`,
  });
  return null;
}

const Fallback = ({ toolName, result, status, approval, addResult, respondToApproval }) => {
  const open = status?.type === "requires-action" && respondToApproval && approval;
  const button = open && h("button", { onClick: () => respondToApproval({ approved: true }) }, `Allow ${toolName}`);
  return h("i", null, `${toolName} ${status?.type} ${typeof result === "string" ? result : JSON.stringify(result) ?? ""}`, button);
};
const Text = ({ text }) => h("p", null, text);
const Message = () => h(MessagePrimitive.Root, null, h(MessagePrimitive.Parts, { components: { Text, tools: { Fallback } } }));

function Page({ place, seen }) {
  const transport = useMemo(() => new AssistantChatTransport({ api: `${place.api}?ai=7`, headers: place.headers }), []);
  const runtime = useChatRuntime({
    transport,
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) || lastAssistantMessageIsCompleteWithToolCalls(options),
  });
  seen.runtime = runtime;
  return h(
    AssistantRuntimeProvider,
    { runtime },
    h(OpenMap),
    h(
      ThreadPrimitive.Root,
      null,
      h(ThreadPrimitive.Messages, { components: { Message } }),
      h(ComposerPrimitive.Root, null, h(ComposerPrimitive.Input), h(ComposerPrimitive.Send, null, "Send")),
    ),
  );
}

const open = (place, op) => {
  const seen = {};
  return rendered(h(Page, { place, seen }), async (page) => {
    await page.until(() => seen.runtime);
    const send = (text) => seen.runtime.thread.append(text);
    await op({ ...page, send, isDone: () => page.until(() => !seen.runtime.thread.getState().isRunning) }, seen);
  });
};

export const assistantUi = {
  async "assistant-ui shows texts, another answer of a prompt, and a prompt that is edited"(server, place) {
    await open(place, async ({ says, send, isDone, place: shown }, { runtime }) => {
      server.answer("<response>Four.</response>");
      send("2 + 2?");
      await says("Four.");
      await isDone();
      server.answer("<response>It is four.</response>");
      runtime.thread.getMessageByIndex(1).reload();
      await says("It is four.");
      await isDone();
      assert.ok(!shown.textContent.includes("Four."));
      server.answer("<response>Five.</response>");
      send("And 1?");
      await says("Five.");
      await isDone();
      // What is edited goes on in another branch of the same chat.
      const { composer } = runtime.thread.getMessageByIndex(2);
      composer.beginEdit();
      composer.setText("And 2?");
      server.answer("<response>Six.</response>");
      composer.send();
      await says("Six.");
      await isDone();
      assert.equal(shown.textContent.replace("Send", ""), "2 + 2?It is four.And 2?Six.");
    });
  },

  async "assistant-ui runs a tool of the page, and asks a person"(server, place) {
    await open(place, async ({ says, send, isDone, place: shown }) => {
      server.answer(action("map", "open_map", { place: "Oslo" }));
      server.answer("<response>It is open.</response>");
      send("Where is Oslo?");
      await says("It is open.");
      await says("open_map complete A map of Oslo.");
      await isDone();
      server.answer(action("one", "publish", { page: "index.md", text: "Hello" }));
      send("Publish it.");
      await says("Allow publish");
      server.answer("<response>It is there.</response>");
      shown.querySelector("i button").click();
      await says("It is there.");
    });
  },
};
