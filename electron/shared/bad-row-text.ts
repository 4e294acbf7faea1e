/** How a row that cannot be sent is named in a sentence. */
import type { BadRow } from './upload-model.ts';
import type { LedgerOmission } from './value-ledger.ts';

type Named = Pick<BadRow, 'line' | 'column' | 'value' | 'reason'>;

/**
 * Cause as text, e.g. `amount “abc”: Expected a number.`: the column and the value, as far as they are known, and the
 * reason.
 */
function causeText({ column, value, reason }: Omit<Named, 'line'>): string {
  if (column === null) return reason;
  return `${column}${value === null ? '' : ` “${value}”`}: ${reason}`;
}

/** A bad row as text, e.g. `line 2, amount “abc”: Expected a number.` */
export function badRowText(bad: Named): string {
  return `line ${bad.line}${bad.column === null ? ': ' : ', '}${causeText(bad)}`;
}

/** The rows of a file that are not sent, with the first of them. */
export function badRowsOmission(count: number, first: Named | null): LedgerOmission {
  const why = first === null ? '' : `, such as the first: ${causeText(first).replace(/\.$/, '')}`;
  const reason = `they cannot be sent as they are${why}`;
  return { ...{ kind: 'row', name: '', count }, reason, line: first?.line ?? null };
}
