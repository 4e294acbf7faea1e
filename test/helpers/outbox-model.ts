/** A model of a service with a few records, other writers, lost answers, and programs that are killed. */
import BetterSqlite from 'better-sqlite3';
import { endpoint, type OperationId } from '../../electron/api/endpoints.ts';
import type { CallInput, CallOptions, ServiceClient } from '../../electron/api/types.ts';
import type { Clock, LogFields, Logger } from '../../electron/core/ports.ts';
import { migrate } from '../../electron/db/migrate.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { createUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { createOutbox } from '../../electron/outbox/outbox.ts';
import type { Outbox } from '../../electron/outbox/types.ts';
import { createResources } from '../../electron/resources/resources.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import { madeUpClient, notAsked } from './made-up-client.ts';
import { VirtualClock } from './virtual-clock.ts';
import { seededRandom, settled, silentLogger } from './virtual-world.ts';

/** Possible outcomes of a request that changes something. */
export const FATES = [
  'ok',
  'ok',
  'lost after',
  'lost on the way',
  // The service executes it half a minute after the connection was lost. Only for requests that create a record.
  'lands late',
  'not sent',
  'busy',
  'limited',
  'refused',
  'killed before',
  'killed after',
] as const;
export type Fate = (typeof FATES)[number];

/** An id in the format of the service. */
export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const failure = (code: ConstructorParameters<typeof AppError>[0], outcome: 'unsent' | 'unknown') =>
  new AppError(code, 'No answer.', { outcome });

export class ModelService {
  readonly rules = new Map<string, JsonObject>();
  readonly projects = new Map<string, JsonObject>();
  readonly applications = new Map<string, JsonObject>();
  readonly fates: Fate[];
  isAway = false;
  /** The wait that the service asks for if it is busy. */
  retryAfterMs = 0;
  /** Called just before a change takes effect, with the entry that sent it. */
  onEffect: (entryId: string, operation: string, input: CallInput) => void = () => undefined;
  onKill: () => void = () => undefined;
  /** Delays a request and its answer. */
  onCall: (what: string) => Promise<void> = async () => undefined;
  #made = 100;
  later: (work: () => void) => void = () => undefined;

  constructor(fates: readonly Fate[]) {
    this.fates = [...fates];
  }

  client(isAlive: () => boolean): ServiceClient {
    const unlessDead = async <T>(work: () => T | Promise<T>): Promise<T> => {
      // A killed program receives no answer.
      const never = () => new Promise<never>(() => undefined);
      if (!isAlive()) return never();
      try {
        if (this.isAway) throw failure('CONNECTION_REFUSED', 'unsent');
        await this.onCall('request');
        const value = await work();
        await this.onCall('answer');
        return isAlive() ? value : await never();
      } catch (thrown) {
        if (!isAlive()) return never();
        throw thrown;
      }
    };
    return madeUpClient({
      call: (operation, input, options) =>
        unlessDead<unknown>(() =>
          endpoint(operation).isWrite ? this.#write(operation, input, options) : this.#read(input),
        ),
      list: (operation, { query }) =>
        unlessDead(() => {
          const all = [...(operation === 'projects.list' ? this.projects : this.applications).values()];
          return all.filter(({ name }) => String(name).includes(String(query?.['search'] ?? '')));
        }),
      rows: notAsked,
    });
  }

