/** Expanded parts and cursor of a trace. It exists as long as its tab. */
export class TraceModel {
  closed = $state.raw<ReadonlySet<string>>(new Set());
  /** Key of the span with the cursor; null for the first span. */
  cursor = $state<string | null>(null);
  /** Key of the span from which the trace was opened. The cursor moves to it when it is loaded. */
  wanted = $state<string | null>(null);
  /** Scroll position in pixels from the top. */
  scrollTop = 0;

  /** Moves the cursor to a span, wherever the span is in the tree. */
  goTo(key: string): void {
    this.closed = new Set();
    this.wanted = key;
  }

  toggle(key: string): void {
    if (this.closed.has(key)) this.open(key);
    else this.close(key);
  }

  open(key: string): void {
    this.closed = new Set([...this.closed].filter((each) => each !== key));
  }

  close(key: string): void {
    this.closed = new Set([...this.closed, key]);
  }
}
