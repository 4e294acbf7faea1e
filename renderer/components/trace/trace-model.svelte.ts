/** Expanded parts and cursor of a trace. Exists as long as its tab. */
export class TraceModel {
  closed = $state.raw<ReadonlySet<string>>(new Set());
  /** Key of the span under the cursor; null for the first. */
  cursor = $state<string | null>(null);
  /** Key of the span from which the trace was opened: the cursor moves to it when it is loaded. */
  wanted = $state<string | null>(null);
  /** Pixels from the top. */
  scrollTop = 0;

  /** Moves to a span, wherever it is. */
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
