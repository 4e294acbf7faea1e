/**
 * A file that is sent in parts, and two processes, in virtual time with a service whose answers the test gives. The
 * other tests are in `jobs.test.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { JobState as ServiceTask } from '../../electron/shared/resource-contract.ts';

import type { Uploads } from '../../electron/uploads/types.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import { madeUpClient, notAsked } from '../helpers/made-up-client.ts';
import { openFiles } from '../helpers/open-files.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { settled, silentLogger } from '../helpers/virtual-world.ts';

const MODEL = '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c12';

let folder: string;
let clock: VirtualClock;
let alive: Set<number>;
let open: Process[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-jobs-'));
  clock = new VirtualClock();
  [alive, open] = [new Set(), []];
});
afterEach(async () => {
  for (const each of open) await each.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Request {
  operation: string;
  answer: (value: object) => void;
  fail: (problem: AppError) => void;
}

/** A program on the folder, with a connection to a service whose answers the test gives. */
class Process {
  readonly uploads: Uploads;
  readonly requests: Request[] = [];
  readonly looks = new Map<string, (task: ServiceTask) => void>();
  readonly store: UploadStore;
  blockingError: AppError | null = null;
  readonly pid: number;

  constructor(pid: number) {
    this.pid = pid;
    alive.add(pid);
    open.push(this);
    const store = openUploadStore({ file: join(folder, 'uploads.db'), clock, logger: silentLogger });
    this.store = store;
    const call = (operation: string) =>
      new Promise<object>((resolve, reject) => {
        // Whether the service is reachable is answered at once.
        if (operation === 'server-info.get') return resolve({});
        this.requests.push({ operation, answer: resolve, fail: reject });
      });
    this.uploads = createUploads({
      connectionId: MODEL,
      store: this.store,
      client: madeUpClient({ call, list: notAsked, rows: notAsked }),
      clock,
      random: systemRandom,
      logger: silentLogger,
      files: openFiles(folder),
      spoolFolder: join(folder, 'copies'),
      plan: () => null,
      followJob: (taskId, onLook) => {
        this.looks.set(taskId, onLook);
        return () => this.looks.delete(taskId);
      },
      readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
      onJobChanged: () => undefined,
      onDryRunChanged: () => undefined,
      onDeletionChanged: () => undefined,
      onWholeFileChanged: () => undefined,
      blockingError: () => this.blockingError,
      options: { processId: pid, isProcessAlive: (other) => alive.has(other) },
    });
  }

  async stop(): Promise<void> {
    const stopping = this.uploads.stop(0);
    clock.advance(0);
    for (const { fail } of this.requests) fail(new AppError('CANCELLED', 'Ended.', { outcome: 'unknown' }));
    await stopping;
    this.store.close();
  }
}

/** The file is inspected before it is sent, which is real work and takes a moment. */
async function requestOf(from: Process | Process[], number = 1): Promise<Request> {
  for (;;) {
    const request = [from].flat().flatMap(({ requests }) => requests)[number - 1];
    if (request !== undefined) return request;
    await settled();
  }
}

describe('a file that is sent in parts', () => {
  async function partly(): Promise<Process> {
    const process = new Process(1);
    const path = join(folder, 'a.csv');
    writeFileSync(path, 'a,b\n1,2\n');
    const request = { modelId: MODEL, envType: 'PRODUCTION', envName: null, publishes: true };
    await process.uploads.wholeFiles.sendPath({ path, name: 'a.csv' }, request, 4, null);
    (await requestOf(process)).answer({ id: 'file' });
    await requestOf(process, 2);
    return process;
  }
  const only = ({ uploads }: Process) => uploads.wholeFiles.list()[0];

  test('by another process can be cancelled here: that process sends no further part, and publishes nothing', async () => {
    const first = await partly();
    const second = new Process(2);
    await second.uploads.wholeFiles.control(only(second)?.id ?? '', 'cancel');
    first.requests[1]?.answer({ part_id: 'one' });
    await settled();
    clock.advance(60_000);
    await settled();
    expect(first.requests).toHaveLength(2);
    expect([only(first)?.state, only(second)?.state]).toEqual(['cancelled', 'cancelled']);
  });

  test('and is being published cannot be cancelled elsewhere: its process continues it', async () => {
    const first = await partly();
    first.requests[1]?.answer({ part_id: 'one' });
    (await requestOf(first, 3)).answer({ part_id: 'two' });
    (await requestOf(first, 4)).answer({});
    const publishing = await requestOf(first, 5);
    const second = new Process(2);
    await expect(second.uploads.wholeFiles.control(only(second)?.id ?? '', 'cancel')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    publishing.answer({ job: { id: 'task' } });
    await settled();
    expect(only(first)?.state).toBe('following');
    expect(first.looks.size).toBe(1);
    await first.uploads.wholeFiles.control(only(first)?.id ?? '', 'forget');
    clock.advance(60_000);
    await settled();
    expect([first.looks.size, only(first), only(second)]).toEqual([0, undefined, undefined]);
  });

  test('and is published again elsewhere at the moment of its removal here stays', async () => {
    const first = await partly();
    first.requests[1]?.answer({ part_id: 'one' });
    (await requestOf(first, 3)).answer({ part_id: 'two' });
    (await requestOf(first, 4)).answer({});
    (await requestOf(first, 5)).fail(new AppError('FORBIDDEN', 'Refused.', { status: 403 }));
    await settled();
    const id = only(first)?.id ?? '';
    expect(only(first)).toMatchObject({ state: 'failed', again: 'publish' });
    const second = new Process(2);
    const { commit } = second.store;
    second.store.commit = (work) => {
      second.store.commit = commit;
      first.uploads.wholeFiles.control(id, 'again').catch(() => undefined);
      return commit(work);
    };
    await expect(second.uploads.wholeFiles.control(id, 'forget')).rejects.toMatchObject({ code: 'CONFLICT' });
    (await requestOf(first, 6)).answer({ job: { id: 'task' } });
    await settled();
    expect(only(second)?.state).toBe('following');
  });
});
