import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { parseBaseUrl } from '../api/base-url.ts';
import { tokenId } from '../connections/token-vault.ts';
import { endAll } from '../engine/end-all.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import { startNodeChild } from '../platform/child-process.ts';
import { usableData } from '../platform/data-copy.ts';
import type { Keychain } from '../platform/keychain.ts';
import { createFileLogger } from '../platform/logger.ts';
import { type DataPaths, dataPaths, defaultDataDir, makeDataDir } from '../platform/paths.ts';
import { systemClock, systemRandom } from '../platform/system.ts';
import { systemCertificates } from '../platform/system-certificates.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import { AppError } from '../shared/errors.ts';
import { accessToken, type Connection, KEYCHAIN_WAITS } from '../shared/model.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import { checkAnswerFile } from './answer-file.ts';
import type { Arguments } from './arguments.ts';
import { connectionNames, findConnection } from './connection-choice.ts';
import { createLongWaits, type LongWaits } from './long-waits.ts';
import { type AnswerOptions, createOutput, type Output, type Streams } from './output.ts';
import { withSentTimes } from './time-range.ts';

/** Resources of the process for the command that it runs. */
export interface Surroundings extends Streams {
  readonly stdin: Readable;
  /** The value of SPANDECK_TOKEN; empty if it was not set. */
  readonly token: string;
  readonly keychain: Keychain;
  readonly version: () => Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Whether the reader of standard output has closed it. */
  readonly isReaderGone: () => boolean;
  /** Whether standard output could not be written, and this error was printed. */
  readonly isUnwritten: () => boolean;
}

/** The resources of a command. */
export interface CommandContext {
  args: Arguments;
  output: Output;
  engine: Engine;
  /** The session of the connection that is chosen by --base-url or --connection, or was last used in the window. */
  session(): Promise<Session>;
  /** The connection named by the arguments, with the given token. It is not opened. */
  connection(): Promise<Connection>;
  /** Listens to the events that the window would get. */
  listen<C extends EventChannel>(channel: C, listener: (payload: EventPayloads[C]) => void): () => void;
  /** The id of the connection found by --base-url and the token; null if there is none. */
  idOfToken(): string | null;
  stdin: Readable;
  stdout: Streams['stdout'];
  env: NodeJS.ProcessEnv;
  /** Name and version of the program. */
  version: () => Promise<string>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** `isTokenRefused`: forgets a connection that was created for this token, if it has no data. */
  close(isTokenRefused: boolean): Promise<void>;
}

/** Why a command works offline. */
const offlineReason = ({ command }: Arguments): string => {
  if (command === 'mcp') return 'Agents read only what is stored.';
  const later = Object.hasOwn(LATER, command) ? ` ${LATER[command]}` : '';
  return `This command runs with --offline. Run it again without it to reach the service.${later}`;
};

const OUTBOX = 'With --outbox instead, the change waits in the outbox.';
/** Advice for working without the service, by command. */
const LATER: Readonly<Record<string, string>> = {
  create: OUTBOX,
  update: OUTBOX,
  delete: OUTBOX,
  upload: '--start-at plans it for later; upload-file --offline plans a whole file for the next window.',
};

/** Paths of the data folder that the arguments name. Throws INVALID_ARGUMENT for an empty name. */
export function namedData(typed: Arguments, env: NodeJS.ProcessEnv): DataPaths {
  const dataDir = typed.text('data-dir');
  // An empty name would mean the current folder.
  if (dataDir === '') throw new AppError('INVALID_ARGUMENT', '--data-dir expects a folder, got nothing.');
  return dataPaths(dataDir ?? defaultDataDir(process.platform, env));
}

