/** Batches that are cut in advance keep the order of the file, and no row between them is missing. */
import { expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { ReadAhead } from '../../electron/uploads/read-ahead.ts';
import type { CutBatch } from '../../electron/uploads/worker/batch-producer.ts';
import type { WorkerOperations } from '../../electron/uploads/worker/worker-protocol.ts';
import { settled } from '../helpers/virtual-world.ts';

interface Asked {
  rows: number;
  answer: (cut: CutBatch | null) => void;
  fail: (problem: AppError) => void;
}

function open() {
  const asked: Asked[] = [];
  let news = 0;
  const call = (_operation: string, { limits }: WorkerOperations['next']['input']) =>
    new Promise<CutBatch | null>((answer, fail) => asked.push({ rows: limits.maxRows, answer, fail }));
  const ahead = new ReadAhead({
    call: call as ConstructorParameters<typeof ReadAhead>[0]['call'],
    onNews: () => {
      news += 1;
    },
  });
  /** Requests batches of these sizes as long as there is room. Returns how many were requested. */
  const fill = (rows: readonly number[]): number => {
    const left = [...rows];
    ahead.fill(() => {
      const maxRows = left.shift();
      return maxRows === undefined ? null : { maxRows, maxBytes: 1_000_000 };
    });
    return rows.length - left.length;
  };
  return { ahead, asked, fill, heard: () => news };
}

function cut(rows: number, bytes = 10): CutBatch {
  const span = {
    ...{ firstRow: 1, lastRow: rows, rows, firstLine: 1, nextLine: rows + 1, byteStart: 0, byteEnd: rows },
    ...{ sha256: '', places: [], ownIds: null },
  };
  return { span, body: new Uint8Array(bytes) };
}

const MANY: readonly number[] = Array<number>(100).fill(10);

/** The first batch is requested alone, because the size of a body is not known before. */
async function start(rows: readonly number[]) {
  const opened = open();
  expect(opened.fill(rows)).toBe(1);
  opened.asked[0]?.answer(cut(rows[0] ?? 0));
  await settled();
  opened.fill(rows.slice(1));
  return opened;
}

test('the sizes of ready and requested batches are known, in the order of the file', async () => {
  const { ahead, asked, heard } = await start([100, 99, 98]);
  asked[1]?.answer(cut(97));
  await settled();
  expect(heard()).toBe(2);
  // The second batch had fewer rows than the maximum.
  expect(ahead.sizes).toEqual([100, 97, 98]);
  expect(ahead.next()?.span.rows).toBe(100);
  expect(ahead.next()?.span.rows).toBe(97);
  expect(ahead.next()).toBeNull();
  expect(ahead.isOver).toBe(false);
  asked[2]?.answer(null);
  await settled();
  expect(ahead).toMatchObject({ isOver: true, sizes: [] });
});

test('batches cut before a failure are returned first; later ones are dropped, because rows would be missing', async () => {
  const { ahead, asked, fill } = await start([3, 2, 1]);
  asked[1]?.fail(new AppError('FILE_CHANGED', 'It changed.'));
  asked[2]?.answer(cut(1));
  await settled();
  expect(fill(MANY)).toBe(0);
  expect(ahead.next()?.span.rows).toBe(3);
  expect(() => ahead.next()).toThrow('It changed.');
});

test('cuts at most eight batches in advance, requests more once half of them are taken, and one at a time if a body is or may be large', async () => {
  const { ahead, asked, fill } = open();
  expect(fill(MANY)).toBe(1);
  asked[0]?.answer(cut(10));
  await settled();
  expect(fill(MANY)).toBe(7);
  for (const { answer } of asked.slice(1)) answer(cut(10));
  await settled();
  for (let taken = 0; taken < 3; taken += 1) {
    ahead.next();
    expect(fill(MANY)).toBe(0);
  }
  ahead.next();
  expect(fill(MANY)).toBe(4);
  for (const { answer } of asked.slice(8)) answer(cut(10, 8_000_000));
  await settled();
  for (let taken = 0; taken < 8; taken += 1) {
    expect(fill(MANY)).toBe(0);
    ahead.next();
  }
  expect(fill(MANY)).toBe(1);
});
