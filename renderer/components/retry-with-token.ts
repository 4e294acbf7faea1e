/**
 * Retries a request that failed because of the token when a token is accepted. Provided by the workbench, used by error
 * messages.
 */
import { getContext, setContext } from 'svelte';
import type { ErrorCode } from '../../electron/shared/errors.ts';

const KEY = Symbol('retry with token');
/** Registers a failure in a part of a view, and how to retry. Returns a function that unregisters it. */
type Note = (code: ErrorCode, retry: () => unknown) => () => void;

/** Provides `retryWithToken` to the components below. Must be called during component initialization. */
export function provideRetryWithToken(note: Note): void {
  setContext<Note>(KEY, note);
}

/** The function for registering a failure; null outside the workbench. */
export function retryWithToken(): Note | null {
  return getContext<Note | undefined>(KEY) ?? null;
}
