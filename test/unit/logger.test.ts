import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createFileLogger, maskSecrets } from '../../electron/platform/logger.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';

const later = cleanUpAfterEach();
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'spandeck-log-'));
  later(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a registered token and every bearer credential are masked', () => {
  const log = createFileLogger(folder(), systemClock);
  log.redact('fid_0123456789');
  log.info('sent', {
    header: 'Authorization: Bearer abc.def',
    note: 'token fid_0123456789 again fid_0123456789',
  });
  log.flushSync();
  const text = readFileSync(log.file, 'utf8');
  expect(text).not.toContain('fid_0123456789');
  expect(text).not.toContain('abc.def');
  expect(JSON.parse(text)).toMatchObject({ level: 'info', message: 'sent' });
});

test('a very short secret does not mask ordinary words', () => {
  expect(maskSecrets('{"message":"open"}', [])).toBe('{"message":"open"}');
});

test('a full file is rotated and at most four files are kept', async () => {
  const dir = folder();
  const log = createFileLogger(dir, systemClock);
  for (let round = 0; round < 6; round += 1) {
    writeFileSync(log.file, 'x'.repeat(1_000_001));
    log.info('next');
    await log.flush();
  }
  expect(readdirSync(dir).sort()).toEqual([
    'spandeck.log',
    'spandeck.log.1',
    'spandeck.log.2',
    'spandeck.log.3',
  ]);
  expect(readFileSync(log.file, 'utf8')).toContain('"next"');
});

test('clear leaves no file', async () => {
  const dir = folder();
  const log = createFileLogger(dir, systemClock);
  log.info('host example.com');
  log.flushSync();
  await log.clear();
  expect(readdirSync(dir)).toEqual([]);
});

test('a data folder that was moved away does not begin anew in its former place', async () => {
  const [dataDir, elsewhere] = [folder(), folder()];
  const log = createFileLogger(join(dataDir, 'logs'), systemClock);
  log.info('before');
  await log.flush();
  renameSync(dataDir, join(elsewhere, 'data'));
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  log.info('after');
  await log.flush();
  expect(written).toHaveBeenCalledWith(expect.stringMatching(/^log not written: /));
  written.mockRestore();
  expect(existsSync(dataDir)).toBe(false);
});
