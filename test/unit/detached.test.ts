/** Work that nothing awaits has a name, which appears in the log and in the notice if the work fails. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { detached, failureOf } from '../../electron/shared/detached.ts';

test('a failure reaches the handler of unhandled rejections with the name of the work and its cause', async () => {
  const cause = new RangeError('on purpose');
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const { promise, resolve } = Promise.withResolvers<unknown>();
  process.once('unhandledRejection', resolve);
  try {
    detached('ending an earlier query', Promise.reject(cause));
    expect(failureOf(await promise)).toEqual({ what: 'ending an earlier query', thrown: cause });
  } finally {
    for (const other of others) process.on('unhandledRejection', other);
  }
  expect(failureOf(cause)).toEqual({ what: 'background work', thrown: cause });
});

test('no promise of the main process is left without a name', () => {
  const folder = join(import.meta.dirname, '../../electron');
  const promises =
    /\bvoid [\w.#]+\([^)]*\)\.then\(|\bvoid ([\w#]+\.)*(terminate|end|cancel|endRun|loadURL|then)\(/;
  const unnamed = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => promises.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    );
  expect(unnamed).toEqual([]);
});