  #read({ path }: CallInput): JsonObject {
    const found = this.rules.get(path?.['alert_id'] ?? '');
    if (found === undefined) throw new AppError('NOT_FOUND', 'Gone.', { outcome: 'answered', status: 404 });
    return { ...found };
  }

  #write(operation: OperationId, input: CallInput, { group = '', isOnce }: CallOptions): unknown {
    if (isOnce !== true) throw new Error('It may be sent by itself once more.');
    const entryId = group.replace('outbox ', '');
    const carryOut = () => {
      this.onEffect(entryId, operation, input);
      return this.#carryOut(operation, input);
    };
    switch (this.fates.shift() ?? 'ok') {
      case 'ok':
        return carryOut();
      case 'lost after':
        carryOut();
        throw failure('CONNECTION_LOST', 'unknown');
      case 'lost on the way':
        throw failure('TIMEOUT', 'unknown');
      case 'lands late':
        if (operation.endsWith('.create')) this.later(carryOut);
        throw failure('TIMEOUT', 'unknown');
      case 'not sent':
        throw failure('CONNECTION_REFUSED', 'unsent');
      case 'busy':
        throw new AppError('SERVICE_UNAVAILABLE', 'Not now.', {
          status: 503,
          outcome: 'answered',
          retryAfterMs: this.retryAfterMs,
        });
      case 'limited':
        throw new AppError('RATE_LIMITED', 'Too many.', { status: 429, outcome: 'answered' });
      case 'refused':
        throw new AppError('UNPROCESSABLE', 'Not like this.', { status: 422, outcome: 'answered' });
      case 'killed after':
        carryOut();
        return this.onKill();
      case 'killed before':
        return this.onKill();
    }
  }

  #carryOut(operation: OperationId, { path, body }: CallInput): JsonObject {
    const id = path?.['alert_id'] ?? '';
    const given = body as JsonObject;
    const rule = this.rules.get(id);
    if (operation === 'projects.create') return this.make(this.projects, given);
    if (operation === 'applications.create') {
      const projectId = String(given['project_id']);
      if (!this.projects.has(projectId))
        throw new AppError('NOT_FOUND', 'No such project.', { status: 404, outcome: 'answered' });
      return this.make(this.applications, given);
    }
    if (rule === undefined) throw new AppError('NOT_FOUND', 'Gone.', { status: 404, outcome: 'answered' });
    if (operation === 'alert-rules.delete') this.rules.delete(id);
    else this.rules.set(id, { ...rule, ...given });
    return { ...rule, ...given };
  }

  make(records: Map<string, JsonObject>, given: JsonObject): JsonObject {
    this.#made += 1;
    const record = { ...given, id: uuid(this.#made) };
    records.set(record.id, record);
    return record;
  }
}

/** Created once, because the migrations take longer than most schedules. */
let emptyStore: Buffer | null = null;

function migrated(clock: Clock): Buffer {
  const db = new BetterSqlite(':memory:');
  migrate(db, { file: ':memory:', migrations: UPLOAD_MIGRATIONS, clock, logger: silentLogger });
  const image = db.serialize();
  db.close();
  return image;
}

/** Programs on one folder, one after another. Each may be killed at any moment. */
export class OutboxWorld implements Disposable {
  readonly clock = new VirtualClock();
  readonly store: UploadStore;
  readonly service: ModelService;
  readonly #alive = new Set<number>();
  readonly #db: BetterSqlite.Database;
  #pid = 0;
  #made = 1_000_000;
  readonly #id = () => {
    this.#made += 1;
    return uuid(this.#made);
  };
  outbox: Outbox;
  /** Time in ms until one more request of an operation could be sent. */
  waitMs: (operation: string) => number = () => 0;
  /** The user's setting to send changes automatically when the service is reachable again. */
  sendsWhenBack = false;
  /** Warnings that the outbox logged. */
  readonly reports: LogFields[] = [];
  readonly #logger: Logger = {
    ...silentLogger,
    warn: (message, fields) => void this.reports.push({ message, ...fields }),
  };

  constructor(service: ModelService) {
    this.service = service;
    emptyStore ??= migrated(this.clock);
    this.#db = new BetterSqlite(emptyStore);
    this.#db.pragma('foreign_keys = ON');
    this.store = createUploadStore(this.#db);
    this.outbox = this.#live();
    service.onKill = () => this.kill();
    service.later = (work) => void this.clock.setTimer(work, 30_000);
  }

  /** Another program on the same folder that runs at the same time. */
  beside(): Outbox {
    return this.#live();
  }

  #live(): Outbox {
    this.#pid += 1;
    const pid = this.#pid;
    this.#alive.add(pid);
    const isAlive = () => this.#alive.has(pid);
    const clock: Clock = {
      nowMs: () => this.clock.nowMs(),
      monotonicMs: () => this.clock.monotonicMs(),
      setTimer: (callback, delayMs) => this.clock.setTimer(() => isAlive() && callback(), delayMs),
    };
    const resources = createResources({
      client: this.service.client(isAlive),
      library: { invalidate: () => undefined },
      clock,
      logger: silentLogger,
      onJobChanged: () => undefined,
    });
    return createOutbox({
      connectionId: 'c',
      store: {
        outbox: this.store.outbox,
        commit: (work) => {
          if (!isAlive()) throw new AppError('INTERNAL', 'This process is dead.');
          return this.store.commit(work);
        },
      },
      resources,
      clock,
      random: { ...seededRandom(pid), uuid: this.#id },
      logger: this.#logger,
      process: { pid, isRunning: (other) => this.#alive.has(other) },
      waitMs: (operation) => this.waitMs(operation),
      blockingError: () => null,
      sendsWhenBack: () => this.sendsWhenBack,
      onChanged: () => undefined,
    });
  }

  /** Kills the program (kill -9), and starts the next one on the folder. */
  kill(): void {
    this.#alive.clear();
    this.outbox = this.#live();
    this.outbox.recover(false);
  }

  /** Runs everything that happens without the user. */
  async pass(ms = 70_000): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) await settled();
    this.clock.advance(ms);
    for (let turn = 0; turn < 6; turn += 1) await settled();
  }

  [Symbol.dispose](): void {
    this.#alive.clear();
    this.#db.close();
  }
}
