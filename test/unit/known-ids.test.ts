/** Compares the event ids of an update with the ids in receipts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdCheck, KnownIds } from '../../electron/uploads/validate/known-ids.ts';

test('contains the added ids, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (added, asked) => {
      const known = new KnownIds();
      for (const id of added) known.add(id);
      const all = new Set(added);
      for (const id of [...added, ...asked]) expect(known.has(id)).toBe(all.has(id));
    }),
  );
});

test('distinguishes ids that differ in one character, at any number', () => {
  const known = new KnownIds();
  for (let at = 0; at < 50_000; at += 1) known.add(`event-${at * 2}`);
  const taken = Array.from({ length: 50_000 }, (_, at) => known.has(`event-${at * 2 + 1}`));
  expect(taken).not.toContain(true);
});

test('counts the ids that no receipt names, and lists the first ones with their lines', () => {
  const known = new KnownIds();
  known.add('a');
  const check = new IdCheck(known);
  for (const [at, id] of ['a', 'b', 'c', null, 'd', 'e'].entries()) check.add(id, at + 2);
  expect(check.notes()).toEqual([
    'No receipt kept on this computer names 4 of 5 event ids: “b” (line 3), “c” (line 4), “d” (line 6) and others. If these events were published elsewhere, send the update. Otherwise correct the ids, or publish these rows first.',
  ]);
});
