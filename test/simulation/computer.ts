/**
 * The computer with its keychain, its data folder, and the process of the product, which is started, stopped and
 * killed.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Keychain } from '../../electron/platform/keychain.ts';
import { createFileLogger, type FileLogger } from '../../electron/platform/logger.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { EventChannel } from '../../electron/shared/channels.ts';
import type { EventPayloads } from '../../electron/shared/contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { startAnalysis } from './analysis.ts';
import { abandonDatabasesOf, unsyncedBySQLite } from './databases.ts';
import { type Draw, drawOf } from './draw.ts';
import { closeFilesOf } from './files.ts';
import { loadForCommand, resetModules } from './hooks.ts';
import { currentNetwork } from './network.ts';
import { currentThreads } from './threads.ts';
import { Life, type World } from './world.ts';

export type Published = { [C in EventChannel]: { channel: C; payload: EventPayloads[C] } }[EventChannel];

/** One run of the product from its start to its end. */
export interface Run {
  life: Life;
  engine: Engine;
  logger: FileLogger;
  published: Published[];
}

interface Starting {
  isWindow: boolean;
  createEngine: typeof createEngine;
  AppError: typeof AppError;
}

const FIRST_PID = 4_000;
/** Label of the steps in which the keychain answers, which nothing can cancel. */
export const KEYCHAIN_ANSWER = 'answer of the keychain';

export class Computer {
  readonly folder: string;
  /** Folder for files of the user, outside of the data folder. */
  readonly documents: string;
  readonly running = new Map<number, Life>();
  isKeychainLocked = false;
  /** The process of the window. */
  run: Run | null = null;
  /** A command line that uses the same data folder. */
  command: Run | null = null;
  /** Called for each job that a process publishes. */
  onJob: (job: NonNullable<EventPayloads['jobs:changed']['job']>) => void = () => undefined;
  /** How often jobs were published, by kind and state. */
  readonly jobStates = new Map<string, number>();
  kills = 0;
  starts = 0;
  readonly #world: World;
  readonly #draw: Draw;
  readonly #analysis: Draw;
  readonly #kept = new Map<string, string>();

  constructor(world: World, folder: string, running: Map<number, Life>) {
    this.#world = world;
    this.running = running;
    this.#draw = drawOf(world.seed, 'keychain');
    this.#analysis = drawOf(world.seed, 'analysis engine');
    this.folder = join(folder, 'data');
    this.documents = join(folder, 'documents');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    mkdirSync(this.documents, { recursive: true });
  }

  start(): Run {
    this.run ??= this.#open({ isWindow: true, createEngine, AppError });
    return this.run;
  }

