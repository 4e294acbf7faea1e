/** Exports, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from '../format.ts';
import { inPart, type Mark, PAUSABLE, type ShownKind, unlessPlanned } from './shown-kind.ts';

const MARKS = {
  draft: { look: 'prepared', word: 'No file chosen' },
  ready: { look: 'prepared', word: 'In preparation' },
  running: { look: 'running', word: 'Exporting' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  done: { look: 'done', word: 'Exported' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
} as const satisfies Record<OwnOf<'export'>['state'], Mark>;

export const exportKind: ShownKind<'export'> = {
  name: 'Export',
  lead: 'Export of',
  isReading: true,
  badge: (own) => {
    const { state, rows, missingRows } = own;
    return unlessPlanned(own, inPart(MARKS[state], rows, missingRows === undefined ? 0 : 1));
  },
  progress,
  actions: PAUSABLE,
};

function progress({ state, step, rows, totalRows, file, missingRows }: OwnOf<'export'>): string {
  if (state === 'done') {
    const name = file?.split(/[\\/]/).at(-1) ?? '';
    if (missingRows !== undefined) return missingText(rows, missingRows, name);
    const skipped = (totalRows ?? rows) - rows;
    const left = skipped > 0 ? `, ${formatNumber(skipped)} skipped: the manifest says why` : '';
    return `${formatCount(rows, 'row')} written to ${name}${left}`;
  }
  if (rows === 0 && totalRows === null) return '';
  const of =
    totalRows === null
      ? formatCount(rows, 'row')
      : `${formatNumber(rows)} of ${formatCount(totalRows, 'row')}`;
  return `${of} ${step === 'reading' ? 'read' : 'written'}`;
}

/** `735 of 1,000 rows written to list.csv; 265 are missing. …` */
function missingText(rows: number, missing: number | null, file: string): string {
  const next = 'Export it again, or a part of it such as a shorter time range.';
  if (missing === null) return `${formatCount(rows, 'row')} written to ${file}; rows are missing. ${next}`;
  const are = `${formatNumber(missing)} ${missing === 1 ? 'is' : 'are'} missing`;
  return `${formatNumber(rows)} of ${formatCount(rows + missing, 'row')} written to ${file}; ${are}. ${next}`;
}
