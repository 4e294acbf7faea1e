/** Playwright fixtures for the product: a sample service of the test, and a check of the service's report. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import type { SampleReport } from '../../electron/sample-service/report.ts';
import {
  type SampleService,
  type SampleServiceOptions,
  startSampleService,
} from '../../electron/sample-service/start-service.ts';
// Provides the type of `window.spandeck` for functions that run in the window.
import type {} from '../../renderer/lib/client.ts';
import { attachEvidence, test as base, expect, type Launched } from './app.ts';
import { SharedApp } from './shared-app.ts';
import { STILL_TRAFFIC, WORKSPACES } from './workspaces.ts';

/** Counts of the service that must be zero in every run. */
const CLEAN = { overLimit: 0, beforeRetryAfter: 0, unknownRoutes: 0, malformedRequests: 0 };

export type Judged = Pick<SampleReport, keyof typeof CLEAN | 'latest' | 'operations'>;

/** Fails if the service counted a request that was over a limit, too early, malformed, or to an unknown route. */
export function expectClean({
  overLimit,
  beforeRetryAfter,
  unknownRoutes,
  malformedRequests,
  latest,
}: Judged): void {
  expect({ overLimit, beforeRetryAfter, unknownRoutes, malformedRequests, latest }).toEqual({
    ...CLEAN,
    latest: expect.any(Array),
  });
}

/**
 * Ports that no system assigns automatically, so that no other program gets the port of a service while it restarts.
 */
const PORTS = { from: 20_000, count: 12_000 };
const MAX_TRIES = 20;
/** Tasks of this service end sooner than in the sample workspace, where users watch them. */
const QUICK_TASKS = { jobPendingMs: 200, jobRunMs: 400 };

const newToken = (): string => `tok-${randomUUID()}-${randomUUID()}`;

/** A sample service that can be stopped and started again on the same port, with the same data and token. */
export class TestService {
  #token = newToken();
  readonly #options: SampleServiceOptions;
  readonly #runs: SampleService[] = [];

  constructor(options: SampleServiceOptions) {
    this.#options = { ...options, settings: { ...QUICK_TASKS, ...STILL_TRAFFIC, ...options.settings } };
  }

  /** The only token that the service accepts. */
  get token(): string {
    return this.#token;
  }

  /** The latest run. */
  get now(): SampleService {
    const latest = this.#runs.at(-1);
    if (latest === undefined) throw new Error('The sample service was expected to have been started.');
    return latest;
  }

  get baseUrl(): string {
    return this.now.baseUrl;
  }

  async start(): Promise<void> {
    const known = this.#runs.at(-1)?.port;
    for (let tries = 1; ; tries += 1) {
      const port = known ?? PORTS.from + Math.floor(Math.random() * PORTS.count);
      try {
        this.#runs.push(
          await startSampleService({ imageFolder: WORKSPACES, ...this.#options, token: this.token, port }),
        );
        return;
      } catch (error) {
        const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
        if (!isTaken || known !== undefined || tries === MAX_TRIES) throw error;
      }
    }
  }

  stop(): Promise<void> {
    return this.now.stop();
  }

  /** Makes the service accept another token, and no longer the previous one. */
  async replaceToken(): Promise<void> {
    await this.stop();
    this.#token = newToken();
    await this.start();
  }

  /** Checks all runs so far. */
  expectClean(): void {
    for (const run of this.#runs) expectClean(run.report());
  }
}

interface Fixtures {
  /** Options of the test's service. By default it has the limits of the specification. */
  readonly serviceOptions: SampleServiceOptions;
  readonly service: TestService;
  /** Spandeck at its welcome page, in an app that tests share, because a launch takes half the time of a test. */
  readonly shared: Launched;
}

export const test = base.extend<Fixtures, { sharedApp: SharedApp }>({
  sharedApp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this parameter.
    async ({}, use) => {
      const sharedApp = new SharedApp();
      await use(sharedApp);
      await sharedApp.close();
    },
    { scope: 'worker' },
  ],
  // The service must run until the app has removed its connection.
  shared: async ({ sharedApp, service: _service, allowedErrors }, use, testInfo) => {
    const launched = await sharedApp.take();
    const before = launched.errors.length;
    await use(launched);
    // After a failed test, the worker ends and the app with it.
    if (testInfo.status !== testInfo.expectedStatus) return attachEvidence([launched], testInfo);
    await sharedApp.leave();
    const isAllowed = (error: string): boolean => allowedErrors.some((pattern) => pattern.test(error));
    expect(launched.errors.slice(before).filter((error) => !isAllowed(error))).toEqual([]);
  },
  serviceOptions: [{}, { option: true }],
  service: async ({ serviceOptions }, use, testInfo) => {
    const folder = testInfo.outputPath('service');
    fs.mkdirSync(folder, { recursive: true });
    const service = new TestService({ dbFile: `${folder}/service.db`, ...serviceOptions });
    await service.start();
    await use(service);
    await service.stop();
    service.expectClean();
  },
});

export { expect };
