/** An engine with its own folder, a scripted server, and a keychain in memory. */
import { afterEach, beforeEach, expect } from 'vitest';
import { createEngine, type Engine } from '../../electron/engine/engine.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import type { Keychain } from '../../electron/platform/keychain.ts';
import { createFileLogger, type FileLogger } from '../../electron/platform/logger.ts';
import { type DataPaths, dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { FiredAlert } from '../../electron/shared/alert-record.ts';
import type { ConnectionList } from '../../electron/shared/contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Connection, ConnectionDraft, Freshness, ListQuery } from '../../electron/shared/model.ts';
import type { Settings } from '../../electron/shared/settings.ts';
import { DataFolder } from './data-folder.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from './scripted-server.ts';

export const ENGINE_TOKEN = 'engine-token-0123456789';
export const APPLICATIONS: ListQuery = { operation: 'applications.list', path: {}, query: {} };

/** A service with one application. */
export const applicationAnswers: Script = (request, response) =>
  request.url.startsWith('/v3/server-info')
    ? sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { server_version: '1' } })
    : sendPage(response, [{ id: 'a', name: 'Support assistant' }], request);

export function draft(baseUrl: string, id: string | null = null): ConnectionDraft {
  return {
    id,
    name: 'Staging',
    baseUrl,
    colour: 'teal',
    isReadOnly: false,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'keychain',
  };
}

export class EngineRig {
  readonly folder: DataFolder;
  paths: DataPaths;
  readonly logger: FileLogger;
  readonly server: ScriptedServer;
  engine: Engine;
  /** Network states that were reported, in order. */
  networks: string[] = [];
  /** Times of the service's last answer that were reported, in order. */
  answers: (number | null)[] = [];
  /** The notice to give if `paths` belong to a copied profile; null if they do not. */
  copyNotice: string | null = null;
  /** How far the engine's clock is ahead, in ms. */
  aheadMs = 0;
  /** Factor by which timers of an engine that starts now are shortened. */
  haste = 1;
  /** Alerts that were reported, in order. */
  readonly fired: FiredAlert[][] = [];
  /** Whether the keychain fails. */
  isLocked = false;
  /** Set if the system asks the user first: the promise that ends this question, once the keychain is used. */
  permission: PromiseWithResolvers<void> | null = null;
  /** Migrations of stored data that were reported, in order. */
  updating: ConnectionList['updating'][] = [];
  /** Whether the sample service runs, as it was reported to the window. */
  readonly sampleRuns: boolean[] = [];
  /** Settings, and names of the connections, as they were reported to the window. */
  readonly settings: Settings[] = [];
  readonly named: string[][] = [];
  /** Gets every event for the window. */
  hear: (channel: string, payload: unknown) => void = () => undefined;
  #states: Freshness[] = [];
  readonly #kept = new Map<string, string>();

  private constructor(server: ScriptedServer, folder: DataFolder) {
    this.server = server;
    this.folder = folder;
    this.paths = dataPaths(folder.path);
    this.logger = createFileLogger(this.paths.logsDir, systemClock);
    this.engine = this.start();
  }

  static async open(folder: DataFolder = new DataFolder()): Promise<EngineRig> {
    return new EngineRig(await ScriptedServer.start(applicationAnswers), folder);
  }

  async close(): Promise<void> {
    await this.engine.stop();
    await this.server[Symbol.asyncDispose]();
    this.logger.flushSync();
    this.folder[Symbol.dispose]();
  }

  /** Starts another engine on the same folder. */
  start(): Engine {
    this.engine = createEngine({
      paths: this.paths,
      clock: {
        ...systemClock,
        nowMs: () => systemClock.nowMs() + this.aheadMs,
        setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / this.haste),
      },
      random: systemRandom,
      logger: this.logger,
      keychain: this.#keychain(),
      startChild: startNodeChild,
      followsOfflineAtStart: true,
      resumesUploads: true,
      checksStoresAfterMs: 0,
      copyNotice: this.copyNotice,
      // The time that the user takes does not count as a delay here.
      tokenPatienceMs: this.permission === null ? null : 0,
      publish: (channel, payload) => {
        this.hear(channel, payload);
        if (channel === 'library:list-changed' && 'state' in payload && 'listKey' in Object(payload.state)) {
          this.#states.push((payload.state as { freshness: Freshness }).freshness);
        }
        if (channel === 'alerts:fired' && 'alerts' in payload) this.fired.push(payload.alerts);
        if (channel === 'connections:network-changed' && 'sinceMs' in payload) {
          this.networks.push(payload.state);
          this.answers.push(payload.lastAnswerMs);
        }
        if (channel === 'settings:changed' && 'privateFields' in payload) this.settings.push(payload);
        if (channel === 'connections:changed' && 'updating' in payload) {
          this.updating.push(payload.updating);
          this.sampleRuns.push(payload.isSampleRunning);
          this.named.push(payload.connections.map(({ name }) => name));
        }
      },
    });
    return this.engine;
  }

  /** Opens the list of applications, and waits until no read is in flight. */
  async read(connectionId: string, refresh: 'always' | 'never' = 'always'): Promise<Freshness> {
    const { library } = await this.engine.session(connectionId);
    this.#states = [];
    const opened = await library.openList({ viewId: 'view', query: APPLICATIONS, refresh });
    if (opened.freshness.refresh.phase !== 'loading') return opened.freshness;
    await expect.poll(() => this.#states.at(-1)?.refresh.phase).not.toBe('loading');
    await expect.poll(() => this.#states.length).toBeGreaterThan(0);
    return this.#states.at(-1) ?? opened.freshness;
  }

  /** Saves a connection, and reads its applications so that they are stored. */
  async readOnce(): Promise<Connection> {
    const connection = await this.engine.connections.save(draft(this.server.baseUrl), ENGINE_TOKEN);
    expect(await this.read(connection.id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
    return connection;
  }

  #keychain(): Keychain {
    const kept = this.#kept;
    const answer = <T>(value: T): Promise<T> =>
      this.isLocked
        ? Promise.reject(new AppError('KEYCHAIN_UNAVAILABLE', 'It is locked.'))
        : Promise.resolve(value);
    return {
      status: () => answer({ isAvailable: true, backend: 'stand-in', reason: '' }),
      read: async (id) => {
        await this.permission?.promise;
        return answer(kept.get(id) ?? null);
      },
      write: (id, token) => answer(undefined).then(() => void kept.set(id, token)),
      remove: (id) => answer(undefined).then(() => void kept.delete(id)),
      isBusy: () => false,
      isWaiting: () => false,
      onWaiting: () => undefined,
    };
  }
}

/** Creates a separate rig for every test of the file. */
export function engineRig(): () => EngineRig {
  let rig: EngineRig;
  beforeEach(async () => {
    rig = await EngineRig.open();
  });
  afterEach(() => rig.close());
  return () => rig;
}
