/** The way from a notice of a refused token to another try once one is accepted: given by the workbench, used by notices. */
import { getContext, setContext } from 'svelte';
import type { ErrorCode } from '../../electron/shared/errors.ts';

const KEY = Symbol('retry with token');
/** Tells what failed in a part and how to try again; answers how to take that back. */
type Note = (code: ErrorCode, retry: () => unknown) => () => void;

/** Call while a component is made; what is below it can then ask for `retryWithToken`. */
export function provideRetryWithToken(note: Note): void {
  setContext<Note>(KEY, note);
}

/** Null outside the workbench. */
export function retryWithToken(): Note | null {
  return getContext<Note | undefined>(KEY) ?? null;
}
