/** The message for a list with missing rows. Pure. */
import { AppError } from './errors.ts';

/**
 * The message for a list that was read to its end but lacks rows: their number, or null if unknown. `isPart`: only a
 * part of the list was asked for, and nobody knows how many of the missing rows belong to it.
 */
export function incompleteError({
  missingRows,
  rows,
  isPart = false,
}: {
  missingRows: number | null;
  rows: number;
  isPart?: boolean;
}): AppError {
  const are = (count: number) => `${count} ${count === 1 ? 'row is' : 'rows are'}`;
  const what = isPart
    ? `Rows of the list are missing, and nobody knows how many belong to this part. ${are(rows)} stored.`
    : missingRows === null
      ? `Rows are missing: the list changed each time it was read. ${are(rows)} stored.`
      : `${are(missingRows)} missing: the service states ${rows + missingRows} rows, and its pages brought ${rows}.`;
  return new AppError('INCOMPLETE', what, {
    nextStep: 'Read the list again, or ask for a part of it, such as a shorter time range.',
  });
}
