/** Runs the sample service in a worker thread of the application, for people who have no service at hand. */
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';

export interface SampleWorkspace {
  /** Starts the service if it is not running. Address and token are new at each start. */
  start(): Promise<{ baseUrl: string; token: string }>;
  /** Ends it; its data stays. */
  stop(): Promise<void>;
  isRunning(): boolean;
}

export function createSampleWorkspace(deps: {
  dir: string;
  workerUrl: URL;
  logger: Logger;
}): SampleWorkspace {
  // One token for the whole run: stopping and starting again is the same connection.
  const token = `sample-${randomUUID()}`;
  let port = 0;
  let running: { worker: Worker; address: Promise<{ baseUrl: string; token: string }> } | null = null;

  const launch = () => {
    mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
    const dbFile = join(deps.dir, 'service.db');
    // For the owner only, as every file of the data folder: the service takes an empty one for a new one.
    closeSync(openSync(dbFile, 'a', 0o600));
    const worker = new Worker(deps.workerUrl, { workerData: { port, dbFile, token } });
    const address = new Promise<{ baseUrl: string; token: string }>((resolve, reject) => {
      worker.once('message', (message: unknown) => {
        const given = readyPort(message);
        if (given === null) {
          reject(new AppError('INTERNAL', `The sample service did not start: ${describeMessage(message)}`));
          return;
        }
        port = given;
        resolve({ baseUrl: `http://127.0.0.1:${given}`, token });
      });
      worker.once('error', (error) => {
        deps.logger.error('sample service failed', { reason: error.message });
        reject(new AppError('INTERNAL', `The sample service did not start: ${error.message}`));
      });
    });
    worker.once('exit', () => {
      if (running?.worker === worker) running = null;
    });
    running = { worker, address };
    return address;
  };

  return {
    isRunning: () => running !== null,
    start: () => running?.address ?? launch(),
    stop: async () => {
      const ending = running;
      if (ending === null) return;
      running = null;
      const exited = new Promise<void>((resolve) => {
        ending.worker.once('exit', () => resolve());
      });
      ending.worker.postMessage({ type: 'stop' });
      await exited;
    },
  };
}

function readyPort(message: unknown): number | null {
  if (typeof message !== 'object' || message === null || !('port' in message)) return null;
  return typeof message.port === 'number' ? message.port : null;
}

function describeMessage(message: unknown): string {
  if (typeof message === 'object' && message !== null && 'message' in message) return String(message.message);
  return 'no address came';
}
