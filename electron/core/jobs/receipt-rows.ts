/** What became of each row of an upload, by the receipts of its batches. Pure. */

interface ReceivedBatch {
  part: {
    /** From 0 on. */
    batch: number;
    /** Stretches of rows that follow each other: first row, first line, rows. */
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
 * One for each acknowledged row; there is no id where a decision stands in for a lost answer. Batches are numbered from
 * 1, as views show them. Ids that came and belong to no row for certain have neither row nor line.
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
