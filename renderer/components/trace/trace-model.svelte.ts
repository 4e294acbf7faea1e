/** What of a trace is open, and which span the cursor is on. It lives as long as its tab. */
export class TraceModel {
  closed = $state.raw<ReadonlySet<string>>(new Set());
  /** Key of the span under the cursor; null for the first. */
  cursor = $state<string | null>(null);
  /** Pixels from the top. */
  scrollTop = 0;

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
