/** The files of an export: what is written stands beside the file until it is whole. */

import { createWriteStream } from 'node:fs';
import { access, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { ExportedRows } from '../analysis/protocol.ts';
import type { ChosenRows } from '../library/types.ts';
import { WHOLE_FOLDER, whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import {
  type ExportManifest,
  type ExportPlan,
  isTablePlan,
  type ListExportPlan,
} from '../shared/export-model.ts';
import type { ReadTable } from './types.ts';

/** Of each job its own: two exports to one file do not write into each other's. */
export const partOf = (file: string, id: string): string => `${file}.${id.slice(0, 8)}.part`;
const manifestOf = (file: string): string => `${file}.manifest.json`;

/** Proposed where a person chooses the place. */
export const fileNameOf = ({ name, format }: Pick<ExportPlan, 'name' | 'format'>): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|-+$/g, '') || 'export'}.${format}`;

/** Throws INVALID_ARGUMENT where the folder is not there, or the name is that of a folder with files: none is replaced. */
export async function checkPlace(file: string): Promise<void> {
  const folder = dirname(file);
  await access(folder).catch((problem: unknown) => {
    throw new AppError('INVALID_ARGUMENT', `Expected an existing folder, got ${folder}.`, {}, problem);
  });
  const names = await readdir(file).catch(() => []);
  if (names.length === 0) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a new name, but ${basename(file)} is a folder with files. Choose another name, or delete the folder.`,
  );
}

/** On the disk before it has its name. */
export async function publish(part: string, file: string, manifest: string): Promise<void> {
  const handle = await open(`${part}.manifest`, 'w');
  try {
    await handle.writeFile(manifest);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await whenFreeLater(() => rename(part, file));
  await whenFreeLater(() => rename(`${part}.manifest`, manifestOf(file)));
}

export async function removePart(part: string): Promise<void> {
  const files = [part, `${part}.manifest`, linesOf(part)];
  await Promise.all(files.map((each) => rm(each, WHOLE_FOLDER)));
}

/** Rows of a table on their way to the process that writes the file. */
export const linesOf = (part: string): string => `${part}.lines`;

/** So many rows are read at once: about 2 ms. */
const ROWS_AT_ONCE = 500;

/** Writes rows as JSON lines, a few at a time: other work goes on in between. */
export async function writeLines(
  file: string,
  rows: Exclude<ReadTable['rows'], { form: string }>,
  signal: AbortSignal,
): Promise<void> {
  async function* pieces() {
    let lines: string[] = [];
    for (const row of rows) {
      lines.push(`${JSON.stringify(row)}\n`);
      if (lines.length < ROWS_AT_ONCE) continue;
      yield lines.join('');
      lines = [];
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield lines.join('');
  }
  try {
    await pipeline(Readable.from(pieces()), createWriteStream(file), { signal });
  } catch (problem) {
    throw signal.aborted ? new AppError('CANCELLED', 'The export was stopped.') : problem;
  }
}

export function manifestText({
  plan,
  file,
  baseUrl,
  rows,
  written,
  about,
  nowMs,
}: {
  plan: ExportPlan;
  /** Of a table: what its rows are of. */
  about: ReadTable['about'];
  file: string;
  baseUrl: string;
  rows: Pick<ChosenRows, 'totalRows' | 'isComplete' | 'missingRows' | 'oldestMs' | 'newestMs'>;
  written: ExportedRows;
  nowMs: number;
}): string {
  const manifest: ExportManifest = {
    file: basename(file),
    format: plan.format,
    sizeBytes: written.sizeBytes,
    ...{ sha256: written.sha256, partitionedBy: written.partitionedBy, files: written.files },
    exportedAt: isoTime(nowMs) ?? '',
    source: { baseUrl, ...(isTablePlan(plan) ? about : plan.query) },
    rowsChosen: isTablePlan(plan) ? null : chosenOf(plan),
    ...{ rows: written.rows, skipped: written.skipped },
    ...(written.spansRead === undefined ? {} : { spansRead: written.spansRead }),
    totalRows: rows.totalRows,
    complete: rows.isComplete,
    ...(rows.missingRows === undefined ? {} : { missingRows: rows.missingRows }),
    asOf: isoTime(rows.oldestMs),
    newestAt: isoTime(rows.newestMs),
    timeRanges: written.times,
    columns: written.columns,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function chosenOf({ narrow, filters, sort, ranges }: ListExportPlan): ExportManifest['rowsChosen'] {
  return { narrow, filters, sort, isSelection: ranges !== null };
}

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Throws NOT_STORED where it is not there any more, or is none. */
export async function readManifest(file: string): Promise<ExportManifest> {
  try {
    const value = z
      .looseObject({ rows: z.int() })
      .parse(JSON.parse(await readFile(manifestOf(file), 'utf8')));
    // Written by this program, and only shown.
    return value as unknown as ExportManifest;
  } catch (problem) {
    throw new AppError('NOT_STORED', `${basename(manifestOf(file))} no longer exists.`, {}, problem);
  }
}
