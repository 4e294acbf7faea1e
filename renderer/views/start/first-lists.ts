/** The state of the lists from which the pictures of the first steps are drawn. */
import type { AppError, WireError } from '../../../electron/shared/errors.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';

/** Why a list has nothing newer to show; null if nothing failed. */
export const failureOf = ({ error, freshness }: ListModel): AppError | WireError | null =>
  error ?? (freshness?.refresh.phase === 'failed' ? freshness.refresh.error : null);

/** Whether it was read and has no rows: a list that could not be read has none either. */
export const isEmpty = (list: ListModel): boolean =>
  list.isKnownEmpty && list.freshness?.source !== 'none' && failureOf(list) === null;

/** Whether its first rows were read, or cannot be read at present. */
export const isSettled = (list: ListModel): boolean =>
  list.sample(1).length > 0 || isEmpty(list) || failureOf(list) !== null;

/** Not a failure: there is nothing stored, and nothing can be read at present. */
export const isNotStored = ({ code }: Pick<WireError, 'code'>): boolean =>
  code === 'OFFLINE' || code === 'NOT_STORED';
