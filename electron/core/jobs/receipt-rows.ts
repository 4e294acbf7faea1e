/** Lists the result of each row of an upload, from the receipts of its batches. Pure. */

interface ReceivedBatch {
  part: {
    /** Batch number, counted from 0. */
    batch: number;
    /** Runs of consecutive rows: first row, first line, number of rows. */
    places: readonly (readonly [number, number, number])[];
  };
  receipt: { eventIds: readonly string[] | null; looseIds: readonly string[] } | null;
}

interface UploadReceipt {
  row: number | null;
  line: number | null;
  batch: number;
  eventId: string | null;
}

/**
 * One entry for each acknowledged row. The entry has no id if a person's decision replaces a lost answer. Batches are
 * numbered from 1, as in the views. Ids that cannot be assigned to a row have neither row nor line.
 */
export function* eachReceipt(batches: Iterable<ReceivedBatch>): Generator<UploadReceipt> {
  for (const { part, receipt } of batches) {
    const batch = part.batch + 1;
    let index = 0;
    for (const [firstRow, firstLine, rows] of part.places) {
      for (let at = 0; at < rows; at += 1) {
        const eventId = receipt?.eventIds?.[index] ?? null;
        index += 1;
        yield { row: firstRow + at, line: firstLine + at, batch, eventId };
      }
    }
    for (const eventId of receipt?.looseIds ?? []) yield { row: null, line: null, batch, eventId };
  }
}
