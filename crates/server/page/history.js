// The time of a conversation: its timeline, a look back at any moment, and what it has spent.

import { byId, make, seconds } from "./dom.js";
import { drawTimeline } from "./timeline.js";

/** Keeps the timeline and the budget in step, and shows earlier moments. */
export class HistoryView {
  /** `show` is called with the record that a person wants to see. */
  constructor(show) {
    this.show = show;
    this.record = null;
    byId("time").addEventListener("input", () => this.moved());
    byId("timeline").addEventListener("toggle", () => this.refresh(this.record));
  }

  open() {
    byId("time").value = "1000";
    this.record = null;
    byId("timeline").hidden = true;
    byId("budget").hidden = true;
  }

  get isPast() {
    return byId("time").value !== "1000";
  }

  refresh(record) {
    if (!record) return;
    this.record = record;
    byId("timeline").hidden = !record.items.some((item) => item.kind === "call");
    this.budget(record.metric);
    if (this.isPast) this.moved();
    else this.draw(record, Date.now() / 1000);
  }

  draw(record, now) {
    byId("at").textContent = this.isPast ? new Date(now * 1000).toLocaleTimeString() : "now";
    const saved = drawTimeline(byId("lanes"), record, now);
    byId("saved").textContent = saved >= 0.05 ? `– saved by overlap: ${seconds(saved)}` : "";
  }

  moved() {
    if (!this.record) return;
    const times = this.record.messages.map(({ event }) => event.timestamp).filter((time) => time !== undefined);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const now = first + ((last - first) * byId("time").value) / 1000;
    const record = this.isPast ? this.record.until(now) : this.record;
    byId("state").dataset.past = this.isPast ? "yes" : "";
    this.draw(record, this.isPast ? now : Date.now() / 1000);
    this.show(record);
  }

  budget(metric) {
    const { budget, window } = metric ?? {};
    const used = metric?.step ? metric.step.input + metric.step.output : 0;
    const bars = [];
    for (const name of ["run", "conversation", "user"]) {
      const { tokens, cost, max_tokens: tokensMost, max_cost: costMost } = budget?.[name] ?? {};
      if (tokensMost) bars.push(bar(`Tokens of the ${name}`, tokens, tokensMost));
      if (costMost) bars.push(bar(`Cost of the ${name}`, cost, costMost));
    }
    if (window) bars.push(bar("Window of the model", used, window));
    byId("budget").hidden = bars.length === 0;
    byId("budget").replaceChildren(...bars);
  }
}

function bar(name, value, most) {
  const text = `${name}: ${round(value)} of ${round(most)}`;
  return make("label", {}, `${text} `, make("meter", { min: 0, max: most, high: most * 0.8, value: Math.min(value, most) }));
}

function round(value) {
  return Number(value.toFixed(4)).toLocaleString();
}