/** Creates the context of a command. `readPaths` is given only for a process that only reads. */
export function createContext(
  typed: Arguments,
  surroundings: Surroundings,
  readPaths: DataPaths | null = null,
): CommandContext {
  const { env, stdin, keychain, signal } = surroundings;
  const { paths, copyNotice } =
    readPaths === null ? usableData(namedData(typed, env)) : { paths: readPaths, copyNotice: null };
  if (readPaths === null) makeDataDir(paths);
  const logger = createFileLogger(paths.logsDir, systemClock);
  const listeners = new Set<(channel: EventChannel, payload: unknown) => void>();
  const engine = createEngine({
    paths,
    clock: systemClock,
    random: systemRandom,
    logger,
    keychain,
    startChild: startNodeChild,
    surroundings: { environment: process.env, systemProxy: null, systemCertificates },
    // The window's offline switch does not apply to commands, which use the service unless --offline is given.
    settingsOverride: { prefetchRows: typed.isAll ? 1_000_000 : 0, worksOffline: typed.isOffline },
    ...(typed.isOffline ? { offlineReason: offlineReason(typed) } : {}),
    followsOfflineAtStart: false,
    resumesUploads: false,
    // A command reads little and ends soon, so stores are not checked; SQLite reports a broken page that the command
    // needs.
    checksStoresAfterMs: null,
    tokenPatienceMs: null,
    copyNotice,
    publish: (channel, payload) => {
      for (const listener of listeners) listener(channel, payload);
    },
  });
  const output = createOutput(typed.isJson, systemClock.nowMs, surroundings, answerOptions(typed));
  // The zone for times is known only now, with the settings.
  const args = withSentTimes(typed, systemClock.nowMs(), output.note);
  if (engine.notice !== null) output.note(engine.notice);
  listeners.add(sayUpdate(output));
  listeners.add(saySilence(output.note));
  listeners.add(sayDifference(output.note));
  keychain.onWaiting(() => {
    if (keychain.isWaiting()) output.note(KEYCHAIN_WAITS);
  });
  let opening: Promise<Session> | null = null;
  let waits: LongWaits | null = null;
  let idOfToken: string | null = null;
  let made: Session | null = null;
  const savedBefore = new Set(engine.connections.list().connections.map(({ id }) => id));
  const opened = (session: Session) => {
    const { id } = session.connection;
    if (args.text('base-url') !== null) {
      // A connection that this command created contains nothing but its jobs.
      if (savedBefore.has(id)) idOfToken = id;
      else {
        made = session;
        listeners.add((channel) => {
          if (channel === 'jobs:changed') idOfToken = id;
        });
      }
    }
    waits = createLongWaits(systemClock, () => engine.traffic.lanes(id), output.note);
    listeners.add((heard) => heard === 'traffic:changed' && waits?.changed());
    return session;
  };
  return {
    args,
    output,
    engine,
    stdin,
    stdout: surroundings.stdout,
    env,
    version: surroundings.version,
    signal,
    connection: () => chooseConnection(engine, args, surroundings.token),
    session: () => {
      opening ??= openSession(engine, args, surroundings.token).then(opened);
      return opening;
    },
    idOfToken: () => idOfToken,
    listen: (channel, listener) => {
      const wrapped = (heard: EventChannel, payload: unknown) => {
        // The publisher ties the payload's type to the channel, which the compiler cannot infer through the set.
        if (heard === channel) listener(payload as EventPayloads[typeof channel]);
      };
      listeners.add(wrapped);
      return () => listeners.delete(wrapped);
    },
    close: async (isTokenRefused) => {
      waits?.stop();
      const forget = async () => {
        if (!isTokenRefused || idOfToken !== null || made === null || !isUnused(made)) return;
        await engine.connections.forget(made.connection.id).catch((thrown: unknown) => {
          // Another process has the connection open, so it is kept.
          logger.info('A refused connection stays', { error: String(thrown) });
        });
      };
      await endAll([forget, () => engine.stop()]);
      logger.flushSync();
    },
  };
}

/** Whether the service has accepted no request of the connection, from any process, and no data is stored for it. */
const isUnused = ({ requestLog, library }: Session): boolean =>
  requestLog.list({ statusClass: 'answered', limit: 1, beforeSeq: null }).matchingRows === 0 &&
  library.storedLists().length === 0;

/** Commands whose --fields are those of the file that they write. */
const OF_FILES: ReadonlySet<string> = new Set(['report', 'export']);

/** The names of --fields; null without it. Throws INVALID_ARGUMENT for a list without a name. */
export function typedFields(args: Pick<Arguments, 'text'>): string[] | null {
  const names =
    args
      .text('fields')
      ?.split(',')
      .map((name) => name.trim()) ?? null;
  if (names?.includes('') !== true) return names;
  throw new AppError('INVALID_ARGUMENT', '--fields expects names with commas between them, such as id,name.');
}

