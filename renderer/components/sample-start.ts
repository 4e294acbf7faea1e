/** The way from "the sample service is stopped" to starting it: given by the workbench, used where that is said. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('sample start');
type Start = () => Promise<void>;

/** Call while a component is made; what is below it can then ask for `sampleStart`. */
export function provideSampleStart(start: Start): void {
  setContext<Start>(KEY, start);
}

/** Null outside the workbench. */
export function sampleStart(): Start | null {
  return getContext<Start | undefined>(KEY) ?? null;
}
