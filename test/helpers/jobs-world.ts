/**
 * The world of a durable job: a folder, virtual time, a service whose answers the test gives, and programs that start
 * and end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowSet } from '../../electron/api/answer-protocol.ts';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { endpoint } from '../../electron/api/endpoints.ts';
import type { CallInput, ServiceClient } from '../../electron/api/types.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { madeUpClient } from './made-up-client.ts';
import { VirtualClock } from './virtual-clock.ts';
import { settled } from './virtual-world.ts';

/** A request that changes something. It is pending until the test decides its outcome. */
interface Request {
  readonly operation: string;
  /** Names the content of the request: the rows, the spans, the item, the record. */
  readonly part: string;
  readonly pid: number;
  /** The service executes the request and answers it. */
  answer(): void;
  fail(error: AppError): void;
  /** The service executes the request, and its answer is lost. */
  lose(): void;
}

export const lost = () => new AppError('CONNECTION_LOST', 'Lost.', { outcome: 'unknown' });
export const offline = () => new AppError('CONNECTION_REFUSED', 'No way.', { outcome: 'unsent' });
export const unauthorized = () => new AppError('UNAUTHORIZED', 'No.', { outcome: 'answered', status: 401 });
export const tooMany = (retryAfterMs: number) =>
  new AppError('RATE_LIMITED', 'Later.', { outcome: 'answered', status: 429, retryAfterMs });

/** A service that answers reads at once, and holds writes until the test decides. */
class HandService {
  /** Unanswered requests, oldest first. */
  readonly open: Request[] = [];
  /** Parts that were sent, and parts that the service executed, both in order. */
  readonly sent: string[] = [];
  readonly done: string[] = [];
  /** After a 429: the end of the wait, which the program's own limits know too. */
  notBeforeMs = 0;

  client(pid: number, isAlive: () => boolean): ServiceClient {
    const held = async (operation: OperationId, input: CallInput) => {
      const value = await this.#held(pid, operation, input);
      // A killed program receives no answer.
      if (!isAlive()) await new Promise(() => undefined);
      return value;
    };
    return madeUpClient({
      call: async (operation, input) => {
        const isHeld = endpoint(operation).isWrite && operation !== 'datasets.create';
        const isKept = isHeld || operation === 'evaluators.score';
        return isKept ? held(operation, input) : this.#read(operation, input);
      },
      list: async (operation) =>
        operation === 'datasets.items' ? ITEMS : operation === 'models.environments' ? ENVIRONMENTS : [],
      rows: async (operation, input) => (await held(operation, input)) as RowSet,
    });
  }

  /** Ends the program with this id: its pending requests are cancelled. */
  withdraw(pid: number): void {
    for (const request of [...this.open].filter((each) => each.pid === pid)) request.fail(lost());
  }

  #held(pid: number, operation: OperationId, input: CallInput): Promise<object> {
    const part = partOf(operation, input);
    this.sent.push(part);
    return new Promise((resolve, reject) => {
      const end = (work: () => void) => {
        this.open.splice(this.open.indexOf(request), 1);
        work();
      };
      const request: Request = {
        operation,
        part,
        pid,
        answer: () =>
          end(() => {
            this.done.push(part);
            resolve(answerTo(operation, input));
          }),
        fail: (error) => end(() => reject(error)),
        lose: () =>
          end(() => {
            this.done.push(part);
            reject(lost());
          }),
      };
      this.open.push(request);
    });
  }

  #read(operation: OperationId, { path }: CallInput): object {
    if (operation === 'datasets.create') return { id: 'dataset' };
    if (operation === 'datasets.schema') return { total_items: 0 };
    const id = path?.['baseline_id'];
    if (id !== undefined && this.done.includes(id))
      throw new AppError('NOT_FOUND', 'Gone.', { outcome: 'answered', status: 404 });
    return {};
  }
}

const bucket = { expected_outputs: {}, metadata: {}, extras: {} };
export const ITEMS = ['one', 'two', 'three'].map((id) => ({ id, inputs: { question: id }, ...bucket }));
const ENVIRONMENTS = [{ type: 'PRODUCTION', name: 'production', row_count: null }];

interface Body {
  spans?: { trace_id: string; span_id: string }[];
  inputs?: { question?: string };
}

function rowsOf(bodyText: string | Uint8Array): { id: string }[] {
  const { source, items } = JSON.parse(Buffer.from(bodyText).toString('utf8')) as {
    source?: { events: { id: string }[] };
    items?: { inputs: { question: string } }[];
  };
  return source?.events ?? (items ?? []).map(({ inputs }) => ({ id: inputs.question }));
}

/** Rows of a list that is read page by page. */
const LISTED = Array.from({ length: 6 }, (_, index) => ({ id: `row ${index}` }));
export const PAGE_ROWS = 2;

function pageOf({ offset, limit }: { offset: number; limit: number }): RowSet {
  const rows = LISTED.slice(offset, offset + limit).map((record) => ({
    identity: record.id,
    shownText: record.id,
    record: JSON.stringify(record),
    parts: null,
  }));
  return { rows, total: LISTED.length, offset };
}

function partOf(operation: string, { path, body, bodyText, paging }: CallInput): string {
  if (paging !== undefined) return String(paging.offset);
  if (bodyText !== undefined)
    return rowsOf(bodyText)
      .map(({ id }) => id)
      .join();
  const { spans, inputs } = (body ?? {}) as Body;
  return (
    spans?.map(({ span_id }) => span_id).join() ?? inputs?.question ?? path?.['baseline_id'] ?? operation
  );
}