  /**
   * Starts a command line that ends normally after its work. Resolves once it has started, and rejects if it cannot
   * start.
   */
  async startCommand(work: (run: Run) => Promise<void>): Promise<void> {
    this.#world.realWork += 1;
    const loaded = await loadForCommand().finally(() => {
      this.#world.realWork -= 1;
    });
    const run = this.#open({ isWindow: false, ...loaded });
    this.command = run;
    const end = async () => {
      await work(run);
      await run.engine.stop();
      run.logger.flushSync();
      this.command = null;
      this.#end(run.life, 'command');
    };
    this.#world.lives.run(run.life, () => {
      end().catch((thrown: unknown) => this.#world.rejected(thrown));
    });
  }

  #open({ isWindow, createEngine, AppError }: Starting): Run {
    this.starts += 1;
    const pid = FIRST_PID + this.starts;
    const life = new Life(`process ${pid}`, { pid });
    this.running.set(pid, life);
    const published: Published[] = [];
    const paths = dataPaths(this.folder);
    const run = this.#world.lives.run(life, (): Run => {
      // The product does not start on a full disk.
      using ending = new DisposableStack();
      ending.defer(() => this.#end(life, isWindow ? 'window' : 'command'));
      const logger = createFileLogger(paths.logsDir, systemClock);
      const engine = createEngine({
        ...{ paths, logger },
        clock: systemClock,
        random: systemRandom,
        keychain: this.#keychain(life, AppError),
        startChild: startAnalysis(this.#world, life, this.#analysis),
        surroundings: {
          environment: {},
          systemProxy: async () =>
            currentNetwork().place === 'office' ? 'PROXY proxy.office.example:8080' : 'DIRECT',
          systemCertificates: async () => [],
        },
        followsOfflineAtStart: isWindow,
        resumesUploads: isWindow,
        checksStoresAfterMs: isWindow ? 5_000 : null,
        tokenPatienceMs: isWindow ? 3_000 : null,
        ...(isWindow ? {} : { settingsOverride: { prefetchRows: 0, worksOffline: false } }),
        copyNotice: null,
        publish: (channel, payload) => {
          published.push({ channel, payload } as Published);
          if (channel === 'jobs:changed') this.#saw(payload as EventPayloads['jobs:changed']);
        },
      });
      ending.move();
      return { life, engine, logger, published };
    });
    this.#world.note(`started as process ${pid}`);
    return run;
  }

  #saw({ kind, job }: EventPayloads['jobs:changed']): void {
    if (job === null) return;
    const name = `${kind} ${job.state}`;
    this.jobStates.set(name, (this.jobStates.get(name) ?? 0) + 1);
    this.onJob(job);
  }

  /** Like SIGKILL, between two steps. */
  kill(run: Run | null = this.run): void {
    if (run === null) return;
    const owner = run === this.run ? 'window' : 'command';
    if (owner === 'window') this.run = null;
    else this.command = null;
    this.kills += 1;
    this.#world.note(`killed process ${run.life.pid}`);
    this.#end(run.life, owner);
  }

  /** Ends every process, and loses everything that SQLite has not yet synced to the disk. */
  cutPower(): void {
    const lose = unsyncedBySQLite();
    this.kill(this.command);
    this.kill();
    lose();
    this.#world.note('the power was cut');
  }

  /** Resolves once the product has ended normally. Call `leave` to drop what remains of its process. */
  async stop(): Promise<void> {
    const { run } = this;
    if (run === null) return;
    await this.#world.lives.run(run.life, () => run.engine.stop());
    this.#world.lives.run(run.life, () => run.logger.flushSync());
  }

  /** Drops the process after a stop, with everything that remains of it. */
  leave(): void {
    const { run } = this;
    if (run === null) return;
    this.run = null;
    this.#end(run.life, 'window');
  }

  /** Ids of the connections that have entries in the keychain. */
  keptTokens(): string[] {
    return [...this.#kept.keys()];
  }

  #end(life: Life, owner: 'window' | 'command'): void {
    this.running.delete(life.pid);
    this.#world.end(life);
    currentThreads().forget(life);
    currentNetwork().forget(life);
    abandonDatabasesOf(life);
    closeFilesOf(life);
    resetModules(owner);
  }

  #keychain(life: Life, AppError: Starting['AppError']): Keychain {
    const answer = async <T>(work: () => T): Promise<T> => {
      await new Promise<void>((resolve) => {
        const delayMs = 1 + this.#draw.next() * 40;
        this.#world.add({ life, kind: 'message', label: KEYCHAIN_ANSWER, delayMs, run: resolve });
      });
      if (this.isKeychainLocked) throw new AppError('KEYCHAIN_UNAVAILABLE', 'The keychain is locked.');
      return work();
    };
    return {
      status: () =>
        Promise.resolve({ isAvailable: !this.isKeychainLocked, backend: 'simulated', reason: '' }),
      read: (id) => answer(() => this.#kept.get(id) ?? null),
      write: (id, token) => answer(() => void this.#kept.set(id, token)),
      remove: (id) => answer(() => void this.#kept.delete(id)),
      isBusy: () => false,
      isWaiting: () => false,
      onWaiting: () => undefined,
    };
  }
}
