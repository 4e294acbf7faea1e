/**
 * The open sessions of the process. A session is opened at the first use of a connection, and closed before the
 * connection's settings change.
 */
import { keepConnectionFile } from '../connections/connection-file.ts';
import { Queues } from '../core/queues.ts';
import { checkInBackground } from '../db/check-store.ts';
import { InUse } from '../db/in-use.ts';
import { onlyReads } from '../db/only-reads.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { updateStores } from '../db/update-store.ts';
import type { ConnectionList } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import { watchAlerts } from './alert-watch.ts';
import { endAll } from './end-all.ts';
import { areStoresOutdated } from './open-stores.ts';
import { noServiceError } from './sending-errors.ts';
import { createSession, type Session, type SessionDeps } from './session.ts';

interface SessionsDeps
  extends Omit<
    SessionDeps,
    'connection' | 'damage' | 'token' | 'tokenSought' | 'missingTokenError' | 'findToken'
  > {
  /** Delay after opening a connection until its large stores are checked completely in the background; null: never. */
  checksStoresAfterMs: number | null;
  /** Returns the connection to open. Throws NOT_FOUND. */
  prepare: (connectionId: string) => Promise<Connection>;
  /** The present address of a connection; null if it was removed. */
  baseUrlOf: (connectionId: string) => string | null;
  /** Called when the migration of a connection's stored data starts or ends. */
  onUpdating: () => void;
  /**
   * The token in memory for the address of this connection; null if there is none, or if it was entered for another
   * address.
   */
  heldToken: (connection: Connection) => string | null;
  /** Reads the token from the keychain if it is not in memory. */
  readToken: (connectionId: string) => Promise<string | null>;
  /** How long opening waits for the token; null: until the keychain has answered. */
  tokenPatienceMs: number | null;
  /** Starts the components of a session; default: `createSession`. */
  start?: (deps: SessionDeps) => Session;
}

/** Progress of opening. Before it has begun, nothing of the session exists, so closing has nothing to wait for. */
interface Progress {
  hasBegun: boolean;
  /** Resolves when other processes see that this process has the connection open. */
  entering: Promise<unknown> | null;
}

interface Opening {
  session: Promise<Session>;
  progress: Progress;
}

const UPDATING =
  'works with this connection, and what is stored of it is of an older version. Close the connection there, or quit it, then try again: it is updated then. Nothing was changed.';

/**
 * Attempts to be the only process that has a connection open, with a random pause before each further attempt; one
 * second in total.
 */
const MAX_TRIES = 10;
const MAX_PAUSE_MS = 200;

