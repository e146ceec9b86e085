// Places times on a line. A long time in which everything waited takes little of it.

/** A scale from times to places between 0 and `width`. */
export class TimeScale {
  constructor({ begun, end, active }, width) {
    this.width = width;
    const all = Math.max(end - begun, 0.001);
    const gaps = [];
    active.slice(1).forEach(([from], at) => {
      const before = active[at][1];
      if (from - before > Math.max(LONG, all / 4)) gaps.push([before, from]);
    });
    const cut = gaps.reduce((sum, [from, to]) => sum + to - from, 0);
    const shown = (all - cut) * (1 + gaps.length * GAP);
    /** Pieces of the line: times, places, and whether it is a gap. */
    this.pieces = [];
    let [time, place] = [begun, 0];
    const piece = (until, length, isGap) => {
      const next = place + (length / Math.max(shown, 0.001)) * width;
      this.pieces.push({ from: time, to: until, left: place, right: next, isGap });
      [time, place] = [until, next];
    };
    for (const [from, to] of gaps) {
      piece(from, from - time, false);
      piece(to, (all - cut) * GAP, true);
    }
    piece(begun + all, begun + all - time, false);
  }

  place(time) {
    const piece = this.pieces.find(({ to }) => time <= to) ?? this.pieces.at(-1);
    const part = (time - piece.from) / Math.max(piece.to - piece.from, 1e-9);
    return piece.left + Math.min(Math.max(part, 0), 1) * (piece.right - piece.left);
  }

  time(place) {
    const piece = this.pieces.find(({ right }) => place <= right) ?? this.pieces.at(-1);
    const part = (place - piece.left) / Math.max(piece.right - piece.left, 1e-9);
    return piece.from + Math.min(Math.max(part, 0), 1) * (piece.to - piece.from);
  }

  /** Returns the times of marks that are easy to read, at least `apart` places from each other. */
  marks(apart) {
    const [{ from: begun }] = this.pieces;
    const seconds = this.pieces.reduce((sum, { from, to, isGap }) => sum + (isGap ? 0 : to - from), 0);
    const step = STEPS.find((step) => (step / seconds) * this.width >= apart) ?? 86_400;
    const marks = [];
    for (const { from, to, isGap } of this.pieces) {
      if (isGap) continue;
      for (let n = Math.ceil((from - begun) / step - 1e-9); n * step <= to - begun + 1e-9; n += 1) marks.push(begun + n * step);
    }
    return marks.filter((mark, at) => at === 0 || this.place(mark) - this.place(marks[at - 1]) >= apart / 2);
  }

  get gaps() {
    return this.pieces.filter(({ isGap }) => isGap);
  }
}

/** The seconds from which on nothing is shown as a gap. */
const LONG = 5;

/** The part of the line that a gap takes. */
const GAP = 0.06;

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800];
