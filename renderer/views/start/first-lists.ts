/** The state of the lists that the pictures of the first steps are drawn from. */
import type { AppError, WireError } from '../../../electron/shared/errors.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';

/** The reason why a list shows nothing newer; null if nothing failed. */
export const failureOf = ({ error, freshness }: ListModel): AppError | WireError | null =>
  error ?? (freshness?.refresh.phase === 'failed' ? freshness.refresh.error : null);

/** Whether the list was read and has no rows. A list that could not be read has no rows either, but is not empty. */
export const isEmpty = (list: ListModel): boolean =>
  list.isKnownEmpty && list.freshness?.source !== 'none' && failureOf(list) === null;

/** Whether the first rows were read, or cannot be read at present. */
export const isSettled = (list: ListModel): boolean =>
  list.sample(1).length > 0 || isEmpty(list) || failureOf(list) !== null;

/** Whether the error only means that nothing is stored and nothing can be read at present. */
export const isNotStored = ({ code }: Pick<WireError, 'code'>): boolean =>
  code === 'OFFLINE' || code === 'NOT_STORED';
