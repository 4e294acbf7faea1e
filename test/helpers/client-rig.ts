/** The real path to a service: HTTP client, scheduler, and service client, with the request log in memory. */
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import type { HttpLimits } from '../../electron/api/http-agent.ts';
import { createHttpClient, type HttpClient } from '../../electron/api/http-client.ts';
import { createServiceClient, type SettledCall } from '../../electron/api/service-client.ts';
import type { ServiceClient } from '../../electron/api/types.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import type { Clock } from '../../electron/core/ports.ts';
import type { LoggedRequest } from '../../electron/db/request-log-store.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { RequestScheduler } from '../../electron/scheduler/types.ts';
import { AnswerDifferences } from '../../electron/shared/answer-differences.ts';
import { MemoryBudget } from './memory-budget.ts';
import { silentLogger } from './virtual-world.ts';

export interface ClientRig extends AsyncDisposable {
  client: ServiceClient;
  /** The transport of the client. */
  http: HttpClient;
  scheduler: RequestScheduler;
  log: LoggedRequest[];
  settled: SettledCall[];
  differences: AnswerDifferences;
  switches: { isOffline: boolean; isReadOnly: boolean };
}

export interface ClientRigOptions {
  baseUrl: string;
  token?: string;
  limits?: Partial<HttpLimits>;
  maxAttempts?: number;
  /** Maximum number of 429 answers for one request. */
  maxRejections?: number;
  proxyUrl?: string;
  /** Factor by which the scheduler's waits are shortened, for services without limits. */
  haste?: number;
  /** The clock of the client. */
  clock?: Clock;
  /** The clock for the time limits of a request. */
  httpClock?: Clock;
  /** Shared with another client; by default the client has its own. */
  foreground?: Foreground;
  /** Aborted once the connection is closed. */
  closing?: AbortSignal;
}

export const RIG_TOKEN = 'rig-token-0123456789';

/** Real time, accelerated by this factor. */
function hurried(haste: number): Clock {
  const startMs = systemClock.nowMs();
  const fromMs = systemClock.monotonicMs();
  const passedMs = () => (systemClock.monotonicMs() - fromMs) * haste;
  return {
    nowMs: () => Math.floor(startMs + passedMs()),
    monotonicMs: () => fromMs + passedMs(),
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / haste),
  };
}

export function openClient(options: ClientRigOptions): ClientRig {
  const baseUrl = parseBaseUrl(options.baseUrl, { allowsPlainHttp: false });
  const http = createHttpClient({
    baseUrl,
    token: () => options.token ?? RIG_TOKEN,
    proxyUrl: options.proxyUrl ?? null,
    extraCaFile: null,
    clock: options.httpClock ?? systemClock,
    userAgent: 'Spandeck test',
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const schedulerClock = options.haste === undefined ? systemClock : hurried(options.haste);
  const scheduler = createScheduler({
    clock: schedulerClock,
    random: systemRandom,
    budget: new MemoryBudget(() => schedulerClock.monotonicMs()).open(),
    logger: silentLogger,
    settings: {
      maxAttempts: options.maxAttempts ?? 1,
      ...(options.maxRejections === undefined ? {} : { maxRejections: options.maxRejections }),
    },
  });
  const log: LoggedRequest[] = [];
  const settled: SettledCall[] = [];
  const differences = new AnswerDifferences(() => undefined);
  const switches = { isOffline: false, isReadOnly: false };
  const client = createServiceClient({
    baseUrl,
    tokenId: 'rig',
    isReadOnly: () => switches.isReadOnly,
    ...(options.closing === undefined ? {} : { closing: options.closing }),
    isOffline: () => switches.isOffline,
    http,
    scheduler,
    foreground: options.foreground ?? new Foreground(systemClock),
    clock: options.clock ?? systemClock,
    random: systemRandom,
    writeLog: (row) => {
      log.push(row);
    },
    onDifferences: (operation, found) => differences.add(operation, found),
    onSettled: (call) => {
      settled.push(call);
    },
  });
  return {
    client,
    http,
    scheduler,
    log,
    settled,
    differences,
    switches,
    [Symbol.asyncDispose]: async () => {
      await scheduler.stop();
      await http.close();
    },
  };
}
