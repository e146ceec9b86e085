// Shows what a run has used, and how much of each limit is left.

import { byId, make } from "./dom.js";

/** Shows the last metric of a conversation, if there is one. */
export function showSpent(metric) {
  const used = metric?.all ?? metric?.total;
  byId("spent").textContent = used ? `${round(used.input + used.output)} tokens` : "";
  byId("spent").title = used ? `read ${round(used.input)}, of these ${round(used.cached ?? 0)} from a cache; wrote ${round(used.output)}` : "";
  const { budget, window, step } = metric ?? {};
  const bars = [];
  for (const name of ["run", "conversation", "user"]) {
    const { tokens, cost, max_tokens: tokensMost, max_cost: costMost } = budget?.[name] ?? {};
    if (tokensMost) bars.push(bar(`Tokens of the ${name}`, tokens, tokensMost));
    if (costMost) bars.push(bar(`Cost of the ${name}`, cost, costMost));
  }
  if (window && step) bars.push(bar("Window of the model", step.input + step.output, window));
  byId("budget").hidden = bars.length === 0;
  byId("budget").replaceChildren(...bars);
}

function bar(name, value, most) {
  const text = `${name}: ${round(value)} of ${round(most)}`;
  return make("label", {}, `${text} `, make("meter", { min: 0, max: most, high: most * 0.8, value: Math.min(value, most) }));
}

function round(value) {
  return Number(value.toFixed(4)).toLocaleString();
}
