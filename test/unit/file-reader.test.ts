/** The thread that reads files for previews ends when its owner ends. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { createFileReader } from '../../electron/uploads/worker/file-reader.ts';
import { endSpareWorker, startUploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a preview that is being read ends with its owner, and no later one starts a thread', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, `id,name\n${'1,one\n'.repeat(400_000)}`);
  const reader = createFileReader(systemClock);
  const preview = reader.call('hash', { path });
  const ended = expect(preview).rejects.toMatchObject({ code: 'CANCELLED' });
  await reader.stop();
  await ended;
  await expect(reader.call('hash', { path })).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('a reader that was never used has nothing to stop', async () => {
  const reader = createFileReader(systemClock);
  await expect(reader.stop()).resolves.toBeUndefined();
});

test('a stop does not wait longer than two seconds for a thread that an unresponsive disk holds', async () => {
  const clock = new VirtualClock();
  let hasEnded = false;
  const never = () => new Promise<never>(() => undefined);
  const stuck = {
    ...{ call: never, close: never, release: never },
    get hasEnded() {
      return hasEnded;
    },
  };
  const reader = createFileReader(clock, () => stuck);
  reader.start();
  const stopped = reader.stop().then(() => {
    hasEnded = true;
  });
  await clock.advance(2_000);
  await stopped;
  expect(hasEnded).toBe(true);
});

test('its thread is handed on only while it is idle, and is ready for the next preview too', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'id\n1\n');
  let started = 0;
  const reader = createFileReader(systemClock, (options) => {
    started += 1;
    return startUploadWorker(options);
  });
  try {
    const first = reader.call('hash', { path });
    await reader.handOn();
    const { sha256 } = await first;
    expect(started).toBe(1);
    await reader.handOn();
    const next = startUploadWorker();
    expect(await next.call('hash', { path })).toEqual({ sha256 });
    await next.release();
    expect(await reader.call('hash', { path })).toEqual({ sha256 });
    expect(started).toBe(2);
    expect(next.hasEnded).toBe(false);
  } finally {
    await reader.stop();
    await endSpareWorker();
  }
});
