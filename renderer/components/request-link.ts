/** Opens the log row of a failed request from its error notice: provided by the workbench, used by notices. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('request link');
type Open = (requestId: string) => void;

/** Call during component initialization; components below can then call `requestLink`. */
export function provideRequestLink(open: Open): void {
  setContext<Open>(KEY, open);
}

/** Null if there is no log, e.g. without a connection. */
export function requestLink(): Open | null {
  return getContext<Open | undefined>(KEY) ?? null;
}
