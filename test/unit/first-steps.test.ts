/** The first steps on Home: stored state, chosen answers, marked cells of a file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answersOf, digitOf, glanceOf, readSteps } from '../../renderer/lib/first-steps.ts';
import { FirstSteps } from '../../renderer/state/first-steps.svelte.ts';

const DAY = 86_400_000;

function memory(kept: Record<string, unknown> = {}) {
  return {
    kept,
    get: (key: string) => kept[key],
    set: (key: string, value: unknown) => {
      kept[key] = value;
    },
  };
}

describe('the stored state', () => {
  test('is read from any stored value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { done, isClosed, endMs } = readSteps(value);
        expect(done.every((each) => typeof each === 'string')).toBe(true);
        expect(typeof isClosed).toBe('boolean');
        expect(endMs === null || Number.isFinite(endMs)).toBe(true);
        expect(readSteps({ done, isClosed, endMs })).toEqual({ done, isClosed, endMs });
      }),
    );
  });

  test('ends the steps of its connection, in any order, also after a restart', () => {
    const kept = memory();
    const start = () => new FirstSteps(kept, { isSample: true, isFirstVisit: false });
    const steps = start();
    for (const step of ['file', 'trace'] as const) steps.finish(step);
    steps.finish('file');
    expect([steps.isShown, start().isShown]).toEqual([true, true]);
    expect(start().isDone('dataset')).toBe(false);
    steps.finish('dataset');
    expect([steps.isShown, start().isShown]).toEqual([false, false]);
  });

  test('closing and opening them again is stored', () => {
    const kept = memory();
    const steps = new FirstSteps(kept, { isSample: true, isFirstVisit: true });
    steps.setClosed(true);
    expect(new FirstSteps(kept, { isSample: true, isFirstVisit: false }).isShown).toBe(false);
    steps.setClosed(false);
    expect(steps.isShown).toBe(true);
  });

  test('the user’s own service shows the steps from its first visit on, and an older one does not', () => {
    const kept = memory();
    expect(new FirstSteps(kept, { isSample: false, isFirstVisit: true }).isShown).toBe(true);
    expect(new FirstSteps(kept, { isSample: false, isFirstVisit: false }).isShown).toBe(true);
    expect(new FirstSteps(memory(), { isSample: false, isFirstVisit: false }).isShown).toBe(false);
  });

  test('the shown range stays for a day, and longer while nothing can be read', () => {
    const steps = new FirstSteps(memory(), { isSample: true, isFirstVisit: true });
    expect(steps.endOf(10 * DAY, true)).toBe(10 * DAY);
    expect(steps.endOf(11 * DAY - 1, true)).toBe(10 * DAY);
    expect(steps.endOf(15 * DAY, false)).toBe(10 * DAY);
    expect(steps.endOf(15 * DAY, true)).toBe(15 * DAY);
    // The clock of the computer was set back.
    expect(steps.endOf(3 * DAY, true)).toBe(3 * DAY);
  });
});

test('the number keys count without a modifier only', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  expect(digitOf({ ...none, key: '3' })).toBe(3);
  for (const key of ['0', 'a', '10', 'Enter']) expect(digitOf({ ...none, key })).toBeNull();
  for (const change of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { shiftKey: true }])
    expect(digitOf({ ...none, ...change, key: '3' })).toBeNull();
});

test('answers have different questions, and failed or empty ones are left out', () => {
  const span = (input: unknown, output: unknown, status = 'OK') => ({ input, output, status_code: status });
  const rows = [
    span('What is it about?', 'refund'),
    span('Where is it?', 'On its  way to you.\n'),
    span('Where is it?', 'Again.'),
    span('Why?', ''),
    span('Who?', 'Me.', 'ERROR'),
    span(null, 'Nobody asked.'),
    span('When?', 'It comes in two days.'),
    span('How?', 'It is sent by post.'),
  ];
  expect(answersOf(rows, 2).map(({ input, output }) => [input, output])).toEqual([
    ['Where is it?', 'On its way to you.'],
    ['When?', 'It comes in two days.'],
  ]);
  expect(answersOf(rows, 9).map(({ output }) => output)).toEqual([
    'On its way to you.',
    'It comes in two days.',
    'It is sent by post.',
    'refund',
  ]);
  expect(answersOf([], 5)).toEqual([]);
});

describe('the picture of a file', () => {
  const columnOf = (name: string) => ({ name, type: 'str' as const, emptyCount: 0, samples: [] });
  const file = (names: readonly string[], rows: readonly (string | null)[][]) => ({
    columns: names.map(columnOf),
    head: rows.map((cells, at) => ({ line: at + 2, byteOffset: at, cells })),
  });

  test('marks a text among numbers, and a value that occurs once, in the columns that have them', () => {
    const rows = Array.from({ length: 20 }, (_, at) => [
      `id-${at}`,
      at === 1 ? 'forty' : at === 5 ? null : String(at),
      at === 2 ? 'Frankreich' : at % 2 === 0 ? 'France' : 'Spain',
      String(at / 2),
    ]);
    const glance = glanceOf(file(['id', 'Age', 'Geography', 'Share'], rows), { columns: 3, rows: 4 });
    expect(glance.columns).toEqual([
      { name: 'id', isNumber: false },
      { name: 'Age', isNumber: true },
      { name: 'Geography', isNumber: false },
    ]);
    const marked = glance.rows.flatMap((cells, row) =>
      cells.flatMap(({ text, mark }) => (mark === null ? [] : [{ row, text, mark }])),
    );
    expect(marked).toEqual([
      { row: 1, text: 'forty', mark: 'bad' },
      { row: 2, text: 'Frankreich', mark: 'unusual' },
    ]);
  });

  test('has at most the asked columns and rows, whatever the file has', () => {
    const cell = fc.option(fc.string({ maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 8 }), (rows) => {
        const glance = glanceOf(file(['a', 'b', 'c', 'd'], rows), { columns: 3, rows: 4 });
        expect(glance.columns).toHaveLength(3);
        expect(glance.rows).toHaveLength(Math.min(4, rows.length));
        for (const row of glance.rows) expect(row).toHaveLength(3);
      }),
    );
  });
});
