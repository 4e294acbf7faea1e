/** The open sessions of the process: opened on first need, one per connection, closed before their settings change. */
import { keepConnectionFile } from '../connections/connection-file.ts';
import { Queues } from '../core/queues.ts';
import { checkInBackground } from '../db/check-store.ts';
import { InUse } from '../db/in-use.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { updateStores } from '../db/update-store.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import { watchAlerts } from './alert-watch.ts';
import { endAll } from './end-all.ts';
import { absence } from './sending-refusal.ts';
import { createSession, type Session, type SessionDeps } from './session.ts';

interface SessionsDeps
  extends Omit<SessionDeps, 'connection' | 'damage' | 'token' | 'tokenSought' | 'whyNoToken' | 'findToken'> {
  /** How long after opening large stores are read whole in the background to see that they are sound; null: never. */
  checksStoresAfterMs: number | null;
  /** The connection as it is to be opened. Throws NOT_FOUND. */
  prepare: (connectionId: string) => Promise<Connection>;
  /** The stored data of a connection is being brought to this version, or that has ended. */
  onUpdating: () => void;
  /** The token held for the address of this connection; null if there is none, or it was entered for another address. */
  heldToken: (connection: Connection) => string | null;
  /** Reads the token from the keychain where none is held. */
  readToken: (connectionId: string) => Promise<string | null>;
  /** How long an opening waits for that; null: until it has ended. */
  tokenPatienceMs: number | null;
  /** Starts the parts of a session; absent: `createSession`. */
  start?: (deps: SessionDeps) => Session;
}

/** Until an opening has begun nothing of the session exists, so that closing has nothing to wait for. */
interface Progress {
  hasBegun: boolean;
  /** Until other processes see that it is open here. */
  entering: Promise<void> | null;
}

interface Opening {
  session: Promise<Session>;
  progress: Progress;
}

