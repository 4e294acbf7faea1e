/**
 * The scheduler in real time with the sample service: full load on three endpoints, and after a while a second client
 * with the same token on one of them. `LIVE_SECONDS` sets the duration (120).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient, type HttpClient } from '../../electron/api/http-client.ts';
import { createServiceClient } from '../../electron/api/service-client.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { startSampleService } from '../../electron/sample-service/start-service.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { RequestScheduler } from '../../electron/scheduler/types.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { Arrivals } from '../helpers/live-arrivals.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const SECONDS = Number(process.env['LIVE_SECONDS'] ?? 120);
const TOKEN = 'live-token-0123456789';
const OWN_AGENT = 'Spandeck bench';
/** The second client uses the last of these endpoints too. */
const ENDPOINTS = ['applications.list', 'models.list', 'projects.list'] as const;
const PATHS = ['/v3/applications', '/v3/models', '/v3/projects'] as const;
const SHARED = PATHS[2];
const QUEUED = 40;
const FOREIGN_EVERY_MS = 250;

type Sight = { ms: number; answer: number } | null;

/**
 * When the use by another client could be detected, and when it was detected; and the answers on the shared endpoint
 * since it began.
 */
class Notice {
  /** As detected by an observer who knows when each of our requests reached the service. */
  shown: Sight = null;
  /** As detected by an observer with the knowledge of a client: when each request was sent and answered. */
  proven: Sight = null;
  known: Sight = null;
  /** Number of 429 answers on the shared endpoint. */
  refusals = 0;
  answers = 0;
  readonly #requests: { sentMs: number; receivedMs: number }[] = [];

  sent(): number {
    return this.#requests.push({ sentMs: performance.now(), receivedMs: Number.POSITIVE_INFINITY }) - 1;
  }

  received(index: number): void {
    const request = this.#requests[index];
    if (request !== undefined) request.receivedMs = performance.now();
  }

  /** Maximum number of our own requests that the service counted in a window when it answered request `index`. */
  mostOwn(index: number, lengthMs: number): number {
    const one = this.#requests[index];
    if (one === undefined) throw new RangeError(`No request ${index}.`);
    return this.#requests.filter(
      ({ sentMs, receivedMs }) => sentMs < one.receivedMs && receivedMs > one.sentMs - lengthMs,
    ).length;
  }
}

