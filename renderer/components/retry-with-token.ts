/** Retries after a rejected token when a token is accepted: provided by the workbench, used by notices. */
import { getContext, setContext } from 'svelte';
import type { ErrorCode } from '../../electron/shared/errors.ts';

const KEY = Symbol('retry with token');
/** Registers a failure in a part and how to retry; returns a function that unregisters it. */
type Note = (code: ErrorCode, retry: () => unknown) => () => void;

/** Call during component initialization; components below can then call `retryWithToken`. */
export function provideRetryWithToken(note: Note): void {
  setContext<Note>(KEY, note);
}

/** Null outside the workbench. */
export function retryWithToken(): Note | null {
  return getContext<Note | undefined>(KEY) ?? null;
}
