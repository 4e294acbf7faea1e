/** Two changes of the same records at once: the later one is rejected, even while the earlier one makes progress. */
import { expect, test } from 'vitest';
import { SameRecords } from '../../electron/bulk/same-records.ts';
import type { BulkPart } from '../../electron/db/bulk-store.ts';

const PARTS = 1_000;

test('records are found in the last requests of a change whose first ones end meanwhile', async () => {
  const parts: Pick<BulkPart, 'part' | 'state' | 'records'>[] = Array.from({ length: PARTS }, (_, part) => ({
    ...{ part, state: 'waiting' },
    records: [{ id: `record ${part}`, name: '' }],
  }));
  const list = (_id: string, states: readonly string[] | null, offset: number, limit: number) => {
    const found = parts.filter(({ state }) => states?.includes(state) ?? true).slice(offset, offset + limit);
    for (const part of parts.filter(({ state }) => state === 'waiting').slice(0, 150)) part.state = 'done';
    return found;
  };
  const deps = {
    store: {
      bulk: { list: () => [{ id: 'earlier', state: 'running', words: { title: 'Delete baselines' } }] },
      bulkParts: { list },
    },
    clock: { monotonicMs: () => 0 },
    isBusy: () => true,
  };
  const last = { id: `record ${PARTS - 1}`, name: '' };
  const same = new SameRecords(deps as unknown as ConstructorParameters<typeof SameRecords>[0], [last.id]);
  await expect(same.check()).rejects.toMatchObject({ code: 'CONFLICT' });
});
