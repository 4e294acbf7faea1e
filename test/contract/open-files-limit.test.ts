/**
 * The command line with limits for open files: the limit is named as the cause wherever it is reached, and nothing else
 * is blamed.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const CLI = resolve(import.meta.dirname, '../../dist/cli.js');
/** Limits around the number that Node itself needs, which differs between versions and systems. */
const LIMITS = Array.from({ length: 23 }, (_none, at) => 20 + at);
const NAMED = /lets the application open no more files/;

/** Standard error and exit code of `ls datasets`. */
function list(
  limit: number,
  dataDir: string,
  baseUrl: string,
): Promise<{ code: number | null; said: string }> {
  const script = `ulimit -n ${limit} && exec "$0" "$@"`;
  const command = [process.execPath, CLI, 'ls', 'datasets', '--base-url', baseUrl, '--data-dir', dataDir];
  const env = { ...process.env, SPANDECK_TOKEN: TOKEN, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const child = spawn('sh', ['-c', script, ...command], { env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdout.resume();
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle({ code, said }));
  });
}

test.skipIf(process.platform === 'win32')('the limit of open files is named as the cause', async () => {
  const raw = await RawService.start();
  const folder = temporaryFolder('open-files');
  try {
    const { baseUrl } = raw.service;
    expect(await list(1_000, folder.path, baseUrl)).toEqual({ code: 0, said: '' });
    let named = 0;
    for (const limit of LIMITS) {
      const { said } = await list(limit, folder.path, baseUrl);
      const own = said.split('\n').filter((line) => /^(error|not refreshed)/.test(line));
      for (const line of own) {
        named += 1;
        expect(line, `limit ${limit}`).toMatch(NAMED);
        expect(line, `limit ${limit}`).not.toMatch(
          /try again|Close other programs that use the data folder/i,
        );
      }
    }
    expect(named).toBeGreaterThan(0);
  } finally {
    folder.remove();
    await raw.service.stop();
  }
});
