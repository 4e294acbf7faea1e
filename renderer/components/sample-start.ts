/** Starts the stopped sample service from its notice: provided by the workbench. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('sample start');
type Start = () => Promise<void>;

/** Call during component initialization; components below can then call `sampleStart`. */
export function provideSampleStart(start: Start): void {
  setContext<Start>(KEY, start);
}

/** Null outside the workbench. */
export function sampleStart(): Start | null {
  return getContext<Start | undefined>(KEY) ?? null;
}
