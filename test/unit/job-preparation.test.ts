/** An upload that is halted while it is prepared: what it reads ends at once. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareJob } from '../../electron/uploads/job-preparation.ts';

type Deps = Parameters<typeof prepareJob>[0];

let folder: string;
let path: string;
let isRunning: boolean;
let end: (() => void) | null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-preparation-'));
  path = join(folder, 'a.csv');
  writeFileSync(path, 'a\n1\n');
  [isRunning, end] = [true, null];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Halts the job, as a person does: the runner ends what it knows to be reading. */
function halt(): void {
  isRunning = false;
  end?.();
}

/** The parts of an upload that its preparation uses. `scanId`: null before the file is checked. */
function prepare(scanId: string | null, parts: { client?: object; scans?: object }): Promise<boolean> {
  const { size: sizeBytes, mtimeMs } = statSync(path);
  const plan = { mode: 'publish', modelId: 'm', envType: 'PRODUCTION', envName: null, onBadRow: 'skip' };
  const job = {
    ...{ id: 'job', path, fileName: 'a.csv', sizeBytes, mtimeMs, sha256: null, scanId, plan },
    ...{ schema: null, baseline: null, rows: 1, rejected: 0 },
  };
  const deps = {
    store: { batches: { last: () => null }, scans: { get: () => null, listBadRows: () => [] } },
    clock: { nowMs: () => 0 },
    ledger: {
      ...{ id: 'job', job, modelReadAtMs: null, isFileProven: true },
      note: () => undefined,
      apply: () => undefined,
      get isRunning() {
        return isRunning;
      },
    },
    worker: {},
    onReading: (ending: (() => void) | null) => {
      end = ending;
    },
    signal: new AbortController().signal,
    ...parts,
  };
  return prepareJob(deps as unknown as Deps);
}

test('the reading of the row count before the first batch ends when the job is paused', async () => {
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const list = (_operation: string, _input: object, { signal }: { signal?: AbortSignal }) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('Taken back.')));
      asked.resolve(signal);
    });
  const prepared = prepare('scan', { client: { list } });
  const signal = await asked.promise;
  halt();
  expect(signal?.aborted).toBe(true);
  expect(await prepared).toBe(false);
  expect(end).toBeNull();
});

test('a check of the file that begins after the job was paused is cancelled', async () => {
  const done = Promise.withResolvers<object>();
  const cancelled: string[] = [];
  const scans = {
    start: async () => {
      halt();
      return { scanId: 'scan', done: done.promise };
    },
    cancel: async (scanId: string) => {
      cancelled.push(scanId);
      done.resolve({ phase: 'cancelled', error: null });
    },
  };
  const prepared = prepare(null, { scans });
  await expect.poll(() => cancelled).toEqual(['scan']);
  expect(await prepared).toBe(false);
});
