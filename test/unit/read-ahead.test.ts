/** Batches cut in advance are in the order of the file, and no row is missing between them. */
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
  const ask = (maxRows: number) => ahead.ask({ maxRows, maxBytes: 1_000_000 });
  return { ahead, asked, ask, heard: () => news };
}

function cut(rows: number, bytes = 10): CutBatch {
  const span = {
    ...{ firstRow: 1, lastRow: rows, rows, firstLine: 1, nextLine: rows + 1, byteStart: 0, byteEnd: rows },
    ...{ sha256: '', places: [], ownIds: null },
  };
  return { span, body: new Uint8Array(bytes) };
}

const askAll = ({ ahead, ask }: ReturnType<typeof open>): number => {
  let count = 0;
  for (; ahead.hasRoom && count < 100; count += 1) ask(10);
  return count;
};

test('the sizes of ready and requested batches are known, in the order of the file', async () => {
  const { ahead, asked, ask, heard } = open();
  for (const rows of [100, 99, 98]) ask(rows);
  asked[0]?.answer(cut(100));
  asked[1]?.answer(cut(97));
  await settled();
  expect(heard()).toBe(2);
  // The second one had fewer rows than the maximum.
  expect(ahead.sizes).toEqual([100, 97, 98]);
  expect(ahead.next()?.span.rows).toBe(100);
  expect(ahead.next()?.span.rows).toBe(97);
  expect(ahead.next()).toBeNull();
  expect(ahead.isOver).toBe(false);
  asked[2]?.answer(null);
  await settled();
  expect(ahead).toMatchObject({ isOver: true, hasRoom: false, sizes: [] });
});

test('batches cut before a failure are returned first; later ones are dropped, because rows would be missing', async () => {
  const { ahead, asked, ask } = open();
  for (const rows of [3, 2, 1]) ask(rows);
  asked[0]?.answer(cut(3));
  asked[1]?.fail(new AppError('FILE_CHANGED', 'It changed.'));
  asked[2]?.answer(cut(1));
  await settled();
  expect(ahead.hasRoom).toBe(false);
  expect(ahead.next()?.span.rows).toBe(3);
  expect(() => ahead.next()).toThrow('It changed.');
});

test('cuts at most six batches in advance, and only one if a body is or may be large', async () => {
  const opened = open();
  const { ahead, asked } = opened;
  expect(askAll(opened)).toBe(1);
  asked[0]?.answer(cut(10));
  await settled();
  expect(askAll(opened)).toBe(5);
  for (const { answer } of asked.slice(1)) answer(cut(10, 8_000_000));
  await settled();
  for (let taken = 0; taken < 6; taken += 1) {
    expect(ahead.hasRoom).toBe(false);
    ahead.next();
  }
  expect(askAll(opened)).toBe(1);
});
