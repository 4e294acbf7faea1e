/** What of a trace is open, and which span the cursor is on. It lives as long as its tab. */
export class TraceModel {
  closed = $state.raw<ReadonlySet<string>>(new Set());
  /** Key of the span under the cursor; null for the first. */
  cursor = $state<string | null>(null);
  /** Key of the span that somebody came from: the cursor goes there once it is read. */
  wanted = $state<string | null>(null);
  /** Pixels from the top. */
  scrollTop = 0;

  /** To a span, wherever it is. */
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
