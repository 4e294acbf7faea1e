/** Manages the files of an export. The partial file is next to the target until it is complete. */

import { createWriteStream } from 'node:fs';
import {
  access,
  lstat,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportedRows } from '../analysis/protocol.ts';
import type { ChosenRows } from '../library/types.ts';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import {
  type ExportManifest,
  type ExportPlan,
  isTablePlan,
  type ListExportPlan,
} from '../shared/export-model.ts';
import * as z from '../shared/zod.ts';
import type { ReadTable } from './types.ts';

const startOf = (file: string, id: string): string => `${file}.${id.slice(0, 8)}.`;
/**
 * Different for each attempt (`run`) of each job: a process that was suspended and lost the job to another one may still
 * write to its partial file, which must not be that of the other.
 */
export const partOf = (file: string, id: string, run: string): string =>
  `${startOf(file, id)}${run.slice(0, 8)}.part`;
/** The end of the name of a partial file and its companions. Earlier versions had no attempts in it. */
const PART = /^(?:[^.]+\.)?part(?:\.manifest|\.earlier|\.lines)?$/;
const manifestOf = (file: string): string => `${file}.manifest.json`;

/** The file name suggested to the person. */
export const fileNameOf = ({ name, format }: Pick<ExportPlan, 'name' | 'format'>): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|-+$/g, '') || 'export'}.${format}`;

/**
 * The file to write. For a link this is its target, so that the link stays. Throws INVALID_ARGUMENT for anything but a
 * file.
 */
export async function targetOf(file: string): Promise<string> {
  const there = await lstat(file).catch(() => null);
  const target = there?.isSymbolicLink() === true ? await endOf(file) : file;
  const kind = await stat(target).catch(() => null);
  if (kind === null || kind.isFile() || kind.isDirectory()) return target;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a file, but ${basename(file)} is a device or a pipe. Choose another name.`,
  );
}

/** Maximum number of links that are followed one after the other. A longer chain is taken for a loop. */
const MAX_LINKS = 40;

/** The end of a chain of links, which may be a file that does not exist yet. */
async function endOf(link: string): Promise<string> {
  try {
    let at = link;
    for (let links = 0; links < MAX_LINKS; links += 1) {
      at = resolve(await realpath(dirname(at)), basename(at));
      const there = await lstat(at).catch(() => null);
      if (there?.isSymbolicLink() !== true) return at;
      at = resolve(dirname(at), await readlink(at));
    }
    throw new RangeError('The links lead to each other.');
  } catch (problem) {
    const reason = `${basename(link)} is a link that cannot be followed. Choose another name.`;
    throw new AppError('INVALID_ARGUMENT', reason, {}, problem);
  }
}

/**
 * Throws INVALID_ARGUMENT if the parent folder does not exist, if a file has the name of a folder, or if a folder has
 * the name of a file, or has files, which are never replaced. `isFolder`: whether a folder is to be written.
 */
export async function checkPlace(place: string, isFolder: boolean): Promise<void> {
  const file = await targetOf(place);
  const folder = dirname(file);
  await access(folder).catch((problem: unknown) => {
    throw new AppError('INVALID_ARGUMENT', `Expected an existing folder, got ${folder}.`, {}, problem);
  });
  const there = await stat(file).catch(() => null);
  if (there === null) return;
  if (there.isDirectory()) {
    const names = await readdir(file).catch(() => []);
    if (names.length > 0)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a new name, but ${basename(file)} is a folder with files. Choose another name, or delete the folder.`,
      );
    if (!isFolder)
      throw new AppError('INVALID_ARGUMENT', `Expected the name of a file, got the folder ${place}.`);
  } else if (isFolder)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a name for a folder, but ${basename(file)} is a file. Choose another name, or delete the file.`,
    );
}

/**
 * Flushes the file to disk, then gives it its final name. `part` is next to the target of `file`, the manifest next to
 * `file`.
 */
