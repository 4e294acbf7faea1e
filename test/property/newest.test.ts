/** Answers and events that overtake each other: the window ends in the state that the main process read last. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventSequence } from '../../electron/shared/event-sequence.ts';
import { Newest } from '../../renderer/state/newest.ts';
import { runs } from '../helpers/runs.ts';

interface Row {
  id: string;
  version: number;
}
type Message = { seq: number } & ({ row: Row } | { list: Row[] } | { ended: string });

const id = fc.constantFrom('a', 'b', 'c');
/** A step in the main process. `wait`: number of steps until a read is done and its answer is sent. */
const step = fc.oneof(
  fc.record({ does: fc.constant('change' as const), id }),
  fc.record({ does: fc.constant('remove' as const), id }),
  fc.record({ does: fc.constantFrom('read-row' as const, 'read-list' as const), id, wait: fc.nat(4) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The main process during the steps: rows change, with an event each, and requests are read later. */
function happen(steps: readonly Step[]): { messages: Message[]; rows: Map<string, Row> } {
  const order = new EventSequence();
  const rows = new Map<string, Row>();
  const removed = new Set<string>();
  const messages: Message[] = [];
  const waiting: { at: number; read: () => void }[] = [];
  steps.forEach((each, now) => {
    for (const { read } of waiting.filter(({ at }) => at === now)) read();
    if (each.does === 'change' && !removed.has(each.id)) {
      const row = { id: each.id, version: now };
      rows.set(each.id, row);
      messages.push({ seq: order.next(), row });
    } else if (each.does === 'remove') {
      rows.delete(each.id);
      removed.add(each.id);
      messages.push({ seq: order.next(), ended: each.id });
    } else if (each.does === 'read-row' || each.does === 'read-list') {
      const seq = order.next();
      const read = () => {
        if (each.does === 'read-list') messages.push({ seq, list: [...rows.values()] });
        const row = rows.get(each.id);
        if (each.does === 'read-row' && row !== undefined) messages.push({ seq, row });
      };
      waiting.push({ at: now + each.wait, read });
    }
  });
  for (const { at, read } of waiting) if (at >= steps.length) read();
  return { messages, rows };
}

function show(messages: readonly Message[]): Row[] {
  const newest = new Newest();
  let shown: readonly Row[] = [];
  for (const message of messages) {
    if ('list' in message) shown = newest.merge(message.list, message.seq, shown, (row) => row.id);
    else if ('ended' in message) {
      newest.end(message.ended);
      shown = shown.filter((row) => row.id !== message.ended);
    } else if (newest.takes(message.seq, message.row.id))
      shown = [message.row, ...shown.filter((row) => row.id !== message.row.id)];
  }
  return shown.toSorted((a, b) => a.id.localeCompare(b.id));
}

const happened = fc
  .array(step, { maxLength: 25 })
  .map(happen)
  .chain(({ messages, rows }) =>
    fc.record({
      rows: fc.constant([...rows.values()].toSorted((a, b) => a.id.localeCompare(b.id))),
      messages: fc.shuffledSubarray(messages, { minLength: messages.length }),
    }),
  );

test('for any order of messages, the window ends with the state of main', () => {
  fc.assert(
    fc.property(happened, ({ messages, rows }) => {
      expect(show(messages)).toEqual(rows);
    }),
    { numRuns: runs(3_000) },
  );
});

test('for one value, the one with the highest number is shown last', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { minLength: 1 }), (seqs) => {
      const newest = new Newest();
      const taken = seqs.filter((seq) => newest.takes(seq));
      expect(taken.at(-1)).toBe(Math.max(...seqs));
      expect(taken).toEqual(taken.toSorted((a, b) => a - b));
    }),
    { numRuns: runs(1_000) },
  );
});
