/** Starts the stopped sample service from the message about it. Provided by the workbench. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('sample start');
type Start = () => Promise<void>;

/** Provides `sampleStart` to the components below. Must be called during component initialization. */
export function provideSampleStart(start: Start): void {
  setContext<Start>(KEY, start);
}

/** The function for starting the service; null outside the workbench. */
export function sampleStart(): Start | null {
  return getContext<Start | undefined>(KEY) ?? null;
}
