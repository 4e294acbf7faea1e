/**
 * Any interleaving of actions: a token is only sent to the origin it was typed for, and each connection has one
 * session.
 */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import {
  type ConnectionService,
  createConnectionService,
} from '../../electron/connections/connection-service.ts';
import { TokenVault } from '../../electron/connections/token-vault.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import { openAppStore } from '../../electron/db/app-store.ts';
import type { Session, SessionDeps } from '../../electron/engine/session.ts';
import { Sessions } from '../../electron/engine/sessions.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import type { Keychain } from '../../electron/platform/keychain.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ConnectionDraft } from '../../electron/shared/model.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import type { FileRegistry } from '../../electron/uploads/types.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const folder = new DataFolder();
const paths = dataPaths(folder.path);
const clock = new VirtualClock();
const store = openAppStore({ file: paths.appDb, clock, logger: silentLogger });
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

const HOSTS = ['a.example', 'b.example'] as const;
const IDS = ['00000000-0000-8000-8000-00000000000a', '00000000-0000-8000-8000-00000000000b'] as const;

const act = fc.record({
  kind: fc.constantFrom('save', 'save', 'rename', 'forget', 'session', 'session', 'close', 'restart', 'read'),
  id: fc.constantFrom(...IDS),
  host: fc.constantFrom(...HOSTS),
  storage: fc.constantFrom('keychain', 'memory'),
  isRefused: fc.boolean(),
} as const);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const draftOf = ({ id, host, storage }: Pick<Act, 'id' | 'host' | 'storage'>): ConnectionDraft => ({
  ...{ id, name: `At ${host}`, baseUrl: `https://${host}`, colour: 'teal', isReadOnly: false },
  ...{ allowsPlainHttp: false, proxyUrl: null, extraCaFile: null, tokenStorage: storage },
});

/** The parts of one process with the shared store and keychain. Waits end in the order that `scheduler` chooses. */
class World {
  readonly scheduler: fc.Scheduler;
  readonly kept = new Map<string, string>();
  readonly sent: { origin: string; token: string }[] = [];
  /** Number of running sessions by connection. */
  readonly live = new Map<string, number>();
  mostLive = 0;
  isKeychainBroken = false;
  connections!: ConnectionService;
  sessions!: Sessions;
  /** The sessions of all processes. */
  readonly processes: Sessions[] = [];

  constructor(scheduler: fc.Scheduler) {
    this.scheduler = scheduler;
    for (const { id } of store.listConnections()) store.removeConnection(id);
    this.start();
  }

  /** Starts a process with an empty memory. The previous process keeps running. */
  start(): void {
    const vault = new TokenVault(() => undefined);
    const sessions: Sessions = new Sessions({
      heldBy: () => null,
      onMoved: () => undefined,
      ...{ paths, random: systemRandom, logger: silentLogger, foreground: new Foreground(clock) },
      // A wait for another process ends when the scheduler chooses.
      clock: {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        setTimer: (callback) => {
          void this.wait('timer').then(callback);
          return () => undefined;
        },
      },
      scheduler: { resume: () => undefined } as unknown as SessionDeps['scheduler'],
      files: { ownedBy: () => null } as unknown as FileRegistry,
      startChild: startNodeChild,
      settings: () => DEFAULT_SETTINGS,
      resumesUploads: false,
      checksStoresAfterMs: null,
      tokenPatienceMs: null,
      publish: () => undefined,
      prepare: async (id) => {
        await this.wait('prepare');
        return connections.get(id);
      },
      onUpdating: () => undefined,
      sampleError: () => null,
      baseUrlOf: () => null,
      heldToken: (connection) => connections.heldToken(connection),
      readToken: (id) => connections.token(connections.get(id)),
      readSecret: (connection, kind) => connections.secret(connection, kind),
      start: (deps) => this.#session(deps),
    });
    const connections = createConnectionService({
      ...{ store, vault, paths, clock, random: systemRandom, parseBaseUrl, keychain: this.#keychain() },
      whileClosed: (id, work, of) => sessions.whileClosed(id, work, of),
      onTokenKnown: () => undefined,
      onRelabelled: (connection) => sessions.relabel(connection),
      onForgotten: (id) => sessions.forgotten(id),
      clearLogs: () => this.wait('logs'),
      forgetAgents: () => undefined,
      removeCopies: () => this.wait('copies'),
      isSampleRunning: () => false,
      updating: () => [],
      onChanged: () => undefined,
    });
    this.connections = connections;
    this.sessions = sessions;
    this.processes.push(sessions);
  }

  async wait(label: string): Promise<void> {
    await this.scheduler.schedule(Promise.resolve(), label);
  }

  /** A session that sends three requests. As when a job stops, stopping it waits for the request in flight. */
  #session({ connection, token }: SessionDeps): Session {
    const { origin } = new URL(connection.baseUrl);
    const now = (this.live.get(connection.id) ?? 0) + 1;
    this.live.set(connection.id, now);
    this.mostLive = Math.max(this.mostLive, now);
    const send = async () => {
      for (let count = 0; count < 3; count += 1) {
        await this.wait('send');
        const held = token();
        if (held !== null) this.sent.push({ origin, token: held });
      }
    };
    const sending = send();
    const stop = async () => {
      await sending;
      await this.wait('stop');
      this.live.set(connection.id, (this.live.get(connection.id) ?? 0) - 1);
    };
    return { connection, stop } as unknown as Session;
  }

