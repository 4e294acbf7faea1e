/**
 * Files with the columns of runs, so that the results are not read and parsed again at each start. They can be rebuilt.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { RunColumns } from '../core/items/run-columns.ts';
import { WITH_RETRIES, whenFree } from '../shared/busy-files.ts';
import * as z from '../shared/zod.ts';
import { onlyReads } from './only-reads.ts';

/** Incremented when the same results give other columns. */
const FORMAT = 4;
/** Minimum items of a run with a file; smaller runs are read within some hundredths of a second. */
const MIN_ITEMS = 5_000;
/** Maximum files, the most recently used ones. A file has some megabytes for 100,000 items. */
const MAX_FILES = 40;
const CHECKSUM_BYTES = 4;

export interface ColumnFiles {
  /** Null if there is no file of this version, or if the file is damaged. `run`: its `runKey`. */
  load(run: string, version: string): RunColumns | null;
  /** Writes the columns of a large run. If the folder is not writable, the next start only takes longer. */
  save(run: string, version: string, columns: RunColumns): void;
}

const numbers = z.object({ values: z.instanceof(Float64Array) });
// Checks only the outer shape, because the checksum shows that the contents are as they were written.
const idList = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((id) => typeof id === 'string'),
);
const stored = z.object({
  run: z.string(),
  version: z.string(),
  columns: z.object({
    /** JSON, which is read several times faster than serialized texts. */
    itemIds: z.string(),
    fates: z.instanceof(Uint8Array),
    durations: numbers,
    measures: z.map(z.string(), numbers),
    scores: z.array(
      numbers.extend({
        ...{ evaluator: z.string(), name: z.string() },
        ...{ labels: z.instanceof(Int32Array), labelNames: z.array(z.string()) },
        several: z.map(z.int(), z.custom<number[]>(Array.isArray)),
      }),
    ),
    results: z.object({
      ...{ good: z.int(), failed: z.int(), skipped: z.int(), other: z.int(), unscored: z.int() },
    }),
    positions: z.instanceof(Int32Array),
    repeated: z.map(z.int(), z.custom<number[]>(Array.isArray)),
    traces: z.map(z.int(), z.custom<string[]>(Array.isArray)),
  }),
});

const PREFIX = 'runs-';
// File of a run, named after a checksum of the run. Runs with equal checksums overwrite each other's file, so `load`
// compares the run.
const fileIn = (folder: string, run: string) =>
  join(folder, `${PREFIX}${crc32(run).toString(16)}-${FORMAT}.columns`);
const partOf = (file: string) => `${file}.part`;

/** Deletes the columns of a run, including incomplete files. Throws file errors. */
export function removeColumns(folder: string, run: string): void {
  const file = fileIn(folder, run);
  for (const each of [file, partOf(file)]) rmSync(each, WITH_RETRIES);
}

/** `nowMs` returns the wall time. */
export function createColumnFiles(folder: string, nowMs: () => number): ColumnFiles {
  const fileOf = (run: string) => fileIn(folder, run);
  let latest: { json: string; ids: readonly string[] } | null = null;
  /** Returns one list of ids for runs with equal ids in the same order, which is frequent for runs of one dataset. */
  const idsOf = (json: string): readonly string[] => {
    if (latest?.json !== json) latest = { json, ids: idList.parse(JSON.parse(json)) };
    return latest.ids;
  };
  return {
    load: (run, version) => {
      try {
        const file = fileOf(run);
        const bytes = readFileSync(file);
        const content = bytes.subarray(CHECKSUM_BYTES);
        if (bytes.length <= CHECKSUM_BYTES || bytes.readUInt32LE(0) !== crc32(content)) return null;
        const found = stored.parse(deserialize(content));
        if (found.run !== run || found.version !== version) return null;
        const usedAt = nowMs() / 1_000;
        if (!onlyReads()) utimesSync(file, usedAt, usedAt);
        return { ...found.columns, itemIds: idsOf(found.columns.itemIds) };
      } catch {
        // If the file is missing or unreadable, the results themselves are read.
        return null;
      }
    },
    save: (run, version, columns) => {
      if (columns.itemIds.length < MIN_ITEMS || onlyReads()) return;
      const itemIds = JSON.stringify(columns.itemIds);
      const content = serialize({ run, version, columns: { ...columns, itemIds } });
      const head = Buffer.alloc(CHECKSUM_BYTES);
      head.writeUInt32LE(crc32(content));
      const file = fileOf(run);
      const part = partOf(file);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(part, Buffer.concat([head, content]), { mode: 0o600 });
        whenFree(() => renameSync(part, file));
        evict(folder);
      } catch {
        // On a full disk, the next start reads the results again, and the next save replaces the partial file.
      }
    },
  };
}

function evict(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(folder, name));
  if (files.length <= MAX_FILES) return;
  const usedMs = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const byUse = files.toSorted((one, other) => (usedMs.get(other) ?? 0) - (usedMs.get(one) ?? 0));
  for (const file of byUse.slice(MAX_FILES)) rmSync(file, WITH_RETRIES);
}