export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, Opening>();
  /**
   * Tasks that close, save, remove or repair a connection, one after another. Sessions are opened only when none is
   * pending.
   */
  readonly #exclusive = new Queues();
  /** Why the keychain did not provide a token, by connection. */
  readonly #tokenProblems = new Map<string, AppError>();
  /** Tokens that are being read, by connection. */
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
   * Runs `work` after all sessions of the connection have ended; new sessions wait until `work` has ended. With `of:
   * 'every process'`, throws CONFLICT and does nothing while another process has the connection open, and prevents
   * others from opening it until `work` has ended.
   */
  whileClosed<T>(
    connectionId: string,
    work: () => Promise<T>,
    of: 'this process' | 'every process',
  ): Promise<T> {
    return this.#exclusive.run(connectionId, async () => {
      const entering = this.#open.get(connectionId)?.progress.entering ?? null;
      // The error is reported to the caller that opened the session.
      if (entering !== null) await entering.catch(() => undefined);
      if (of === 'every process') this.#inUse.beAlone(connectionId);
      const closed: Connection[] = [];
      try {
        await this.#end(connectionId, (connection) => closed.push(connection));
        return await work();
      } finally {
        this.#inUse.leave(connectionId);
        for (const connection of closed) this.#tellClosed(connection);
      }
    });
  }

  /** Shows a new name and colour in the open session, whose work continues. */
  relabel(relabelled: Connection): void {
    const { id, name, colour } = relabelled;
    this.#open.get(id)?.session.then(
      ({ connection }) => {
        Object.assign(connection, { name, colour });
        if (!onlyReads()) keepConnectionFile(this.#deps.paths, connection, this.#deps.logger);
      },
      // The caller that opened it gets the error; the next session reads the new label.
      () => undefined,
    );
  }

  /** Forgets everything about a removed connection. */
  forgotten(connectionId: string): void {
    this.#inUse.remove(connectionId);
  }

  /** Forgets damage that was found in a file, because the file was replaced. */
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
    // A session that failed to open must not prevent the next attempt.
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

  /** Resumes failed requests of views. Does nothing if no session is open. */
  wake(connectionId: string): void {
    const log = (thrown: unknown) =>
      this.#deps.logger.warn('session not woken', { reason: toAppError(thrown).message });
    this.#open
      .get(connectionId)
      ?.session.then((session) => session.wake())
      .catch(log);
  }

  /** Probes the service of a connection, which has started or stopped. Does nothing if no session is open. */
  look(connectionId: string): void {
    this.#open.get(connectionId)?.session.then(
      (session) => session.look(),
      // The error is reported to the caller that opened the session.
      () => undefined,
    );
  }

  /** Requests to this service wait, because several in a row failed. Does nothing to sessions that are not open. */
  sawDown(origin: string, error: AppError): void {
    for (const opening of this.all()) {
      opening.then(
        ({ connection, network }) => {
          if (new URL(connection.baseUrl).origin === origin) network.sawFailure(error);
        },
        // The caller that opened it gets the error.
        () => undefined,
      );
    }
  }

  /** Differences between the answers to an open session and the expectations of this version; empty if none is open. */
  async differences(connectionId: string): Promise<readonly string[]> {
    const session = await this.#open.get(connectionId)?.session.catch(() => null);
    return session?.differences.texts ?? [];
  }

  /**
   * Sets the person's offline switch for all connections: no request is sent while it is on. Does not wait for sessions
   * that are opening, which can take minutes.
   */
  setOffline(isOffline: boolean): void {
    for (const opening of this.all())
      opening.then(
        ({ network }) => network.setOffline(isOffline),
        // The caller that opened it gets the error.
        () => undefined,
      );
  }

  /** Notes that a view was closed, so that its requests are not needed any more. Does nothing if no session is open. */
  releaseView(connectionId: string, viewId: string): void {
    this.#open.get(connectionId)?.session.then(
      ({ library, resources }) => {
        library.release(viewId);
        resources.release(viewId);
      },
      // A session that failed to open has sent no requests.
      () => undefined,
    );
  }

  /** Ends the session of a connection. The next session starts after that. */
  close(connectionId: string): Promise<void> {
    return this.whileClosed(connectionId, () => Promise.resolve(), 'this process');
  }

  /** Ends all sessions, even if one of them fails, and opens no more. Throws the first failure. */
  async stop(): Promise<void> {
    this.#hasEnded = true;
    const closing = this.ids().map((connectionId) => () => this.close(connectionId));
    // Waits for sessions of connections that are being saved or removed, which are not in the list any more.
    await endAll([...closing, () => this.#exclusive.settled()], 'at once');
  }

  /** `onClosing`: called with the connection of the session, as it was when the session was opened. */
  async #end(connectionId: string, onClosing: (connection: Connection) => void): Promise<void> {
    const opening = this.#open.get(connectionId);
    if (opening?.progress.hasBegun !== true) return;
    this.#open.delete(connectionId);
    await this.#updates.get(connectionId)?.end();
    // A session that failed to open has nothing to end.
    const session = await opening.session.catch(() => null);
    if (session === null) return;
    onClosing(session.connection);
    await session.stop();
  }

  /** Reports that lists and records must be opened again, unless their connection was removed. */
  #tellClosed({ id, baseUrl }: Connection): void {
    if (this.#hasEnded) return;
    try {
      const now = this.#deps.baseUrlOf(id);
      const isMoved = now !== baseUrl;
      if (now !== null) this.#deps.publish('connections:session-closed', { connectionId: id, isMoved });
    } catch (thrown) {
      // The work that closed the session has its own result or error, which this must not replace.
      this.#deps.logger.warn('closed session not reported', { reason: toAppError(thrown).message });
    }
  }

  /**
   * Waits until no task of closing, saving, removing or repairing the connection is pending; after that, its session
   * exists.
   */
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
      baseUrlOf: ____,
      ...deps
    } = this.#deps;
    await this.#enter(connectionId, progress);
    const entering = this.#inUse.enter(connectionId).then(() => this.#isAloneToUpdate(connectionId));
    progress.entering = entering;
    const isUpdating = await entering;
    progress.entering = null;
    // Read after entering, when no other process can change the connection any more.
    const connection = await prepare(connectionId);
    await this.#patiently(this.#findToken(connectionId));
    const notUpdated = await this.#update(connectionId);
    if (!onlyReads()) keepConnectionFile(deps.paths, connection, deps.logger);
    const session = start({
      ...deps,
      connection,
      files: deps.files.ownedBy(connectionId),
      damage: new Map([...notUpdated, ...this.#damage]),
      token: () => heldToken(connection),
      tokenSought: () => this.#seeking.get(connectionId) ?? null,
      missingTokenError: () => this.#tokenProblems.get(connectionId) ?? null,
      findToken: () => this.#findToken(connectionId),
    });
    if (isUpdating) {
      try {
        await this.#inUse.share(connectionId);
      } catch (thrown) {
        await session.stop();
        throw thrown;
      }
    }
    const watched = deps.resumesUploads && connection.kind !== 'pack' ? this.#withAlerts(session) : session;
    return checksStoresAfterMs === null ? watched : this.#withChecks(watched, checksStoresAfterMs);
  }

  /**
   * Whether stores must be migrated, in which case no other process has the connection open: one of an older version
   * would continue to write to tables that it does not know. Throws CONFLICT if a process has it open.
   */
  async #isAloneToUpdate(connectionId: string): Promise<boolean> {
    const { paths, clock, random } = this.#deps;
    for (let tries = 1; areStoresOutdated(paths, connectionId); tries += 1) {
      try {
        this.#inUse.beAlone(connectionId, UPDATING);
        return true;
      } catch (thrown) {
        if (tries === MAX_TRIES) throw thrown;
      }
      // Another process of this version may have opened the connection at the same moment in order to migrate it. After
      // both have released it, one of them succeeds.
      this.#inUse.leave(connectionId);
      await new Promise<void>((resolve) => {
        clock.setTimer(resolve, MAX_PAUSE_MS * random.next());
      });
      await this.#inUse.enter(connectionId);
    }
    return false;
  }

  /** Checks for new alerts while the session is open. */
  #withAlerts(session: Session): Session {
    const { clock, logger, settings, publish } = this.#deps;
    const { library, client, layout, network, connection } = session;
    const end = watchAlerts({
      ...{ clock, logger, library, client, layout },
      everyMs: () => settings().alertsEveryMs,
      canAsk: () => noServiceError(network) === null,
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

  /** Migrates large stores of earlier versions. Returns the errors of stores that could not be migrated, by file. */
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

  /**
   * Waits for the token only for a limited time: stored data can be read while a person is asked for permission, and
   * requests wait for the token themselves.
   */
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

  /** Reads the token. Never throws. */
  async #readToken(connectionId: string): Promise<void> {
    this.#tokenProblems.delete(connectionId);
    try {
      await this.#deps.readToken(connectionId);
    } catch (thrown) {
      // The keychain may be locked or missing. Stored data stays readable, and requests report the missing token.
      const error = toAppError(thrown);
      this.#tokenProblems.set(connectionId, error);
      this.#deps.logger.warn('token not read', { code: error.code, reason: error.message });
    } finally {
      this.#seeking.delete(connectionId);
    }
  }

  /** Checks the large stores of a session in the background; a store found to be damaged is not used any more. */
  #withChecks(session: Session, afterMs: number): Session {
    const { paths, clock, logger } = this.#deps;
    const { id } = session.connection;
    // Stores that are known to be damaged are skipped, because finding the damage again would close the session with
    // its working stores.
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
