/** Opens the row of a failed request in the log from its error message. Provided by the workbench, used by messages. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('request link');
type Open = (requestId: string) => void;

/** Provides `requestLink` to the components below. Must be called during component initialization. */
export function provideRequestLink(open: Open): void {
  setContext<Open>(KEY, open);
}

/** The function for opening a request; null if there is no log, e.g. without a connection. */
export function requestLink(): Open | null {
  return getContext<Open | undefined>(KEY) ?? null;
}
