/** The way from a notice of what failed to the row of the request log: given by the workbench, used by notices. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('request link');
type Open = (requestId: string) => void;

/** Call while a component is made; what is below it can then ask for `requestLink`. */
export function provideRequestLink(open: Open): void {
  setContext<Open>(KEY, open);
}

/** Null where there is no log to go to, e.g. before there is a connection. */
export function requestLink(): Open | null {
  return getContext<Open | undefined>(KEY) ?? null;
}
