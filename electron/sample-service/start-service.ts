/** Starts the sample service in this process, for tests, for the worker thread, and for `serve.ts`. */
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Clock, Random } from '../core/ports.ts';
import { createApp } from './app.ts';
import { plainErrorBody } from './envelope.ts';
import { type FaultRule, FaultScript, parseFaults } from './faults.ts';
import { openFilledStore } from './generate/filled-store.ts';
import { type LimitOverrides, limitSettings } from './limit-settings.ts';
import { RateLimiter } from './rate-limits.ts';
import { realClock, realRandom } from './real-clock.ts';
import { jsonReply, toResponse } from './replies.ts';
import { Reporter, type SampleReport } from './report.ts';
import { type EventsViewWithRecords, eventsViewWithRecords } from './sample-routes.ts';
import { createService, type Service } from './service.ts';
import { DEFAULT_SETTINGS, type ServiceSettings, type TokenEntry } from './settings.ts';

export interface SampleServiceOptions {
  /** A token with read and write access; default: a random one. */
  token?: string;
  /** Additional tokens with their roles. */
  tokens?: readonly TokenEntry[];
  /** 0 or undefined: any free port. */
  port?: number;
  /** Database file; null or undefined keeps everything in memory. */
  dbFile?: string | null;
  limits?: 'spec' | 'off' | LimitOverrides;
  faults?: readonly FaultRule[];
  /** Whether the workspace has only one project. */
  isEmpty?: boolean;
  seed?: number;
  /** Folder for the generated workspace, which processes that start a service later can copy. */
  imageFolder?: string;
  settings?: Partial<ServiceSettings>;
  /** Whether the service knows only the operations of the specification, and answers 404 to all others. */
  isStrict?: boolean;
  clock?: Clock;
  random?: Random;
  /** Receives unexpected errors of handlers; default: prints them to standard error. */
  logCrash?(error: unknown): void;
}

export interface SampleService {
  baseUrl: string;
  port: number;
  token: string;
  report(): SampleReport;
  clearReport(): void;
  /** Replaces the script of faults. Throws an Error that names the first invalid rule. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Restricts the service to the operations of the specification, or allows all, from now on. */
  setStrict(isStrict: boolean): void;
  /** Stored events of a model, after due deletions are applied. */
  events(modelId: string): EventsViewWithRecords;
  /** Ends every connection at once and closes the database. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Longer than clients keep an idle connection, so that the client closes it first. */
const KEEP_ALIVE_MS = 65_000;

/** Answers a request that is not valid HTTP with the error envelope. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const body = JSON.stringify(plainErrorBody(status, 'The request is not valid HTTP.', 'BadRequest'));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address);
    });
  });
}

/** The service without a socket; requests are passed to `fetch`. */
interface SampleApp {
  fetch: ReturnType<typeof createApp>['fetch'];
  token: string;
  /** The accepted tokens, beginning with `token`; the list may be modified. */
  tokens: TokenEntry[];
  service: Service;
  faults: FaultScript;
  report(): SampleReport;
  clearReport(): void;
  setStrict(isStrict: boolean): void;
  events(modelId: string): EventsViewWithRecords;
  /** Ends answers that a fault delays. */
  endAnswers(): void;
  logCrash(error: unknown): void;
  close(): void;
}

/** Opens the database and fills it. Throws if either fails. Ignores `port`. */
export function createSampleApp(options: SampleServiceOptions): SampleApp {
  const clock = options.clock ?? realClock;
  const random = options.random ?? realRandom;
  const token = options.token ?? `sample_${realRandom.uuid()}`;
  const logCrash =
    options.logCrash ?? ((error: unknown) => console.error('The sample service failed:', error));
  const faults = new FaultScript(parseFaults(options.faults ?? []));
  const { db, stores } = openFilledStore(options.dbFile ?? null, {
    nowMs: clock.nowMs(),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.isEmpty === undefined ? {} : { isEmpty: options.isEmpty }),
    ...(options.imageFolder === undefined ? {} : { imageFolder: options.imageFolder }),
  });
  try {
    const settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const service = createService(db, stores, { clock, random, settings });
    const reporter = new Reporter(clock);
    const stopped = Promise.withResolvers<void>();
    const tokens: TokenEntry[] = [{ token, role: 'read-write' }, ...(options.tokens ?? [])];
    let isStrict = options.isStrict ?? false;
    const app = createApp({
      isStrict: () => isStrict,
      limiter: new RateLimiter(limitSettings(options.limits ?? 'spec'), clock),
      ...{ tokens, service, reporter, faults, stopped: stopped.promise, logCrash },
    });
    return {
      fetch: app.fetch,
      ...{ token, tokens, service, faults, logCrash },
      report: () => reporter.read(),
      clearReport: () => reporter.clear(),
      setStrict: (value) => {
        isStrict = value;
      },
      events: (modelId) => eventsViewWithRecords(service, modelId),
      endAnswers: () => stopped.resolve(),
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

export async function startSampleService(options: SampleServiceOptions = {}): Promise<SampleService> {
  const app = createSampleApp(options);
  try {
    const listener = getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      errorHandler: () => toResponse(jsonReply(400, plainErrorBody(400, 'The request is not valid HTTP.'))),
    });
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
      listener(incoming, outgoing).catch(app.logCrash);
    });
    server.on('clientError', answerBrokenRequest);
    const { port } = await listen(server, options.port ?? 0);
    let stopping: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      app.endAnswers();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      app.close();
    };
    return {
      baseUrl: `http://${HOST}:${port}`,
      port,
      token: app.token,
      report: app.report,
      clearReport: app.clearReport,
      setFaults: (rules) => app.faults.set(parseFaults(rules)),
      setStrict: app.setStrict,
      events: app.events,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    app.close();
    throw error;
  }
}
