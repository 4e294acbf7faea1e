/** Starts a thread for each task on a whole store, so that the task can be terminated. */

import { Worker } from 'node:worker_threads';
import { wireError } from '../core/jobs/job-record.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import {
  COPIED_STORES,
  type CopiedStoreName,
  type Sizes,
  STORAGE_KINDS,
  STORE_NAMES,
  type StoreCopy,
  type StoreName,
} from '../shared/health-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import * as z from '../shared/zod.ts';

/** `nowMs` is the wall time. */
const target = { file: z.string(), store: z.enum(STORE_NAMES), nowMs: z.number() };
export const maintenanceTask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('measure'), ...target }),
  z.object({ kind: z.literal('check'), ...target }),
  z.object({ kind: z.literal('compact'), ...target }),
  z.object({ kind: z.literal('repair'), ...target }),
  z.object({ kind: z.literal('plannedStart'), ...target }),
  z.object({ kind: z.literal('neededFiles'), ...target }),
  z.object({ kind: z.literal('copies'), ...target, store: z.enum(COPIED_STORES) }),
  z.object({ kind: z.literal('removeCopy'), ...target, store: z.enum(COPIED_STORES), name: z.string() }),
  z.object({ kind: z.literal('restore'), ...target, store: z.enum(COPIED_STORES), name: z.string() }),
]);
type Task = z.infer<typeof maintenanceTask>;

const kinds = Object.keys(STORAGE_KINDS);
const sizes = z
  .record(z.string(), z.number())
  .transform(
    (found): Sizes => Object.fromEntries(Object.entries(found).filter(([kind]) => kinds.includes(kind))),
  );
const checked = z.object({ error: wireError.nullable(), note: z.string().nullable() });
const repaired = z.object({
  folder: z.string(),
  tables: z.array(z.object({ table: z.string(), rows: z.int(), gaps: z.int(), dropped: z.int() })),
  isWhole: z.boolean(),
  isLogLost: z.boolean(),
  endedJobs: z.int(),
});
const paths = z.array(z.string());
const plannedMs = z.number().nullable();
const copies = z.array(
  z.object({
    store: z.enum(COPIED_STORES),
    name: z.string(),
    sizeBytes: z.number(),
    atMs: z.number(),
    origin: z.enum(['update', 'restore']),
    contents: z.array(z.object({ noun: z.string(), count: z.number() })),
    error: wireError.nullable(),
  }),
);
const restored = z.object({ keptAs: z.string().nullable(), endedJobs: z.int() });
const reply = z.union([z.object({ error: wireError }), z.object({ value: z.unknown() })]);

export interface Maintenance {
  /** Bytes of the file by kind of content. */
  measure(store: StoreName, file: string, nowMs: number): Promise<Sizes>;
  check(store: StoreName, file: string, nowMs: number): Promise<z.infer<typeof checked>>;
  compact(store: StoreName, file: string, nowMs: number): Promise<void>;
  repair(store: StoreName, file: string, nowMs: number): Promise<z.infer<typeof repaired>>;
  /** Wall time of the earliest planned start in a store of jobs; null if there is none. */
  plannedStart(store: StoreName, file: string, nowMs: number): Promise<number | null>;
  /** Paths of the files that unfinished jobs in a store of jobs read. */
  neededFiles(store: StoreName, file: string, nowMs: number): Promise<string[]>;
  /** Backup copies of the store in its folder, newest first. */
  copies(store: CopiedStoreName, file: string, nowMs: number): Promise<StoreCopy[]>;
  removeCopy(store: CopiedStoreName, file: string, name: string, nowMs: number): Promise<void>;
  restore(
    store: CopiedStoreName,
    file: string,
    name: string,
    nowMs: number,
  ): Promise<z.infer<typeof restored>>;
  /** Terminates running tasks; SQLite rolls back incomplete work. */
  stop(): Promise<void>;
}

export function createMaintenance(): Maintenance {
  const threads = new Set<Worker>();
  const run = (task: Task): Promise<unknown> => {
    const script = new URL(scriptPath('./maintenance-worker.ts', import.meta.url), import.meta.url);
    const thread = new Worker(script, { name: `${task.kind} of ${task.store}`, workerData: task });
    threads.add(thread);
    return answerOf(thread).finally(() => threads.delete(thread));
  };
  return {
    measure: async (store, file, nowMs) => sizes.parse(await run({ kind: 'measure', store, file, nowMs })),
    check: async (store, file, nowMs) => checked.parse(await run({ kind: 'check', store, file, nowMs })),
    compact: async (store, file, nowMs) => {
      await run({ kind: 'compact', store, file, nowMs });
    },
    repair: async (store, file, nowMs) => repaired.parse(await run({ kind: 'repair', store, file, nowMs })),
    plannedStart: async (store, file, nowMs) =>
      plannedMs.parse(await run({ kind: 'plannedStart', store, file, nowMs })),
    neededFiles: async (store, file, nowMs) =>
      paths.parse(await run({ kind: 'neededFiles', store, file, nowMs })),
    copies: async (store, file, nowMs) => copies.parse(await run({ kind: 'copies', store, file, nowMs })),
    removeCopy: async (store, file, name, nowMs) => {
      await run({ kind: 'removeCopy', store, file, name, nowMs });
    },
    restore: async (store, file, name, nowMs) =>
      restored.parse(await run({ kind: 'restore', store, file, name, nowMs })),
    stop: async () => {
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

function answerOf(thread: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread.once('message', (message: unknown) => {
      const parsed = reply.parse(message);
      if ('error' in parsed) reject(fromWire(parsed.error));
      else resolve(parsed.value);
    });
    thread.once('error', (problem) => reject(toAppError(problem)));
    thread.once('exit', () =>
      reject(new AppError('CANCELLED', 'The program ended meanwhile. Nothing that was stored is lost.')),
    );
  });
}
