/** Writes rows of stored lists to files. Each export has a process of its own. */

import type { Clock } from '../core/ports.ts';
import type { StartChild } from '../platform/child-process.ts';
import { detached } from '../shared/detached.ts';
import { AppError } from '../shared/errors.ts';
import type { ExportForm } from '../shared/export-model.ts';
import { isDiskFull } from './analysis-client.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import type { ExportedRows, ExportedSource } from './protocol.ts';
import type { ProfiledGeneration, Sidecars } from './sidecars.ts';

interface RowsToWrite {
  rows: {
    generation: ProfiledGeneration;
    /** Positions in order; null for all rows. */
    positions: Int32Array<ArrayBuffer> | null;
    count: number;
    /** True if some of the positions may have no stored row, because pages between others were not read. */
    mayHaveGaps: boolean;
  };
  /** `query`: the query of the list whose rows are written. */
  plan: ExportForm & { query?: { operation: string } };
  part: string;
}

interface RowWriterDeps {
  sidecars: Pick<Sidecars, 'file'>;
  libraryFile: string;
  startChild: StartChild;
  clock: Clock;
}

type WrittenTable = ExportedSource & { form: 'lines' | 'held' };
type ChildDeps = Pick<RowWriterDeps, 'startChild' | 'clock'>;
type OnProgress = (rows: number) => void;

/**
 * Returns a function that writes rows of a list to a file. Aborting the signal ends the process. Rejects with
 * CANCELLED, DISK_FULL, CONFLICT if the list was read again meanwhile, INVALID_ARGUMENT if the engine cannot write the
 * rows.
 */
export function createRowWriter({ sidecars, libraryFile, ...child }: RowWriterDeps) {
  return async (
    { rows, plan, part }: RowsToWrite,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<ExportedRows> => {
    const { positions } = rows;
    const source = async () => {
      const sidecar = await sidecars.file(rows.generation);
      const stored = { libraryFile, generationId: rows.generation.id };
      return { form: 'stored' as const, sidecar, stored, positions };
    };
    const written = await writeSource(child, { source, plan, part }, signal, onProgress);
    const seen = written.spansRead ?? written.rows + (written.skipped?.rows ?? 0);
    const isWhole = positions !== null && rows.mayHaveGaps ? seen <= rows.count : seen === rows.count;
    if (!isWhole) throw changed();
    return written;
  };
}

/** Like `createRowWriter`, for records in a JSON Lines file or a table in a store. */
export function createTableWriter(child: ChildDeps) {
  return (
    { source: from, plan, part }: Pick<RowsToWrite, 'plan' | 'part'> & { source: WrittenTable },
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<ExportedRows> => {
    const source = () => Promise.resolve(from);
    return writeSource(child, { source, plan, part }, signal, onProgress);
  };
}

async function writeSource(
  child: ChildDeps,
  { source, plan, part }: Pick<RowsToWrite, 'plan' | 'part'> & { source: () => Promise<ExportedSource> },
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<ExportedRows> {
  const link = new AnalysisLink({ ...child, idleMs: 0 });
  const stop = () => detached('stopping an export', link.end());
  const cancelled = () => new AppError('CANCELLED', 'The export was stopped.');
  signal.addEventListener('abort', stop);
  try {
    const from = await source();
    if (signal.aborted) throw cancelled();
    const { columns, needsColumns, format, isExact, partitionBy, isSorted, conversation } = plan;
    const areItems =
      plan.query?.operation === 'datasets.items' || (from.form === 'held' && from.table.form === 'version');
    const how = { columns, needsColumns, format, isExact, partitionBy, isSorted, conversation, areItems };
    const written = await link.call('export-rows', { source: from, ...how, target: part }, onProgress);
    if ('fault' in written) throw new EngineFailure(written.fault.message);
    if ('refused' in written) throw new AppError('INVALID_ARGUMENT', written.refused);
    return written;
  } catch (problem) {
    if (signal.aborted) throw cancelled();
    throw problem instanceof EngineFailure ? exportError(problem) : problem;
  } finally {
    signal.removeEventListener('abort', stop);
    await link.end();
  }
}

const changed = () =>
  new AppError(
    'CONFLICT',
    'The list was refreshed while it was being exported. Resume the export to write it again.',
  );

function exportError({ message }: EngineFailure): AppError {
  if (isDiskFull(message))
    return new AppError(
      'DISK_FULL',
      'The disk has no room for this file. Free some space, then resume the export.',
    );
  if (/EACCES|EPERM|EROFS|Permission denied/i.test(message))
    return new AppError(
      'INVALID_ARGUMENT',
      'Expected a folder that can be written to. Choose another folder.',
    );
  if (/ENOENT|ENOTDIR|No such file or directory|Not a directory/i.test(message))
    return new AppError(
      'INVALID_ARGUMENT',
      'Expected an existing folder in which files can be created. Choose another folder, or connect its drive.',
    );
  return new AppError('INTERNAL', 'The file could not be written.', {}, new Error(message));
}
