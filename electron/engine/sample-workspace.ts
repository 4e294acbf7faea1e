/** Runs the sample service in a worker thread of the application, for people who have no service. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { SAMPLE_FILE } from '../shared/sample-file.ts';
import { scriptPath } from '../shared/script-path.ts';

interface SampleAddress {
  baseUrl: string;
  token: string;
}

export interface SampleWorkspace {
  /**
   * Starts the service if it is not running. `wanted`: its earlier port and token; if the port is taken, another one is
   * used.
   */
  start(wanted: { port: number; token: string }): Promise<SampleAddress>;
  /** Ends the service; its data is kept. */
  stop(): Promise<void>;
  /** Path of the file with problems, which exists after the service was started. */
  badFile: string;
  /** Whether the service answers. */
  isRunning(): boolean;
}

interface Running {
  worker: Worker;
  address: Promise<SampleAddress>;
  isReady: boolean;
}

export function createSampleWorkspace(deps: { dir: string; logger: Logger }): SampleWorkspace {
  const badFile = join(deps.dir, SAMPLE_FILE.name);
  let running: Running | null = null;

  const launch = (port: number, token: string): Promise<SampleAddress> => {
    mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
    const dbFile = join(deps.dir, 'service.db');
    // Created for the owner only, like every file of the data folder; the service treats an empty file as new.
    // An existing file is not opened, because closing it would release the locks of a service that is still ending.
    if (!existsSync(dbFile)) closeSync(openSync(dbFile, 'a', 0o600));
    const script = new URL(
      scriptPath('../sample-service/service-worker.ts', import.meta.url),
      import.meta.url,
    );
    const worker = new Worker(script, { workerData: { port, dbFile, token, badFile } });
    const address = addressOf(worker, token, deps.logger);
    const own: Running = { worker, address, isReady: false };
    worker.once('exit', () => {
      if (running === own) running = null;
    });
    running = own;
    return address.then((given) => {
      own.isReady = true;
      return given;
    });
  };

  return {
    badFile,
    isRunning: () => running?.isReady === true,
    start: ({ port, token }) => {
      if (running !== null) return running.address;
      const started = launch(port, token);
      if (port === 0) return started;
      return started.catch((thrown: unknown) => {
        deps.logger.warn('sample service not started where it was', { reason: toAppError(thrown).message });
        return launch(0, token);
      });
    },
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

function addressOf(worker: Worker, token: string, logger: Logger): Promise<SampleAddress> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: unknown) => {
      const port = readyPort(message);
      if (port === null) {
        reject(new AppError('INTERNAL', `The sample service did not start: ${describeMessage(message)}`));
        return;
      }
      resolve({ baseUrl: `http://127.0.0.1:${port}`, token });
    });
    worker.once('error', (error) => {
      logger.error('sample service failed', { reason: error.message });
      reject(new AppError('INTERNAL', `The sample service did not start: ${error.message}`));
    });
  });
}

function readyPort(message: unknown): number | null {
  if (typeof message !== 'object' || message === null || !('port' in message)) return null;
  return typeof message.port === 'number' ? message.port : null;
}

function describeMessage(message: unknown): string {
  if (typeof message === 'object' && message !== null && 'message' in message) return String(message.message);
  return 'no address came';
}
