/** Playwright's fixtures for the product: a sample service of the test's own, and the judge of what it saw. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import type { SampleReport } from '../../electron/sample-service/report.ts';
import {
  type SampleService,
  type SampleServiceOptions,
  startSampleService,
} from '../../electron/sample-service/start-service.ts';
// For the type of `window.spandeck` in evaluated functions.
import type {} from '../../renderer/lib/client.ts';
import { attachEvidence, test as base, expect, type Launched } from './app.ts';
import { SharedApp } from './shared-app.ts';
import { WORKSPACES } from './workspaces.ts';

/** What no run may make the service count. */
const CLEAN = { overLimit: 0, beforeRetryAfter: 0, unknownRoutes: 0, malformedRequests: 0 };

export type Judged = Pick<SampleReport, keyof typeof CLEAN | 'latest' | 'operations'>;

/** Fails where the service counted a request over a limit, too early, to no route of its, or malformed. */
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
 * Ports that no system gives out by itself: while a service is stopped to be started again on its own, nobody gets it.
 */
const PORTS = { from: 20_000, count: 12_000 };
const MOST_TRIES = 20;

const newToken = (): string => `tok-${randomUUID()}-${randomUUID()}`;

/** A sample service that can be stopped and started again on the same port, with the same data and token. */
export class TestService {
  #token = newToken();
  readonly #options: SampleServiceOptions;
  readonly #runs: SampleService[] = [];

  constructor(options: SampleServiceOptions) {
    this.#options = options;
  }

  /** The only one it accepts. */
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
        if (!isTaken || known !== undefined || tries === MOST_TRIES) throw error;
      }
    }
  }

  stop(): Promise<void> {
    return this.now.stop();
  }

  /** From now on it accepts another token and no longer the one before. */
  async replaceToken(): Promise<void> {
    await this.stop();
    this.#token = newToken();
    await this.start();
  }

  /** Judges every run so far. */
  expectClean(): void {
    for (const run of this.#runs) expectClean(run.report());
  }
}

interface Fixtures {
  /** How the test's service is started; limits as in the specification unless told otherwise. */
  readonly serviceOptions: SampleServiceOptions;
  readonly service: TestService;
  /** Spandeck at its welcome page, in an app that other tests have used and will use: a launch costs half of a test. */
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
  // The service is there until the app has forgotten it.
  shared: async ({ sharedApp, service: _service, allowedErrors }, use, testInfo) => {
    const launched = await sharedApp.take();
    const before = launched.errors.length;
    await use(launched);
    // With a test that failed its worker ends, and the app with it.
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
