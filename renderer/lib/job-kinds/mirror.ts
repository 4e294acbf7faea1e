/** Mirrors for notebooks, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from '../format.ts';
import { type Mark, PAUSABLE, type ShownKind, unlessPlanned } from './shown-kind.ts';

const MARKS = {
  draft: { look: 'prepared', word: 'No folder chosen' },
  ready: { look: 'prepared', word: 'In preparation' },
  running: { look: 'running', word: 'Writing' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  done: { look: 'done', word: 'Mirrored' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
} as const satisfies Record<OwnOf<'mirror'>['state'], Mark>;

export const mirror: ShownKind<'mirror'> = {
  name: 'Mirror for notebooks',
  lead: 'Mirror in',
  isReading: true,
  // A mirror is done once everything that is stored was written, even if some rows are not stored.
  badge: (own) => unlessPlanned(own, MARKS[own.state]),
  progress,
  actions: PAUSABLE,
};

function progress({ state, rows, totalRows, result }: OwnOf<'mirror'>): string {
  if (state === 'done' && result !== null) return endedText(result);
  if (totalRows === null) return '';
  return `${formatNumber(rows)} of ${formatCount(totalRows, 'row')}`;
}

/** `12 tables with 1,204,000 rows; 12,000 rows written, the rest had not changed`. */
function endedText({
  tables,
  rows,
  rowsWritten,
  filesWritten,
  incompleteTables,
}: NonNullable<OwnOf<'mirror'>['result']>): string {
  const written =
    filesWritten === 0
      ? 'nothing had changed'
      : rowsWritten < rows
        ? `${formatCount(rowsWritten, 'row')} written, the rest had not changed`
        : 'all written';
  const missing =
    incompleteTables === 0
      ? ''
      : `. ${formatCount(incompleteTables, 'table')} lack rows of the service: the catalog says which`;
  return `${formatCount(tables, 'table')} with ${formatCount(rows, 'row')}; ${written}${missing.replace('1 table lack ', '1 table lacks ')}`;
}
