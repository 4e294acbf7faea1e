import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { AppError } from '../../../electron/shared/errors.ts';
import type { Freshness, ListQuery } from '../../../electron/shared/model.ts';
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
  setTextFilter(text: string): void;
  /** For lists with column profiles. */
  readonly query?: ListQuery | null;
  readonly profiles?: ProfiledList | null;
  readonly filters?: readonly ColumnFilter[];
  readonly filterError?: AppError | null;
  setFilters?(filters: readonly ColumnFilter[]): void;
}
