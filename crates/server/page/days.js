// Groups the rows of the list: what is pinned, and then the days on which they were last used.

import { serverTime } from "./server.js";

/** Returns the groups of rows that are in the order of their last use: their names, and their rows. */
export function groups(rows, isPinned) {
  const found = new Map();
  const pinned = rows.filter(isPinned);
  if (pinned.length > 0) found.set("Pinned", pinned);
  const now = serverTime();
  for (const row of rows) {
    if (isPinned(row)) continue;
    const name = day(row.last, now);
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  return found;
}

/** Returns the name of the day of a time, or of the days or the month around it. Both are in seconds. */
function day(time, now) {
  if (!(time > 0)) return "Not begun";
  const midnight = new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY) return "Yesterday";
  if (time >= midnight - 7 * DAY) return "Last 7 days";
  if (time >= midnight - 30 * DAY) return "Last 30 days";
  return new Date(time * 1000).toLocaleDateString(undefined, { month: "long", year: "numeric" });
}

/** The conversations that a person has pinned in this browser. */
export class Pins {
  constructor() {
    try {
      this.ids = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    } catch {
      // A browser that keeps nothing for this page has no pins.
      this.ids = [];
    }
  }

  has(id) {
    return this.ids.includes(id);
  }

  toggle(id) {
    this.ids = this.has(id) ? this.ids.filter((one) => one !== id) : [...this.ids, id].slice(-MOST);
    try {
      localStorage.setItem(PLACE, JSON.stringify(this.ids));
    } catch {
      // It is pinned until the page is left.
    }
  }
}

const DAY = 24 * 3_600;
const PLACE = "pins";
const MOST = 100;
