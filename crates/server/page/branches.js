// The branches of a chat: each edited prompt and each answer that was asked for again began one.

import { conversationPath, request } from "./server.js";

/** What is known of the branches of the open conversation. */
export class Branches {
  constructor() {
    this.clear();
  }

  clear() {
    this.known = new Map();
  }

  /** Reads the branches; a server or a conversation without them has none. */
  async read(id) {
    const { branches } = await request("GET", `${conversationPath(id)}/branches`);
    this.known = new Map(branches.map((branch) => [branch.conversation, branch]));
  }

  /** Returns the branch that has made the event at a position of a conversation. */
  owner(id, seq) {
    let branch = this.known.get(id);
    while (branch?.from && seq < branch.since) branch = this.known.get(branch.from);
    return branch?.conversation;
  }

  /** Returns the conversations that go on from the same place at a prompt, and which of them is shown. */
  around(id, seq) {
    if (this.known.size < 2) return { ids: [id], at: 0 };
    const base = seq > 1 ? this.owner(id, seq - 1) : null;
    const others = [...this.known.values()].filter(({ since, from, conversation }) =>
      since === seq && conversation !== base && (seq === 1 || this.owner(from, seq - 1) === base));
    const ids = [...(base === null ? [] : [base]), ...others.map(({ conversation }) => conversation)];
    return { ids, at: Math.max(ids.indexOf(this.owner(id, seq)), 0) };
  }
}

/** Begins a branch before a prompt, with another one and its files in its place; returns its conversation. */
export async function branchWith(id, seq, prompt, files) {
  const { conversation } = await request("POST", `${conversationPath(id)}/branches`, { before: seq });
  await request("POST", `${conversationPath(conversation)}/runs`, { prompt, files });
  return conversation;
}

/** Makes a branch the one in which the chat goes on for all of its clients. */
export async function choose(conversation) {
  await request("POST", `${conversationPath(conversation)}/branches`, { conversation });
}