export async function publish(
  part: string,
  file: string,
  { id, run }: { id: string; run: string },
  manifest: string,
): Promise<void> {
  const manifestPart = `${partOf(file, id, run)}.manifest`;
  const handle = await open(manifestPart, 'w');
  try {
    await handle.writeFile(manifest);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const target = await targetOf(file);
  const described = manifestOf(file);
  if ((await lstat(described).catch(() => null))?.isDirectory() === true)
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a place for the manifest, but ${basename(described)} is a folder. Choose another name.`,
    );
  const earlier = `${partOf(file, id, run)}.earlier`;
  // If the process is killed between these steps, the rows have no manifest. They never have the manifest of other
  // rows.
  const hadManifest = await whenFreeLater(() => rename(described, earlier)).then(
    () => true,
    (problem: unknown) => {
      if (problem instanceof Error && 'code' in problem && problem.code === 'ENOENT') return false;
      throw problem;
    },
  );
  try {
    await whenFreeLater(() => rename(part, target));
  } catch (problem) {
    if (hadManifest) await whenFreeLater(() => rename(earlier, described));
    throw problem;
  }
  await whenFreeLater(() => rename(manifestPart, described));
}

/** Removes the partial files of all attempts of a job, or of one. */
export async function removeParts(file: string, id: string, run: string | null = null): Promise<void> {
  for (const place of new Set([await targetOf(file), file])) {
    const start = basename(run === null ? startOf(place, id) : partOf(place, id, run));
    const names = await readdir(dirname(place)).catch(() => []);
    const found = names.filter((name) => {
      if (!name.startsWith(start)) return false;
      return PART.test(name.slice(basename(startOf(place, id)).length));
    });
    await Promise.all(found.map((name) => rm(resolve(dirname(place), name), WITH_RETRIES)));
  }
}

/** Rows of a table, passed to the process that writes the file. */
export const linesOf = (part: string): string => `${part}.lines`;

/** Number of rows read per step, which takes about 2 ms. */
const ROWS_AT_ONCE = 500;

/** Writes rows as JSON lines in small steps, so that other work can run in between. */
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
  repeats,
}: {
  plan: ExportPlan;
  /** The source of a table's rows. */
  about: ReadTable['about'];
  file: string;
  baseUrl: string;
  rows: Pick<ChosenRows, 'totalRows' | 'isComplete' | 'missingRows' | 'oldestMs' | 'newestMs'>;
  written: ExportedRows;
  nowMs: number;
  /** Null unless the export repeats. */
  repeats: { connectionId: string } | null;
}): string {
  const manifest: ExportManifest = {
    file: basename(file),
    format: plan.format,
    sizeBytes: written.sizeBytes,
    ...{ sha256: written.sha256, partitionedBy: written.partitionedBy, files: written.files },
    exportedAt: isoTime(nowMs) ?? '',
    ...(repeats === null ? {} : { repeats }),
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

const claimed = z.looseObject({
  repeats: z.looseObject({ connectionId: z.string() }),
  exportedAt: z.string(),
  source: z.looseObject({ baseUrl: z.string() }),
});

/**
 * Throws CONFLICT if a repeat of another connection writes this file, because each would replace the rows of the other.
 */
export async function checkOtherRepeat(file: string, connectionId: string): Promise<void> {
  const text = await readFile(manifestOf(file), 'utf8').catch(() => '');
  const { repeats, exportedAt, source } = claimed.safeParse(readJson(text)).data ?? {};
  if (repeats === undefined || repeats.connectionId === connectionId) return;
  throw new AppError(
    'CONFLICT',
    `Expected a file that no other repeat writes, but a repeat of another connection (${source?.baseUrl}) wrote ${basename(file)} at ${exportedAt}. Choose another file; if that repeat was ended, delete the file and its manifest.`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // There is no manifest, or the file is one of another program.
    return null;
  }
}

/** Throws NOT_STORED if the manifest does not exist any more or is not valid. */
export async function readManifest(file: string): Promise<ExportManifest> {
  try {
    const value = z
      .looseObject({ rows: z.int() })
      .parse(JSON.parse(await readFile(manifestOf(file), 'utf8')));
    // The cast is safe enough, because this program wrote the manifest and it is only displayed.
    return value as unknown as ExportManifest;
  } catch (problem) {
    throw new AppError('NOT_STORED', `${basename(manifestOf(file))} no longer exists.`, {}, problem);
  }
}
