// Says whether the streams of the page are open. A short break is not worth a word.

/** Shows in an element whether all streams are open. */
export class ConnectionState {
  constructor(element) {
    this.element = element;
    this.closed = new Map();
  }

  /** Takes note of the state of a stream, and of the reason if the server said one. */
  set(stream, isOpen, why) {
    if (isOpen) this.closed.delete(stream);
    else this.closed.set(stream, why ?? this.closed.get(stream));
    if (this.closed.size === 0) {
      clearTimeout(this.timer);
      this.timer = null;
      this.element.textContent = "";
    } else if (this.element.textContent !== "") {
      this.show();
    } else {
      this.timer ??= setTimeout(() => this.show(), PATIENCE);
    }
  }

  show() {
    this.timer = null;
    const why = [...this.closed.values()].find((why) => why !== undefined);
    const text = `Connecting…${why ? ` (${why})` : ""}`;
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}

/** The milliseconds of a break that nobody needs to know of. */
const PATIENCE = 1_500;