  #keychain(): Keychain {
    const kept = this.kept;
    const use = async <T>(label: string, work: () => T): Promise<T> => {
      await this.wait(label);
      if (this.isKeychainBroken) throw new AppError('KEYCHAIN_FAILED', 'It is locked.');
      return work();
    };
    return {
      status: () => Promise.resolve({ isAvailable: true, backend: 'stand-in', reason: '' }),
      read: (id) => use('keychain read', () => kept.get(id) ?? null),
      write: (id, token) => use('keychain write', () => void kept.set(id, token)),
      remove: (id) => use('keychain remove', () => void kept.delete(id)),
      isBusy: () => false,
      isWaiting: () => false,
      onWaiting: () => undefined,
    };
  }

  async do(one: Act, place: number): Promise<void> {
    const token = `token of https://${one.host} no ${place} 0123456789`;
    if (one.kind === 'save') await this.connections.save(draftOf(one), token);
    if (one.kind === 'rename') {
      const known = store.listConnections().find(({ id }) => id === one.id);
      if (known !== undefined) await this.connections.save({ ...draftOf(one), baseUrl: known.baseUrl }, null);
    }
    if (one.kind === 'forget') await this.connections.forget(one.id);
    if (one.kind === 'session') await this.sessions.get(one.id);
    if (one.kind === 'close') await this.sessions.close(one.id);
    if (one.kind === 'read') await this.connections.token(this.connections.get(one.id));
  }
}

/** Codes of expected errors: a missing connection, a failing keychain, a cancel. Any other error is a fault. */
const EXPECTED = new Set(['NOT_FOUND', 'NO_TOKEN', 'KEYCHAIN_FAILED', 'CANCELLED', 'CONFLICT']);

test('no order of saves, renames, removals, sessions, stops and restarts pairs a token with another origin', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(act, { minLength: 2, maxLength: 10 }),
      async (scheduler, acts) => {
        const world = new World(scheduler);
        const unexpected: unknown[] = [];
        const running = acts.map(async (one, place) => {
          await world.wait(one.kind);
          if (one.kind === 'restart') return world.start();
          world.isKeychainBroken = one.isRefused && one.kind === 'save';
          await world.do(one, place).catch((thrown: unknown) => {
            if (!(thrown instanceof AppError && EXPECTED.has(thrown.code))) unexpected.push(thrown);
          });
        });
        await scheduler.waitFor(Promise.all(running));
        world.isKeychainBroken = false;
        const isOneProcess = !acts.some(({ kind }) => kind === 'restart');
        for (const { id } of store.listConnections()) {
          const session = await scheduler.waitFor(world.sessions.get(id));
          // With two processes, the session of the second can differ: it started with the row as it was then.
          if (isOneProcess) expect(session.connection).toEqual(world.connections.get(id));
        }
        await scheduler.waitFor(Promise.all(world.processes.map((sessions) => sessions.stop())));
        for (const { origin, token } of world.sent) expect(token).toContain(`token of ${origin} no `);
        if (isOneProcess) expect(world.mostLive).toBeLessThanOrEqual(1);
        expect(unexpected).toEqual([]);
      },
    ),
    { numRuns: runs(500, 5_000) },
  );
});