function answerTo(operation: string, { body, bodyText, paging }: CallInput): object {
  if (paging !== undefined) return pageOf(paging);
  if (operation === 'datasets.add-items' && bodyText !== undefined)
    return rowsOf(bodyText).map(({ id }) => `item ${id}`);
  if (bodyText !== undefined) return { event_ids: rowsOf(bodyText).map(({ id }) => `event ${id}`) };
  const { spans } = (body ?? {}) as Body;
  if (spans !== undefined)
    return { items: spans.map((span) => ({ ...span, item_id: `item ${span.span_id}` })) };
  if (operation === 'evaluators.score') return { scores: [{ name: 'score', value: 1 }] };
  if (operation === 'events.delete') return { job: { id: 'task', status: 'SUCCESS' } };
  return { id: 'file' };
}

/**
 * The clock of one program. It can stop while the rest of the world continues, and it ends when the program is killed.
 */
class ProgramClock implements Clock {
  readonly #clock: VirtualClock;
  readonly #due = new Set<() => void>();
  isFrozen = false;
  isDead = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  nowMs = () => this.#clock.nowMs();
  monotonicMs = () => this.#clock.monotonicMs();

  setTimer(callback: () => void, delayMs: number): () => void {
    const cancel = this.#clock.setTimer(() => {
      if (this.isFrozen) this.#due.add(callback);
      else if (!this.isDead) callback();
    }, delayMs);
    return () => {
      cancel();
      this.#due.delete(callback);
    };
  }

  thaw(): void {
    this.isFrozen = false;
    const due = [...this.#due];
    this.#due.clear();
    for (const callback of due) callback();
  }
}

const breath = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

export class World {
  readonly folder: string;
  readonly clock = new VirtualClock();
  readonly service = new HandService();
  readonly alive = new Set<number>();
  readonly #ownsFolder: boolean;
  #isOver = false;
  readonly lives: Life[] = [];

  /** `folder`: that of a killed program. If absent, a new one is created. */
  constructor(folder?: string) {
    this.#ownsFolder = folder === undefined;
    this.folder = folder ?? mkdtempSync(join(tmpdir(), 'spandeck-jobs-'));
  }

  /** Real threads read files, so this waits for their effects, as long as the test lasts. */
  async until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; !isSo(); turn += 1) {
      if (this.#isOver) throw new Error('The test is over, and what it waited for has not come.');
      // A busy loop would take processor time from the thread that reads.
      await (turn < 100 ? settled() : breath());
    }
  }

  /** Waits until this number of requests is pending. */
  requests(count: number): Promise<void> {
    return this.until(() => this.service.open.length >= count);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const life of this.lives.splice(0)) await life.stop();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

type Commit = <T>(work: () => T) => T;

/** A program on the folder of the world, with jobs of one kind. */
export class Life {
  readonly world: World;
  readonly pid: number;
  readonly clock: ProgramClock;
  readonly client: ServiceClient;
  readonly notes: { state: string; error: object | null }[] = [];
  onNote: (state: string) => void = () => undefined;
  isDiskFull = false;
  /** Called before each commit, when this program has read what it is about to change. */
  beforeCommit: () => void = () => undefined;
  /** Duration of each commit in ms, during which the whole program stands still. */
  commitMs = 0;
  #end: () => Promise<void> = async () => undefined;
  readonly isAlive = (other: number) => this.world.alive.has(other);

  constructor(world: World, pid: number) {
    this.world = world;
    this.pid = pid;
    world.alive.add(pid);
    world.lives.push(this);
    this.clock = new ProgramClock(world.clock);
    this.client = world.service.client(pid, () => !this.clock.isDead);
  }

  note = ({ state, error }: { state: string; error: object | null }): void => {
    this.notes.push({ state, error });
    this.onNote(state);
  };

  /** A store on a disk that can be full or slow. */
  onDisk<Store extends { commit: Commit; commitSoon?: Commit }>(store: Store): Store {
    const written =
      (commit: Commit): Commit =>
      (work) => {
        this.beforeCommit();
        if (this.isDiskFull) throw new AppError('DISK_FULL', 'The disk is full.');
        const result = commit(work);
        if (this.commitMs > 0) this.freeze(this.commitMs);
        return result;
      };
    const { commit, commitSoon } = store;
    return {
      ...{ ...store, commit: written(commit) },
      ...(commitSoon === undefined ? {} : { commitSoon: written(commitSoon) }),
    };
  }

  /** Suspends this program for the given time, while everything else continues. */
  freeze(forMs: number): void {
    this.clock.isFrozen = true;
    this.world.clock.advance(forMs);
    this.clock.thaw();
  }

  /** Registers how the program ends in order: `stop`, then its store is closed. */
  onEnd(stop: () => Promise<void>, store: { close(): void }): void {
    this.#end = async () => {
      const stopping = stop();
      // Requests without a grace period are cancelled now, and requests in flight are not answered any more.
      this.world.clock.advance(5_000);
      this.world.service.withdraw(this.pid);
      await stopping;
      store.close();
    };
  }

  /** Ends the program in order. */
  async stop(): Promise<void> {
    this.isDiskFull = false;
    this.commitMs = 0;
    const end = this.#end;
    this.#end = async () => undefined;
    await end();
    this.world.alive.delete(this.pid);
  }

  /** Kills the program: the system reports that its process is gone, and nothing was ended in order. */
  kill(): void {
    this.world.alive.delete(this.pid);
    this.clock.isDead = true;
  }
}