export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, Opening>();
  /** Closing, saving, forgetting and repairing of a connection, one after another. Sessions open when none is left. */
  readonly #exclusive = new Queues();
  /** Why the keychain did not give a token, by connection. */
  readonly #tokenProblems = new Map<string, AppError>();
  /** Readings of tokens that are under way, by connection. */
  readonly #seeking = new Map<string, Promise<void>>();
  readonly #damage = new Map<string, AppError>();
  readonly #inUse: InUse;
  readonly #updates = new Map<string, { sizeBytes: number; share: number; end: () => Promise<void> }>();
  #hasEnded = false;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    const { paths, clock, logger, random } = deps;
    this.#inUse = new InUse({
      ...{ folder: paths.inUseDir, owner: random.uuid(), process: systemIdentity(), clock, logger },
    });
  }

  /**
   * Runs `work` after every session of the connection has ended; whoever asks for a session waits until `work` has, too.
   * `of: 'every process'`: throws CONFLICT, with nothing done, while another process has the connection open, and none
   * opens it until `work` has ended.
   */
  whileClosed<T>(
    connectionId: string,
    work: () => Promise<T>,
    of: 'this process' | 'every process',
  ): Promise<T> {
    return this.#exclusive.run(connectionId, async () => {
      const entering = this.#open.get(connectionId)?.progress.entering ?? null;
      // Why it could not be opened is said to whoever opens it.
      if (entering !== null) await entering.catch(() => undefined);
      if (of === 'every process') this.#inUse.beAlone(connectionId);
      try {
        await this.#end(connectionId);
        return await work();
      } finally {
        this.#inUse.leave(connectionId);
      }
    });
  }

  /** Nothing is left of it here. */
  forgotten(connectionId: string): void {
    this.#inUse.remove(connectionId);
  }

  /** The file is another one than that in which damage was found. */
  forgetDamage(file: string): void {
    this.#damage.delete(file);
  }

  ids(): string[] {
    return [...this.#open.keys()];
  }

  all(): Promise<Session>[] {
    return [...this.#open.values()].map(({ session }) => session);
  }

  get(connectionId: string): Promise<Session> {
    const known = this.#open.get(connectionId);
    if (known !== undefined) return known.session;
    const progress: Progress = { hasBegun: false, entering: null };
    const opening: Opening = { session: this.#create(connectionId, progress), progress };
    this.#open.set(connectionId, opening);
    // A session that did not open must not stand in the way of the next try.
    opening.session.catch((thrown: unknown) => {
      if (this.#open.get(connectionId) !== opening) return;
      this.#open.delete(connectionId);
      if (toAppError(thrown).code === 'NOT_FOUND') this.#inUse.remove(connectionId);
      else this.#inUse.leave(connectionId);
    });
    return opening.session;
  }

  updating(): ConnectionList['updating'] {
    return [...this.#updates].map(([connectionId, { sizeBytes, share }]) => ({
      connectionId,
      sizeBytes,
      share,
    }));
  }

  /** What a view asked for in vain can be asked again. Does nothing where no session is open. */
  wake(connectionId: string): void {
    const log = (thrown: unknown) =>
      this.#deps.logger.warn('session not woken', { reason: toAppError(thrown).message });
    this.#open
      .get(connectionId)
      ?.session.then((session) => session.wake())
      .catch(log);
  }

  /** The service of a connection came or went: asks it at once. Does nothing where no session is open. */
  look(connectionId: string): void {
    this.#open.get(connectionId)?.session.then(
      (session) => session.look(),
      // One that did not open says so to whoever asked for it.
      () => undefined,
    );
  }

  /** The person's switch, for every connection: no request leaves while it is on. */
  async setOffline(isOffline: boolean): Promise<void> {
    const opened = await Promise.allSettled(this.all());
    for (const each of opened) if (each.status === 'fulfilled') each.value.network.setOffline(isOffline);
  }

  /** A view was left: nobody waits for what it asked for. Does nothing where no session is open. */
  releaseView(connectionId: string, viewId: string): void {
    this.#open.get(connectionId)?.session.then(
      ({ library, resources }) => {
        library.release(viewId);
        resources.release(viewId);
      },
      // One that did not open asked for nothing.
      () => undefined,
    );
  }

  /** Ends the session of a connection. The next one begins after that. */
  close(connectionId: string): Promise<void> {
    return this.whileClosed(connectionId, () => Promise.resolve(), 'this process');
  }

  /** Ends all sessions, each even if another one fails, and opens no more. Throws the first failure. */
  async stop(): Promise<void> {
    this.#hasEnded = true;
    await endAll(
      this.ids().map((connectionId) => () => this.close(connectionId)),
      'at once',
    );
  }

  async #end(connectionId: string): Promise<void> {
    const opening = this.#open.get(connectionId);
    if (opening?.progress.hasBegun !== true) return;
    this.#open.delete(connectionId);
    await this.#updates.get(connectionId)?.end();
    // A session that did not open has nothing to end.
    await (await opening.session.catch(() => null))?.stop();
  }

  /** Waits until nobody works on the connection; from then on its session exists. */
  async #enter(connectionId: string, progress: Progress): Promise<void> {
    for (
      let busy = this.#exclusive.busy(connectionId);
      busy !== null;
      busy = this.#exclusive.busy(connectionId)
    )
      await busy;
    if (this.#hasEnded) {
      throw new AppError('CANCELLED', 'The application is closing.', { outcome: 'unsent' });
    }
    progress.hasBegun = true;
  }

  async #create(connectionId: string, progress: Progress): Promise<Session> {
    const {
      checksStoresAfterMs,
      prepare,
      heldToken,
      start = createSession,
      readToken: _,
      onUpdating: __,
      tokenPatienceMs: ___,
      ...deps
    } = this.#deps;
    await this.#enter(connectionId, progress);
    progress.entering = this.#inUse.enter(connectionId);
    await progress.entering;
    progress.entering = null;
    // Read once no other process can change it any more.
    const connection = await prepare(connectionId);
    await this.#patiently(this.#findToken(connectionId));
    const notUpdated = await this.#update(connectionId);
    keepConnectionFile(deps.paths, connection, deps.logger);
    const session = start({
      ...deps,
      connection,
      files: deps.files.ownedBy(connectionId),
      damage: new Map([...notUpdated, ...this.#damage]),
      token: () => heldToken(connection),
      tokenSought: () => this.#seeking.get(connectionId) ?? null,
      whyNoToken: () => this.#tokenProblems.get(connectionId) ?? null,
      findToken: () => this.#findToken(connectionId),
    });
    const watched = deps.resumesUploads && connection.kind !== 'pack' ? this.#withAlerts(session) : session;
    return checksStoresAfterMs === null ? watched : this.#withChecks(watched, checksStoresAfterMs);
  }

  /** Looks for new alerts while the session is open. */
  #withAlerts(session: Session): Session {
    const { clock, logger, settings, publish } = this.#deps;
    const { library, client, layout, network, connection } = session;
    const end = watchAlerts({
      ...{ clock, logger, library, client, layout },
      everyMs: () => settings().alertsEveryMs,
      canAsk: () => absence(network) === null,
      onFired: (alerts) => publish('alerts:fired', { connectionId: connection.id, alerts }),
    });
    return {
      ...session,
      stop: async () => {
        await end();
        await session.stop();
      },
    };
  }

  /** Large stores of an older version first; why one could not be brought up to date, by file. */
  async #update(connectionId: string): Promise<ReadonlyMap<string, AppError>> {
    const { paths, clock, logger, onUpdating } = this.#deps;
    const files = {
      library: paths.libraryDb(connectionId),
      uploads: paths.uploadsDb(connectionId),
      datasets: paths.datasetsDb(connectionId),
    };
    const update = updateStores(files, { clock, logger }, (share) => {
      const known = this.#updates.get(connectionId);
      if (known === undefined) return;
      known.share = share;
      onUpdating();
    });
    if (update === null) return new Map();
    const going = { sizeBytes: update.sizeBytes, share: 0, end: update.end };
    this.#updates.set(connectionId, going);
    onUpdating();
    try {
      return await update.done;
    } finally {
      this.#updates.delete(connectionId);
      onUpdating();
    }
  }

  /** What is stored can be read while a person is asked for permission; requests wait for the token by themselves. */
  async #patiently(seeking: Promise<void>): Promise<void> {
    const { clock, tokenPatienceMs } = this.#deps;
    if (tokenPatienceMs === null) return seeking;
    const enough = Promise.withResolvers<void>();
    const cancelTimer = clock.setTimer(() => enough.resolve(), tokenPatienceMs, 'waiting for the token');
    await Promise.race([seeking, enough.promise]);
    cancelTimer();
  }

  #findToken(connectionId: string): Promise<void> {
    const seeking = this.#seeking.get(connectionId) ?? this.#readToken(connectionId);
    this.#seeking.set(connectionId, seeking);
    return seeking;
  }

  /** Does not throw. */
  async #readToken(connectionId: string): Promise<void> {
    this.#tokenProblems.delete(connectionId);
    try {
      await this.#deps.readToken(connectionId);
    } catch (thrown) {
      // The keychain may be locked or gone: what is stored stays readable, and a call says what is missing.
      const error = toAppError(thrown);
      this.#tokenProblems.set(connectionId, error);
      this.#deps.logger.warn('token not read', { code: error.code, reason: error.message });
    } finally {
      this.#seeking.delete(connectionId);
    }
  }

  /** Reads the large stores of a session in the background; one that is damaged is not used from the next call on. */
  #withChecks(session: Session, afterMs: number): Session {
    const { paths, clock, logger } = this.#deps;
    const { id } = session.connection;
    // One that is known to be damaged is not open; finding that again would close what works beside it.
    const files = [paths.libraryDb(id), paths.uploadsDb(id), paths.datasetsDb(id)].filter(
      (file) => !this.#damage.has(file),
    );
    const ends = files.map((file) => {
      const onDamage = (error: AppError) => {
        this.#damage.set(file, error);
        logger.error('store damaged', { reason: error.message });
        this.close(id).catch((thrown: unknown) => {
          logger.error('session not closed', { reason: toAppError(thrown).message });
        });
      };
      return checkInBackground(file, afterMs, { clock, logger, onDamage });
    });
    return {
      ...session,
      stop: async () => {
        for (const end of ends) end();
        await session.stop();
      },
    };
  }
}
