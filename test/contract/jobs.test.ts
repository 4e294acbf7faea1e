/** What every kind of durable job keeps to, one suite over an adapter for each kind. Virtual time, a service by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { openUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { CONTRACT } from '../../electron/shared/contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { JobState as ServiceTask } from '../../electron/shared/resource-contract.ts';
import type { Uploads } from '../../electron/uploads/types.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import { openFiles } from '../helpers/open-files.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { settled, silentLogger } from '../helpers/virtual-world.ts';

const HOUR_MS = 3_600_000;
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

/** One program on the folder, with a connection to a service that answers by hand. */
class Process {
  readonly uploads: Uploads;
  readonly requests: Request[] = [];
  readonly notes: { state: string; error: object | null }[] = [];
  readonly looks = new Map<string, (task: ServiceTask) => void>();
  readonly store: UploadStore;
  isDiskFull = false;
  onNote: (state: string) => void = () => undefined;
  refusal: AppError | null = null;
  readonly pid: number;

  constructor(pid: number) {
    this.pid = pid;
    alive.add(pid);
    open.push(this);
    const store = openUploadStore({ file: join(folder, 'uploads.db'), clock, logger: silentLogger });
    this.store = {
      ...store,
      commit: (work) => {
        if (this.isDiskFull) throw new AppError('DISK_FULL', 'The disk is full.');
        return store.commit(work);
      },
    };
    const call = (operation: string) =>
      new Promise((resolve, reject) => {
        this.requests.push({ operation, answer: (value) => resolve({ value }), fail: reject });
      });
    this.uploads = createUploads({
      connectionId: MODEL,
      store: this.store,
      client: { call } as unknown as ServiceClient,
      clock,
      random: systemRandom,
      logger: silentLogger,
      files: openFiles(),
      plan: () => null,
      followJob: (taskId, onLook) => {
        this.looks.set(taskId, onLook);
        return () => this.looks.delete(taskId);
      },
      readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
      onJobChanged: () => undefined,
      onDryRunChanged: () => undefined,
      onDeletionChanged: ({ status, error }) => this.#note(status, error),
      onWholeFileChanged: ({ state, error }) => this.#note(state, error),
      refusal: () => this.refusal,
      options: { processId: pid, isProcessAlive: (other) => alive.has(other) },
    });
  }

  #note(state: string, error: object | null): void {
    this.notes.push({ state, error });
    this.onNote(state);
  }

  /** The system says that it is gone; nothing of it was ended in order. */
  kill(): void {
    alive.delete(this.pid);
  }

  async stop(): Promise<void> {
    const stopping = this.uploads.stop(0);
    clock.advance(0);
    for (const { fail } of this.requests) fail(new AppError('CANCELLED', 'Ended.', { outcome: 'unknown' }));
    await stopping;
    this.store.close();
  }
}

/** What the suite needs of one kind. */
interface Kind {
  name: string;
  begin(process: Process, startAtMs: number | null): Promise<void>;
  list(process: Process): { id: string; state: string; error: { code: string } | null }[];
  control(process: Process, action: 'start' | 'schedule' | 'cancel', startAtMs?: number): Promise<unknown>;
  /** The state while its one request is on its way; after it was answered; after the answer was lost. */
  sending: string;
  answer: object;
  over: string;
  lost: string;
  /** After a process was killed while it was sending it. */
  killed: string;
  refused: string;
  /** It has no pause and no resume: what its channel says to a wish for one. */
  asksForPause: () => { success: boolean };
}

