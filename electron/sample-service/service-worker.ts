/**
 * The sample service in a worker thread of the application. It is started with `workerData` and stopped by a message.
 */
import { parentPort, workerData } from 'node:worker_threads';
import * as z from '../shared/zod.ts';
import { writeBadFile } from './generate/bad-file.ts';
import { limitOverrides } from './limit-settings.ts';
import { type SampleService, startSampleService } from './start-service.ts';

/** The `workerData` that the application passes. */
const sampleWorkerData = z.strictObject({
  token: z.string().min(1),
  /** Null keeps everything in memory. */
  dbFile: z.string().min(1).nullable(),
  /** Path of the file with problems; absent if none is needed. */
  badFile: z.string().min(1).optional(),
  /** 0 or undefined: any free port. */
  port: z.int().min(0).max(65_535).optional(),
  limits: z.union([z.enum(['spec', 'off']), limitOverrides]).optional(),
});

/** Messages to the application. After `failed` and `stopped` the thread ends itself. */
export type SampleWorkerMessage =
  | { type: 'ready'; port: number; baseUrl: string }
  | { type: 'failed'; message: string }
  | { type: 'stopped' };

/** Messages from the application. */
const command = z.strictObject({ type: z.literal('stop') });

function post(message: SampleWorkerMessage): void {
  parentPort?.postMessage(message);
}

function fail(error: unknown): void {
  post({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
}

async function stop(service: SampleService): Promise<void> {
  await service.stop();
  post({ type: 'stopped' });
  parentPort?.close();
}

/**
 * Writes the file with problems. The service does not need it, so a failure is only logged, and the window says that
 * the file is missing.
 */
function offerBadFile(path: string): void {
  try {
    writeBadFile(path);
  } catch (error) {
    console.error('The sample service did not write its file with problems:', error);
  }
}

async function run(): Promise<void> {
  const { port, limits, badFile, ...rest } = sampleWorkerData.parse(workerData);
  if (badFile !== undefined) offerBadFile(badFile);
  const service = await startSampleService({
    ...rest,
    ...(port === undefined ? {} : { port }),
    ...(limits === undefined ? {} : { limits }),
  });
  parentPort?.on('message', (message: unknown) => {
    if (command.safeParse(message).success) stop(service).catch(fail);
  });
  post({ type: 'ready', port: service.port, baseUrl: service.baseUrl });
}

run().catch(fail);
