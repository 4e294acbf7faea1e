/** Checks the ids in the answer after items were added to a dataset (SERVICE.md S4.9). */
import type { OperationId } from '../api/endpoints.ts';
import { receiptProblem } from '../core/jobs/receipt-check.ts';
import type { AppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';

const addedItems = z.looseObject({ items: z.array(z.looseObject({ id: z.unknown().optional() })) });
const ids = z.array(z.string());

/** Why the answer is not a receipt of the sent items; null if it is, and for every other operation. */
export function itemReceiptProblem(operation: OperationId, body: unknown, answer: unknown): AppError | null {
  const sent = addedItems.safeParse(body);
  if (operation !== 'datasets.add-items' || !sent.success) return null;
  const { items } = sent.data;
  const own = ids.safeParse(items.map(({ id }) => id));
  const given = ids.safeParse(answer);
  return receiptProblem(given.success ? given.data : null, {
    thing: 'item',
    noun: 'item id',
    count: items.length,
    own: own.success ? own.data : null,
    isTaken: () => false,
  });
}
