/** If Electron is missing, the short `npm test` skips its Electron part, and the full one fails. */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { collect } from '../../build/collect.ts';

test.each([
  {
    words: ['electron', 'short'],
    code: 0,
    says: 'skipped electron: Expected Electron',
    counts: '0 passed, 0 failed, 1 skipped',
  },
  { words: ['electron'], code: 1, says: 'FAILED  electron: Expected Electron', counts: '0 passed, 1 failed' },
])(
  'npm test -- $words without Electron ends with code $code and names the reason',
  async ({ words, code, says, counts }) => {
    const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: tmpdir() };
    const run = await collect(process.execPath, ['build/test.ts', ...words], { env, limitMs: 60_000 });
    expect(run.code).toBe(code);
    expect(run.text).toContain(says);
    expect(run.text).toContain(counts);
  },
);