/** Reads every answer on the shared endpoint when it arrives, and the state of the scheduler afterwards. */
function watch(
  http: HttpClient,
  arrivals: Arrivals,
  scheduler: RequestScheduler,
  notice: Notice,
): HttpClient {
  const isKnown = () =>
    scheduler
      .status()
      .some(
        ({ operation, windows }) =>
          operation === `GET ${SHARED}` && windows.some(({ foreign }) => foreign > 0),
      );
  const look = (status: number, remaining: number, index: number) => {
    if (status === 429) notice.refusals++;
    if (arrivals.firstForeignMs === null || notice.known !== null) return;
    const now = { ms: performance.now(), answer: ++notice.answers };
    if (status === 429 || remaining < (arrivals.ownLeft[index] ?? 0)) notice.shown ??= now;
    // The service does not count a rejected request.
    const self = status === 429 ? 1 : 0;
    const isProven = LIMIT_CATEGORIES['metadata-read'].windows.every(
      ({ count, lengthMs }) => remaining < count - (notice.mostOwn(index, lengthMs) - self),
    );
    if (isProven) notice.proven ??= now;
    if (isKnown()) notice.known = now;
  };
  return {
    ...http,
    send: async (request) => {
      if (request.target.split('?')[0] !== SHARED) return http.send(request);
      const index = notice.sent();
      const answer = await http.send(request);
      notice.received(index);
      if (answer.kind === 'answered') {
        const remaining = Number(answer.headers['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
        // Read after the scheduler has processed the answer, and before the next one arrives.
        process.nextTick(() => look(answer.status, remaining, index));
      }
      return answer;
    },
  };
}

async function useToken(baseUrl: string, signal: AbortSignal): Promise<number> {
  let refused = 0;
  while (!signal.aborted) {
    const answer = await fetch(`${baseUrl}${SHARED}?limit=1`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    await answer.arrayBuffer();
    if (answer.status === 429) refused++;
    await new Promise((resolve) => setTimeout(resolve, FOREIGN_EVERY_MS));
  }
  return refused;
}

export async function run(): Promise<BenchResult[]> {
  const service = await startSampleService({ token: TOKEN, limits: 'spec' });
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-live-'));
  const budget = openBudgetStore({
    file: join(folder, 'budget.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  const scheduler = createScheduler({
    clock: systemClock,
    random: systemRandom,
    budget,
    logger: silentLogger,
  });
  const arrivals = new Arrivals(OWN_AGENT, SHARED);
  const endArrivals = arrivals.listen();
  const notice = new Notice();
  const baseUrl = parseBaseUrl(service.baseUrl, { allowsPlainHttp: false });
  const http = watch(
    createHttpClient({
      baseUrl,
      token: () => TOKEN,
      proxyUrl: null,
      extraCaFile: null,
      clock: systemClock,
      userAgent: OWN_AGENT,
    }),
    arrivals,
    scheduler,
    notice,
  );
  const client = createServiceClient({
    baseUrl,
    tokenId: 'live',
    isReadOnly: () => true,
    isOffline: () => false,
    http,
    scheduler,
    foreground: new Foreground(systemClock),
    clock: systemClock,
    random: systemRandom,
    writeLog: () => undefined,
  });
  const stop = new AbortController();
  const perEndpoint = new Map<string, number>();
  const keepAsking = async (operation: (typeof ENDPOINTS)[number]) => {
    while (!stop.signal.aborted) {
      try {
        await client.list(
          operation,
          { paging: { limit: 1, offset: 0 }, query: { search: crypto.randomUUID() } },
          {
            priority: 'upload',
            signal: stop.signal,
          },
        );
        perEndpoint.set(operation, (perEndpoint.get(operation) ?? 0) + 1);
      } catch {
        // Requests are cancelled at the end. Any other error shows in the counts.
      }
    }
  };
  const load = ENDPOINTS.flatMap((operation) => Array.from({ length: QUEUED }, () => keepAsking(operation)));
  const foreignFromMs = Math.min(15_000, SECONDS * 125);
  const foreign = new Promise<void>((resolve) => setTimeout(resolve, foreignFromMs)).then(() =>
    useToken(service.baseUrl, stop.signal),
  );
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  stop.abort();
  const foreignRefused = await foreign;
  await Promise.all(load);
  await scheduler.stop();
  await http.close();
  endArrivals();
  budget.close();
  await service.stop();
  rmSync(folder, { recursive: true });
  const allowed = (SECONDS / 60) * 1_000;
  const { shown, proven, known } = notice;
  const sight = (name: string, seen: Sight, note: string) =>
    result(
      name,
      seen === null ? Number.NaN : seen.ms - (arrivals.firstForeignMs ?? 0),
      'ms',
      null,
      `${note}; answer ${seen?.answer ?? 'none'} since the second client began`,
    );
  return [
    ...ENDPOINTS.map((operation, index) =>
      result(
        `${operation}: accepted`,
        perEndpoint.get(operation) ?? 0,
        'requests',
        allowed,
        index === 2
          ? `shared with a second client, which sent ${arrivals.foreign} and was refused ${foreignRefused} times`
          : 'limit: what 1,000 a minute allow',
      ),
    ),
    result(
      'violations of our share',
      arrivals.violations(),
      'requests',
      0,
      'our arrivals alone, counted rolling, fixed and as a bucket',
    ),
    result(
      'refused on the shared endpoint',
      notice.refusals,
      'requests',
      null,
      '429 because somebody else was there',
    ),
    sight('foreign use: shown', shown, 'to one who knows when each of our requests arrived'),
    sight('foreign use: proven', proven, 'by what a client can know'),
    sight('foreign use: known', known, 'to the scheduler'),
    result(
      'answers from proven to known',
      known === null || proven === null ? Number.NaN : known.answer - proven.answer + 1,
      'answers',
      1,
      '1: with the very answer that proves it',
    ),
  ];
}
