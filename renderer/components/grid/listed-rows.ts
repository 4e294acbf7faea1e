import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { AppError } from '../../../electron/shared/errors.ts';
import type { Freshness, ListQuery } from '../../../electron/shared/model.ts';
import { isExpression } from '../../../electron/shared/text-filter.ts';
import type { ProfiledList } from '../../state/list-profile.svelte.ts';
import type { RowSource } from './row-source.ts';

/** The part of a ListModel that its grid and its tools use. */
export interface ListedRows extends RowSource {
  readonly phase: 'closed' | 'opening' | 'ready' | 'failed';
  readonly freshness: Freshness | null;
  readonly error: AppError | null;
  readonly textFilterError: AppError | null;
  readonly narrow: string;
  readonly isPlain: boolean;
  /** Whether each row stands for several stored rows. */
  readonly isGrouped?: boolean;
  /** Whether the list was read and has no rows. */
  readonly isKnownEmpty?: boolean;
  setTextFilter(text: string): void;
  /** The query of the list, for lists with column profiles. */
  readonly query?: ListQuery | null;
  readonly profiles?: ProfiledList | null;
  readonly filters?: readonly ColumnFilter[];
  readonly filterError?: AppError | null;
  setFilters?(filters: readonly ColumnFilter[]): void;
}

/** The search of a list at the service. */
export interface ServiceSearch {
  /** The text that is searched for; empty if there is no search. */
  readonly text: string;
  readonly run: (text: string) => void;
}

/**
 * The text of the find box as a search at the service. Empty if the text is a valid regular expression, which filters
 * the stored rows.
 */
export function searchedText({
  narrow,
  textFilterError,
}: Pick<ListedRows, 'narrow' | 'textFilterError'>): string {
  const text = narrow.trim();
  return isExpression(text) && textFilterError === null ? '' : text;
}
