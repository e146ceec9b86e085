// The time of a conversation: the timelines of its runs, and a look back at any moment.

import { byId, seconds, soon } from "./dom.js";
import { serverTime } from "./server.js";
import { RunTimes } from "./run_times.js";
import { drawTimeline } from "./timeline.js";

/** Keeps the timeline in step with a record, and shows earlier moments of it. */
export class HistoryView {
  /** `show` is called with the record that a person wants to see. */
  constructor(show) {
    this.show = show;
    this.record = null;
    /** The blocks that a person has opened or closed. */
    this.toggled = new Set();
    this.redraw = soon(() => this.draw(), 100);
    this.look = soon(() => this.showMoment(), 30);
    byId("time").addEventListener("input", () => this.moved());
    byId("earlier-run").addEventListener("click", () => this.choose(this.run - 1));
    byId("later-run").addEventListener("click", () => this.choose(this.run + 1));
    byId("play").addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    byId("now").addEventListener("click", () => this.toNow());
    byId("timeline").addEventListener("toggle", () => {
      localStorage.setItem("timeline", byId("timeline").open ? "open" : "closed");
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(byId("chart"));
    // What runs grows although nothing happens.
    setInterval(() => this.isBusy && !document.hidden && this.redraw(), 250);
    const chosen = localStorage.getItem("timeline");
    byId("timeline").open = chosen === null ? matchMedia("(min-width: 48rem) and (min-height: 44rem)").matches : chosen === "open";
  }

  /** Begins with another conversation. */
  open() {
    this.stop();
    this.toggled.clear();
    Object.assign(this, { record: null, run: 0, isLast: true, isBusy: false, scale: null });
    byId("time").value = END;
    byId("timeline").hidden = true;
    this.tellMoment();
  }

  /** Whether another moment than now is shown. */
  get isPast() {
    return !this.isLast || byId("time").value !== END;
  }

  refresh(record) {
    this.record = record;
    byId("timeline").hidden = !record.items.some((item) => item.kind === "call");
    if (this.isLast) this.run = Math.max(record.runTimes().length - 1, 0);
    this.redraw();
  }

  /** Shows another run at its end. */
  choose(run) {
    this.stop();
    this.run = run;
    this.isLast = run >= this.record.runTimes().length - 1;
    byId("time").value = END;
    this.moved();
  }

  moved() {
    this.redraw();
    this.look();
  }

  toNow() {
    this.stop();
    this.isLast = true;
    byId("time").value = END;
    this.refresh(this.record);
    this.look();
    byId("time").focus();
  }

  /** Shows the run again as it happened, from the moment that is shown, or from its beginning. */
  play() {
    const times = this.times();
    const speed = Math.max(1, (times.end - times.begun) / LONGEST_PLAY);
    if (byId("time").value === END) byId("time").value = 0;
    let place = Number(byId("time").value) / END;
    let last = performance.now();
    byId("play").textContent = "Pause";
    this.timer = setInterval(() => {
      const passed = (performance.now() - last) / 1000;
      last = performance.now();
      const width = Math.max(times.end - times.begun, 0.5);
      place += (passed * speed) / width;
      byId("time").value = Math.min(place, 1) * END;
      if (place >= 1) this.stop();
      this.moved();
    }, 100);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    byId("play").textContent = "Play";
  }

  times() {
    const isNow = this.isLast && this.isBusy;
    return new RunTimes(this.record, this.run, isNow ? serverTime() : null);
  }

  draw() {
    if (!this.record || byId("timeline").hidden) return;
    const times = this.times();
    byId("saved").textContent = times.saved >= 0.05 ? `– saved by overlap: ${seconds(times.saved)}` : "";
    if (!byId("timeline").open) return;
    const count = this.record.runTimes().length;
    byId("run").textContent = `Run ${this.run + 1} of ${count}`;
    byId("earlier-run").disabled = this.run === 0;
    byId("later-run").disabled = this.run >= count - 1;
    const isWithin = byId("time").value !== END;
    const calls = isWithin && this.past ? callsById(this.past.items) : null;
    const places = { names: byId("names"), chart: byId("chart") };
    const cursor = isWithin && this.scale ? this.moment() : null;
    const toggle = (block) => {
      if (!this.toggled.delete(keyOf(block))) this.toggled.add(keyOf(block));
      this.draw();
    };
    this.scale = drawTimeline(places, times, { cursor, calls, isOpen: (block) => this.isOpen(block), toggle });
  }

  /** Whether the rows in a block are shown. A loop is one row until somebody opens it. */
  isOpen(block) {
    return (block.kind !== "foreach") !== this.toggled.has(keyOf(block));
  }

  /** Returns the time that the slider shows. */
  moment() {
    // A quick hand is at the slider before the timeline is drawn.
    if (!this.scale) this.draw();
    return this.scale.time((byId("time").value / END) * this.scale.width);
  }

  showMoment() {
    if (!this.record) return;
    this.past = null;
    if (this.isPast) {
      // A run as a whole is what was there before the next prompt.
      const next = this.record.runTimes()[this.run + 1];
      const isEnd = byId("time").value === END;
      this.past = this.record.until(isEnd && next ? next - 1e-6 : this.moment());
    }
    this.tellMoment();
    this.draw();
    this.show(this.past ?? this.record);
  }

  tellMoment() {
    const isPast = this.isPast && this.record !== null;
    const time = isPast && this.scale ? new Date(this.moment() * 1000).toLocaleTimeString() : "now";
    byId("at").textContent = time;
    byId("past").hidden = !isPast;
    byId("past-time").textContent = isPast ? `You see the conversation as it was at ${time}.` : "";
  }
}

const keyOf = ({ turn, id }) => `${turn} ${id}`;

function callsById(items, calls = new Map()) {
  for (const { id, kind, call } of items) {
    if (kind !== "call") continue;
    calls.set(id, call);
    callsById(call.items, calls);
  }
  return calls;
}

/** The value of the slider at the end of a run. */
const END = "1000";

/** The most seconds that a run is played. */
const LONGEST_PLAY = 30;
