/** An answer that cannot be written to disk is kept in memory and written later. */
import { expect, test } from 'vitest';
import { writeDurably } from '../../electron/core/jobs/durable-write.ts';
import { readable } from '../../electron/core/readable.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

const full = () => new AppError('DISK_FULL', 'The disk is full.');

function writing(write: () => unknown) {
  const world = new VirtualWorld();
  const stop = new AbortController();
  const told: string[] = [];
  const onTrouble = ({ code }: AppError) => void told.push(code);
  const ended = writeDurably(write, { clock: world.process(), signal: stop.signal, onTrouble });
  return { world, stop, told, ended };
}

test('a write is tried again until the disk takes it, and each refusal is reported', async () => {
  let tries = 0;
  const { world, told, ended } = writing(() => {
    tries += 1;
    if (tries < 4) throw tries === 2 ? new AppError('STORE_FAILED', 'No.') : full();
  });
  await world.run(60_000);
  expect(await ended).toBe(true);
  expect(told).toEqual(['DISK_FULL', 'STORE_FAILED', 'DISK_FULL']);
});

test('a stop ends the tries and says that nothing was written', async () => {
  const { world, stop, told, ended } = writing(() => {
    throw full();
  });
  await world.run(500);
  stop.abort();
  expect(await ended).toBe(false);
  expect(told).toEqual(['DISK_FULL', 'DISK_FULL']);
});

test('an error that is not of the disk is thrown at once', async () => {
  const { told, ended } = writing(() => {
    throw new AppError('CONFLICT', 'Another process has it.');
  });
  await expect(ended).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(told).toEqual([]);
});

test('damaged rows are left out; any other error of a row ends the reading', () => {
  const read = (row: number) => {
    if (row === 2) throw new AppError('STORE_DAMAGED', 'This row cannot be read.');
    if (row === 9) throw full();
    return row * 10;
  };
  expect(readable([1, 2, 3], read)).toEqual([10, 30]);
  expect(() => readable([1, 9], read)).toThrow('The disk is full.');
});
