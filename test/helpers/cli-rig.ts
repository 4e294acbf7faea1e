/** The command line with its own service and profile folder, which are created for each test of a file. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type CliResult, temporaryFolder } from './run-cli.ts';
import { type Running, runHere } from './run-here.ts';
import { RawService, TOKEN } from './sample-service.ts';

interface CliRig {
  /** Runs a command as typed by a user. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs a command, and presses Ctrl-C once these words appear on standard error. */
  runUntil(words: RegExp, ...args: string[]): Promise<CliResult>;
  /** The parsed answer of a command with `--json`. */
  answered(...args: string[]): Promise<ReturnType<typeof JSON.parse>>;
  /** Runs a command in another environment. */
  runWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliResult>;
  /** The data folder. */
  readonly folder: string;
  /** The id of the only connection, which the first command creates. */
  readonly connectionId: string;
  /** The path of a file of the test. */
  file(name: string): string;
  readonly service: RawService['service'];
}

/**
 * Must be called once, outside of tests. After each test it checks that the service received no unknown request.
 * `fill`: reads what every test needs, once for all of them. Each test then gets a copy of that folder, and all use the
 * same service.
 */
export function cliRig(name: string, fill?: (rig: CliRig) => Promise<unknown>): CliRig {
  let raw: RawService;
  let folder: ReturnType<typeof temporaryFolder>;
  let filled: ReturnType<typeof temporaryFolder> | null = null;
  if (fill !== undefined) {
    beforeAll(async () => {
      raw = await RawService.start();
      folder = temporaryFolder(name);
      await fill(rig);
      filled = folder;
    });
    afterAll(async () => {
      await raw.service.stop();
      filled?.remove();
    });
  }
  beforeEach(async () => {
    if (filled === null) raw = await RawService.start();
    folder = temporaryFolder(name);
    if (filled !== null) cpSync(filled.path, folder.path, { recursive: true });
  });
  afterEach(async () => {
    const report = raw.service.report();
    if (filled === null) await raw.service.stop();
    folder.remove();
    expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
  });
  const start = (args: string[], onStart?: (command: Running) => void, more: NodeJS.ProcessEnv = {}) =>
    runHere([...args, '--base-url', raw.service.baseUrl], {
      ...{ token: TOKEN, dataDir: folder.path },
      env: { SPANDECK_PASSPHRASE: 'correct horse battery', ...more },
      ...(onStart === undefined ? {} : { onStart }),
    });
  const run = (...args: string[]) => start(args);
  const rig: CliRig = {
    run,
    runUntil: (words, ...args) =>
      start(args, ({ stderr, kill }) => {
        stderr?.on('data', (text: Buffer) => {
          if (words.test(text.toString())) kill('SIGINT');
        });
      }),
    runWith: (env, ...args) => start(args, undefined, env),
    get folder() {
      return folder.path;
    },
    get connectionId() {
      const [id] = readdirSync(join(folder.path, 'connections'));
      if (id === undefined) throw new Error('Expected a connection, which a command creates.');
      return id;
    },
    answered: async (...args) => JSON.parse((await run(...args, '--json')).stdout),
    file: (of) => join(folder.path, of),
    get service() {
      return raw.service;
    },
  };
  return rig;
}