const KINDS: Kind[] = [
  {
    name: 'deletion of events',
    begin: async ({ uploads }, startAtMs) => {
      const request = { modelId: MODEL, eventIds: ['a'], timeRange: null, updateMetrics: false };
      const begun = uploads.deleteEvents(request, startAtMs);
      if (startAtMs !== null) await begun;
      else begun.catch(() => undefined);
      await settled();
    },
    list: ({ uploads }) =>
      uploads.listDeletions().deletions.map(({ deletionId: id, status: state, error }) => ({
        id,
        state,
        error,
      })),
    control: async (process, action, startAtMs) => {
      const [{ id = '' } = {}] = KINDS[0]?.list(process) ?? [];
      const done = process.uploads.controlDeletion(id, action, startAtMs);
      if (action !== 'start') return done;
      done.catch(() => undefined);
      return settled();
    },
    sending: 'sending',
    answer: { job: { id: 'task', status: 'SUCCESS' } },
    over: 'SUCCESS',
    lost: 'unknown',
    killed: 'unknown',
    refused: 'refused',
    asksForPause: () =>
      CONTRACT['jobs:control'].safeParse({
        connectionId: MODEL,
        kind: 'deletion',
        id: 'a',
        action: 'pause',
      }),
  },
  {
    name: 'file sent whole',
    begin: async ({ uploads }, startAtMs) => {
      const path = join(folder, 'a.csv');
      writeFileSync(path, 'a,b\n1,2\n');
      const request = { modelId: null, envType: '', envName: null, publishes: false };
      await uploads.wholeFiles.sendPath({ path, name: 'a.csv' }, request, 1_000, startAtMs);
    },
    list: ({ uploads }) => uploads.wholeFiles.list(),
    control: async (process, action, startAtMs) => {
      const [{ id = '' } = {}] = KINDS[1]?.list(process) ?? [];
      return process.uploads.wholeFiles.control(id, action, startAtMs);
    },
    sending: 'sending',
    answer: { id: 'file' },
    over: 'uploaded',
    lost: 'failed',
    killed: 'interrupted',
    refused: 'failed',
    asksForPause: () =>
      CONTRACT['jobs:control'].safeParse({
        connectionId: MODEL,
        kind: 'file',
        id: 'a',
        action: 'pause',
      }),
  },
];

/** The file is looked at before it is sent: that is real, and takes a moment. */
async function requestOf(from: Process | Process[], number = 1): Promise<Request> {
  for (;;) {
    const request = [from].flat().flatMap(({ requests }) => requests)[number - 1];
    if (request !== undefined) return request;
    await settled();
  }
}