/**
 * Options of the answer. Throws INVALID_ARGUMENT for an empty list of fields, an empty file name or an invalid number.
 */
function answerOptions(args: Arguments): AnswerOptions {
  // For a report or an export, --fields names fields of its file, not of the answer.
  const names = OF_FILES.has(args.command) ? null : typedFields(args);
  const file = args.text('to-file');
  if (file === '')
    throw new AppError('INVALID_ARGUMENT', '--to-file expects the name of a file, got nothing.');
  if (file !== null) checkAnswerFile(file);
  const written = file === null ? null : { path: file, write: (text: string) => writeWhole(file, [text]) };
  return { fields: names, budget: args.wholeNumber('budget', 1), file: written };
}

/** Prints once that stored data is being migrated to this version, because everything else waits for that. */
function sayUpdate(output: Output): (channel: EventChannel, payload: unknown) => void {
  let isSaid = false;
  return (channel, payload) => {
    if (channel !== 'connections:changed' || isSaid) return;
    // The publisher ties the payload's type to the channel.
    const [update] = (payload as EventPayloads['connections:changed']).updating;
    if (update === undefined) return;
    isSaid = true;
    const megabytes = Math.ceil(update.sizeBytes / 1_000_000);
    output.note(
      `The stored data of this connection (${megabytes} MB) is being updated to this version, once.`,
    );
  };
}

/** Reports each difference between the answers of the service and what this version knows. */
function sayDifference(note: (text: string) => void): (channel: EventChannel, payload: unknown) => void {
  return (channel, payload) => {
    // The publisher ties the payload's type to the channel.
    if (channel === 'connections:difference') note((payload as EventPayloads[typeof channel]).text);
  };
}

/** Prints once for each request that the service has not answered for a long time. */
export function saySilence(note: (text: string) => void): (channel: EventChannel, payload: unknown) => void {
  let said = 0;
  return (channel, payload) => {
    if (channel !== 'connections:network-changed') return;
    // The publisher ties the payload's type to the channel.
    const { silence } = payload as EventPayloads['connections:network-changed'];
    if (silence === null || silence.sentAtMs <= said) return;
    said = silence.sentAtMs;
    note(`No answer to ${silence.operation} for 10 seconds. Still waiting; Ctrl+C stops it.`);
  };
}

async function openSession(engine: Engine, args: Arguments, token: string): Promise<Session> {
  const connection = await chooseConnection(engine, args, token);
  return engine.session(connection.id);
}

async function chooseConnection(engine: Engine, args: Arguments, inEnvironment: string): Promise<Connection> {
  const { connections, activeId } = engine.connections.list();
  const typedUrl = args.text('base-url');
  const named = args.text('connection');
  if (typedUrl !== null && named !== null) {
    throw new AppError('INVALID_ARGUMENT', 'Both --base-url and --connection were given. One is enough.');
  }
  if (typedUrl !== null) return connectionForUrl(engine, connections, typedUrl, inEnvironment);
  const found =
    named === null
      ? (connections.find(({ id }) => id === activeId) ?? (connections.length === 1 ? connections[0] : null))
      : findConnection(connections, named);
  if (found !== null && found !== undefined) {
    const token = tokenOf(inEnvironment);
    if (token === null) return found;
    if (named === null && !(await isTokenOf(engine, found, token))) throw unknownPlaceError(found);
    engine.holdToken(found.id, token);
    return found;
  }
  throw new AppError(
    'INVALID_ARGUMENT',
    named === null
      ? 'No connection was named. Add --base-url URL with SPANDECK_TOKEN set, or --connection NAME.'
      : `No connection named ${named}. Known: ${connectionNames(connections)}.`,
  );
}

/**
 * A saved connection with this address and token, or else one of the command line's own, which is the same in every
 * run. Without a token, the only connection with this address, or the one in use. Throws INVALID_ARGUMENT if several fit.
 */
