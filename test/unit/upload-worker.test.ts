/** Threads that read files are reused, and do not affect each other. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { endSpareWorker, startUploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';

test('a released thread serves one user, and several calls of one turn are answered in order', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'a,b\n1,2\n');
  await startUploadWorker().release();
  const first = startUploadWorker();
  const second = startUploadWorker();
  try {
    const hashes = await Promise.all([1, 2, 3].map(() => first.call('hash', { path })));
    expect(new Set(hashes.map(({ sha256 }) => sha256)).size).toBe(1);
    await first.close();
    expect(await second.call('hash', { path })).toEqual(hashes[0]);
  } finally {
    await first.close();
    await second.close();
  }
});

test('a value that cannot be sent to the thread fails its call, and the next one succeeds', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'a\n');
  const thread = startUploadWorker();
  try {
    const wrong = { path, unknown: () => undefined } as { path: string };
    await expect(thread.call('hash', wrong)).rejects.toThrow();
    expect((await thread.call('hash', { path })).sha256).toHaveLength(64);
  } finally {
    await thread.close();
  }
});

test('an idle thread that is released serves the next user, and a busy one is ended', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'a\n');
  const first = startUploadWorker();
  const second = startUploadWorker();
  try {
    const { sha256 } = await first.call('hash', { path });
    await first.release();
    const next = startUploadWorker();
    expect(next).toBe(first);
    expect(await next.call('hash', { path })).toEqual({ sha256 });
    await next.release();
    const pending = second.call('hash', { path });
    await Promise.all([expect(pending).rejects.toMatchObject({ code: 'CANCELLED' }), second.release()]);
    expect([first.hasEnded, second.hasEnded]).toEqual([false, true]);
  } finally {
    await endSpareWorker();
    await second.close();
  }
  expect(first.hasEnded).toBe(true);
});

test('a program that only released a thread ends', () => {
  const file = pathToFileURL(resolve('electron/uploads/worker/worker-client.ts')).href;
  const code = `import { startUploadWorker } from ${JSON.stringify(file)}; startUploadWorker().release(); console.log('end');`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(out).toBe('end\n');
});
