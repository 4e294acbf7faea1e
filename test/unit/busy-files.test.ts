/** Files that another program locks for a short time. */
import { expect, test } from 'vitest';
import { WITH_RETRIES, whenFree, whenFreeLater } from '../../electron/shared/busy-files.ts';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

/** An operation that fails this many times and then succeeds. */
function held(times: number, code = 'EBUSY') {
  let left = times;
  const pauses: number[] = [];
  return {
    pauses,
    pause: (ms: number) => Promise.resolve(pauses.push(ms)),
    work: () => {
      left -= 1;
      if (left >= 0) throw failure(code);
      return 'renamed';
    },
  };
}

test.each(['EBUSY', 'EPERM', 'EACCES'])(
  'a file locked with %s is retried, with longer pauses',
  async (code) => {
    const now = held(3, code);
    expect(whenFree(now.work, now.pause)).toBe('renamed');
    expect(now.pauses).toEqual([10, 20, 40]);
    const later = held(3, code);
    expect(await whenFreeLater(async () => later.work(), later.pause)).toBe('renamed');
    expect(later.pauses).toEqual([10, 20, 40]);
  },
);

test('a file that stays locked, and any other failure, is reported unchanged', async () => {
  const forever = held(100);
  expect(() => whenFree(forever.work, forever.pause)).toThrow('EBUSY');
  expect(forever.pauses).toHaveLength(5);
  const gone = held(1, 'ENOENT');
  expect(() => whenFree(gone.work, gone.pause)).toThrow('ENOENT');
  expect(gone.pauses).toEqual([]);
  const full = held(1, 'ENOSPC');
  await expect(whenFreeLater(async () => full.work(), full.pause)).rejects.toThrow('ENOSPC');
});

test('the pause ends without a clock of its own', () => {
  expect(whenFree(held(1).work)).toBe('renamed');
});

test('every file and every folder is removed with these retries; only the logs are not worth the wait', () => {
  expect(WITH_RETRIES.maxRetries).toBeGreaterThan(0);
  const REMOVAL = /(?:whenFree(?:Later)?\(\(\) => )?(?<![.\w'])(?:rm|rmdir|unlink)(?:Sync)?\([^;]*/g;
  const removals = [...sourceFiles('electron')]
    .filter((file) => file !== 'electron/platform/logger.ts' && !file.startsWith('electron/sample-service/'))
    .filter((file) => /from 'node:fs/.test(textOf(file)))
    .flatMap((file) => [...textOf(file).matchAll(REMOVAL)].map(([call]) => `${file}: ${call}`));
  expect(removals.length).toBeGreaterThan(30);
  expect(removals.filter((call) => !/: whenFree|: rm(?:Sync)?\([^;]*\bWITH_RETRIES\)/.test(call))).toEqual(
    [],
  );
});

test('a file of the user or of a store is renamed with these retries; only the logs are not worth the wait', () => {
  const bare = [...sourceFiles('electron')]
    .filter((file) => file !== 'electron/platform/logger.ts' && !file.startsWith('electron/sample-service/'))
    .filter((file) => /from 'node:fs/.test(textOf(file)))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    )
    .filter(
      (line) =>
        /(?<![.\w'])rename(?:Sync)?\((?!context)/.test(line) && !/whenFree|function rename/.test(line),
    );
  expect(bare).toEqual([]);
});