describe.each(KINDS)('$name', (kind) => {
  const stateOf = (process: Process) => kind.list(process)[0]?.state;
  const rowOf = ({ store }: Process) => store.deletions.list()[0] ?? store.wholeFiles.list()[0];
  const unsent = () => new AppError('CONNECTION_REFUSED', 'No way.', { outcome: 'unsent' });

  async function sending(pid = 1): Promise<{ process: Process; request: Request }> {
    const process = new Process(pid);
    await kind.begin(process, null);
    return { process, request: await requestOf(process) };
  }

  test('is sent once and ends', async () => {
    const { process, request } = await sending();
    expect(stateOf(process)).toBe(kind.sending);
    request.answer(kind.answer);
    await settled();
    expect(stateOf(process)).toBe(kind.over);
    expect(process.requests).toHaveLength(1);
  });

  test('cannot be paused: it is one request, or parts that mean nothing before the last', () => {
    expect(kind.asksForPause().success).toBe(false);
  });

  test('begins at its time, after a restart as well', async () => {
    const first = new Process(1);
    await kind.begin(first, clock.nowMs() + HOUR_MS);
    clock.advance(HOUR_MS / 2);
    expect(stateOf(first)).toBe('scheduled');
    await first.stop();
    clock.advance(HOUR_MS);
    const second = new Process(2);
    await second.uploads.recover({ continues: true });
    (await requestOf(second)).answer(kind.answer);
    await settled();
    expect(stateOf(second)).toBe(kind.over);
    expect(first.requests).toHaveLength(0);
  });

  test('called off, it never begins; given another time, it begins then', async () => {
    const process = new Process(1);
    await process.uploads.recover({ continues: true });
    await kind.begin(process, clock.nowMs() + HOUR_MS);
    await kind.control(process, 'schedule', clock.nowMs() + 3 * HOUR_MS);
    clock.advance(2 * HOUR_MS);
    expect(stateOf(process)).toBe('scheduled');
    await kind.control(process, 'cancel');
    clock.advance(9 * HOUR_MS);
    await settled();
    expect(stateOf(process)).toBe('cancelled');
    expect(process.requests).toHaveLength(0);
  });

  test('of two processes one sends it; the other is shown it, and takes over only once the first is gone', async () => {
    const { process: first } = await sending();
    const second = new Process(2);
    await second.uploads.recover({ continues: true });
    expect(stateOf(second)).toBe(kind.sending);
    // What the first still does while it lives keeps the second from it.
    for (let passed = 0; passed < 5; passed += 1) clock.advance(30_000);
    expect(stateOf(second)).toBe(kind.sending);
    first.kill();
    clock.advance(5_000);
    expect(second.notes.at(-1)?.state).toBe(kind.killed);
    expect(stateOf(second)).toBe(kind.killed);
    expect(second.requests).toHaveLength(0);
  });

  test('two processes at its planned time: one request', async () => {
    const first = new Process(1);
    const second = new Process(2);
    for (const { uploads } of [first, second]) await uploads.recover({ continues: true });
    await kind.begin(first, clock.nowMs() + HOUR_MS);
    clock.advance(2 * HOUR_MS);
    await requestOf([first, second]);
    clock.advance(60_000);
    await settled();
    expect(first.requests.length + second.requests.length).toBe(1);
    await expect(kind.control(second, 'schedule', clock.nowMs() + HOUR_MS)).rejects.toMatchObject({
      code: expect.stringMatching(/CONFLICT|INVALID_ARGUMENT/),
    });
  });

  test('a process whose lease another one holds writes nothing more', async () => {
    const { process: first, request } = await sending();
    const { leases } = kind.name === 'file sent whole' ? first.store.wholeFiles : first.store.deletions;
    const id = kind.list(first)[0]?.id ?? '';
    alive.add(2);
    leases.take(id, { owner: 'another', processId: 2, atMs: clock.nowMs() + HOUR_MS }, () => true);
    const before = rowOf(first);
    request.answer(kind.answer);
    await settled();
    await settled();
    expect(rowOf(first)).toEqual(before);
  });

  test('after a kill, what was on its way is unknown, or is to be sent again by a person', async () => {
    const { process: first } = await sending();
    first.kill();
    const second = new Process(2);
    await second.uploads.recover({ continues: true });
    expect(stateOf(second)).toBe(kind.killed);
    clock.advance(HOUR_MS);
    await settled();
    expect(second.requests).toHaveLength(0);
  });

  test('planned without a way to the service it stays planned, says why, and goes when there is one', async () => {
    const process = new Process(1);
    await process.uploads.recover({ continues: true });
    await kind.begin(process, clock.nowMs() + HOUR_MS);
    clock.advance(HOUR_MS);
    (await requestOf(process)).fail(unsent());
    await settled();
    expect(kind.list(process)[0]).toMatchObject({
      state: 'scheduled',
      error: { code: 'CONNECTION_REFUSED' },
    });
    process.uploads.wake();
    (await requestOf(process, 2)).answer(kind.answer);
    await settled();
    expect(stateOf(process)).toBe(kind.over);
  });

  test('begun again in the moment in which it went back to its plan, it is sent once more', async () => {
    const process = new Process(1);
    await process.uploads.recover({ continues: true });
    await kind.begin(process, clock.nowMs() + HOUR_MS);
    clock.advance(HOUR_MS);
    const first = await requestOf(process);
    process.onNote = (state) => {
      if (state !== 'scheduled') return;
      process.onNote = () => undefined;
      kind.control(process, 'start').catch(() => undefined);
    };
    first.fail(unsent());
    (await requestOf(process, 2)).answer(kind.answer);
    await settled();
    expect(stateOf(process)).toBe(kind.over);
    expect(process.requests).toHaveLength(2);
  });

  test('a lost answer is not repeated', async () => {
    const { process, request } = await sending();
    request.fail(new AppError('CONNECTION_LOST', 'Lost.', { outcome: 'unknown' }));
    await settled();
    process.uploads.wake();
    clock.advance(HOUR_MS);
    await settled();
    expect(stateOf(process)).toBe(kind.lost);
    expect(process.requests).toHaveLength(1);
  });

  test('a refused token ends it with the reason', async () => {
    const { process, request } = await sending();
    request.fail(new AppError('UNAUTHORIZED', 'No.', { outcome: 'answered', status: 401 }));
    await settled();
    expect(kind.list(process)[0]).toMatchObject({ state: kind.refused, error: { code: 'UNAUTHORIZED' } });
  });

  test('a full disk: it rests in memory with what came of it, and views hear that', async () => {
    const { process, request } = await sending();
    process.isDiskFull = true;
    request.fail(new AppError('UNAUTHORIZED', 'No.', { outcome: 'answered', status: 401 }));
    await settled();
    expect(process.notes.at(-1)).toMatchObject({ state: kind.refused, error: { code: 'UNAUTHORIZED' } });
    process.isDiskFull = false;
  });
});

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

  test('by another process can be cancelled here: that one sends no further part, and publishes nothing', async () => {
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

  test('and is being published cannot be cancelled elsewhere: its process keeps it', async () => {
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
});
