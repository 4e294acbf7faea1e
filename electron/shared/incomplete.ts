/** The message for a list with missing rows. Pure. */
import { AppError } from './errors.ts';

/** For a list that was read to its end but lacks rows: their number, or null if unknown. */
export function incompleteError({
  missingRows,
  rows,
}: {
  missingRows: number | null;
  rows: number;
}): AppError {
  const are = (count: number) => `${count} ${count === 1 ? 'row is' : 'rows are'}`;
  const what =
    missingRows === null
      ? `Rows are missing: the list changed each time it was read. ${are(rows)} stored.`
      : `${are(missingRows)} missing: the service states ${rows + missingRows} rows, and its pages brought ${rows}.`;
  return new AppError('INCOMPLETE', what, {
    nextStep: 'Read the list again, or ask for a part of it, such as a shorter time range.',
  });
}