async function connectionForUrl(
  engine: Engine,
  saved: readonly Connection[],
  typed: string,
  inEnvironment: string,
): Promise<Connection> {
  const baseUrl = parseBaseUrl(typed, { allowsPlainHttp: false }).href;
  const given = tokenOf(inEnvironment);
  const sameUrl = saved.filter((connection) => connection.baseUrl === baseUrl);
  if (given === null) {
    const [first, ...others] = sameUrl;
    const found =
      others.length === 0 ? first : sameUrl.find(({ id }) => id === engine.connections.list().activeId);
    if (found !== undefined) return found;
    if (first !== undefined)
      throw new AppError(
        'INVALID_ARGUMENT',
        `${sameUrl.length} connections have the address ${baseUrl}: ${connectionNames(sameUrl)}. Name one with --connection, or set SPANDECK_TOKEN. Nothing was sent.`,
      );
    throw new AppError('NO_TOKEN', 'No token.', {
      nextStep: 'Set SPANDECK_TOKEN, or save a connection with this address in the window.',
    });
  }
  const own = ownConnection(saved, baseUrl, given);
  const match = own.saved ?? (await withToken(engine, sameUrl, given));
  if (match !== null && match !== undefined) {
    engine.holdToken(match.id, given);
    return match;
  }
  return engine.connections.save(
    {
      id: own.id,
      name: `${new URL(baseUrl).host} (command line)`,
      baseUrl,
      colour: 'slate',
      isReadOnly: false,
      allowsPlainHttp: false,
      proxyUrl: null,
      extraCaFile: null,
      tokenStorage: 'memory',
    },
    given,
  );
}

/**
 * The token in SPANDECK_TOKEN, or null. Throws INVALID_ARGUMENT, without quoting the token, for characters that are not
 * allowed in a header.
 */
function tokenOf(value: string): string | null {
  if (value === '') return null;
  const parsed = accessToken.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'INVALID_ARGUMENT',
    'SPANDECK_TOKEN contains spaces, line ends or other characters that a token cannot have. Set it again.',
  );
}

async function withToken(
  engine: Engine,
  candidates: readonly Connection[],
  token: string,
): Promise<Connection | null> {
  for (const connection of candidates) {
    if (connection.tokenHint?.lastFour !== token.slice(-4)) continue;
    // If the keychain is locked or missing, the stored token is unknown; the given one is used in any case.
    const stored = await engine.connections.token(connection).catch(() => null);
    if (stored === token) return connection;
  }
  return null;
}

/**
 * The command line's own connection for an address and a token. If a person has given it another address in the window,
 * it is theirs, and the next id is used.
 */
function ownConnection(
  connections: readonly Connection[],
  baseUrl: string,
  token: string,
): { id: string; saved: Connection | null } {
  const place = `${baseUrl}\n${tokenId(token)}`;
  for (let attempt = 0; ; attempt += 1) {
    const id = uuidOf(attempt === 0 ? place : `${place}\n${attempt}`);
    const saved = connections.find((connection) => connection.id === id) ?? null;
    if (saved === null || saved.baseUrl === baseUrl) return { id, saved };
  }
}

/** Whether the token is known to be for the address of this connection. */
async function isTokenOf(engine: Engine, connection: Connection, token: string): Promise<boolean> {
  const { id, baseUrl, tokenHint } = connection;
  if (uuidOf(`${baseUrl}\n${tokenId(token)}`) === id) return true;
  if (tokenHint === null) return false;
  // No characters of a short token are stored, so the keychain is asked; a locked keychain does not confirm the token.
  if (tokenHint.lastFour === '')
    return (await engine.connections.token(connection).catch(() => null)) === token;
  return token.endsWith(tokenHint.lastFour);
}

function unknownPlaceError({ name, baseUrl }: Connection): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    `SPANDECK_TOKEN is set, but it is not the token of ${name} (${baseUrl}), which is the connection used last. Nothing was sent.`,
    {
      nextStep: `Name the address that the token is for: --base-url URL, or --connection ${JSON.stringify(name)} to use it there once. Unset SPANDECK_TOKEN to use the stored token.`,
    },
  );
}

/** A UUID (version 8 form) derived from address and token, so that every run finds the same cache and uploads. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
