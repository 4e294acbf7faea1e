/** Independent tasks of the analysis engine. Each runs in a process of its own. */

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../core/ports.ts';
import { STALL_LIMITS, stalledError, watchForStall } from '../core/stall-watch.ts';
import type { StartChild } from '../platform/child-process.ts';
import type { ColumnProfile } from '../shared/analysis-model.ts';
import { detached } from '../shared/detached.ts';
import { AppError } from '../shared/errors.ts';
import { AnalysisLink, EngineFailure } from './analysis-link.ts';
import type { AnalysisResults } from './protocol.ts';
import { patternOf } from './sql-text.ts';

/** Each method rejects with CANCELLED when its signal is aborted. */
interface Analysis {
  /** Writes the rows of a Parquet file as JSON lines. Rejects with FILE_MALFORMED, DISK_FULL. */
  parquetToJsonLines(
    source: string,
    target: string,
    signal: AbortSignal,
  ): Promise<AnalysisResults['parquet-to-json-lines']>;
  /** Profiles of all columns of a JSON Lines file. Rejects with DISK_FULL, INTERNAL. */
  profileLines(file: string, signal: AbortSignal): Promise<ColumnProfile[]>;
}

export function createAnalysis(startChild: StartChild, clock: Clock): Analysis {
  const alone = async <T>(
    ask: (link: AnalysisLink) => Promise<T>,
    asError: (message: string) => AppError,
    signal: AbortSignal,
  ): Promise<T> => {
    if (signal.aborted) throw new AppError('CANCELLED', 'The analysis was stopped.');
    const link = new AnalysisLink({ startChild, clock, idleMs: 0 });
    const end = () => detached('ending an analysis', link.end());
    signal.addEventListener('abort', end);
    try {
      return await ask(link);
    } catch (problem) {
      throw problem instanceof EngineFailure ? asError(problem.message) : problem;
    } finally {
      signal.removeEventListener('abort', end);
      await link.end();
    }
  };
  /** Checks the size of the output regularly, because the engine does not report progress. */
  const untilStall = async (
    link: AnalysisLink,
    source: string,
    target: string,
  ): Promise<AnalysisResults['parquet-to-json-lines']> => {
    let hasStalled = false;
    const sizeOf = () =>
      stat(target)
        .then(({ size }) => size)
        .catch(() => 0);
    const endWatch = watchForStall({
      clock,
      limits: STALL_LIMITS,
      look: async () => ({ progress: await sizeOf(), waitedMs: 0 }),
      onStall: () => {
        hasStalled = true;
        detached('ending an analysis that stands still', link.end());
      },
    });
    try {
      return await link.call('parquet-to-json-lines', { source, target });
    } catch (problem) {
      if (hasStalled) throw stalledError(basename(source), null);
      // Some kinds of damage crash the analysis process.
      if (problem instanceof AppError && problem.code === 'INTERNAL')
        throw parquetError(basename(source), source, 'the reader met damage that it could not get over.');
      throw problem;
    } finally {
      endWatch();
    }
  };
  return {
    parquetToJsonLines: (source, target, signal) =>
      alone(
        (link) => untilStall(link, source, target),
        (message) => parquetError(basename(source), source, message),
        signal,
      ),
    profileLines: (file, signal) =>
      alone(
        (link) =>
          link.call('profile', { source: { form: 'lines', file }, within: null, fields: null, filters: [] }),
        profileError,
        signal,
      ),
  };
}

function profileError(message: string): AppError {
  if (isDiskFull(message))
    return new AppError(
      'DISK_FULL',
      'The disk has no room to count the values of this file. Free some space, then try again.',
    );
  return new AppError('INTERNAL', 'The columns of this file could not be read.', {}, new Error(message));
}

/** Whether the engine's message means that the disk is full. */
export const isDiskFull = (message: string): boolean => /No space left|failed to offload/i.test(message);

function parquetError(file: string, source: string, message: string): AppError {
  if (isDiskFull(message)) {
    const text = `The disk has no room to unpack ${file}. Free some space, then try again.`;
    return new AppError('DISK_FULL', text, { file });
  }
  // The engine's message is replaced, because it contains the path, which must not leave this process.
  const reason = [source, patternOf(source)]
    .reduce((text, path) => text.replaceAll(path, file), message.split('\n')[0] ?? '')
    .slice(0, 300)
    .trim();
  // Exporting again with the same program would give the same encoding and bytes.
  const next = /valid UTF-?8/i.test(reason)
    ? 'Write the texts of that column in UTF-8, or as bytes, then choose it again.'
    : /encoding/i.test(reason)
      ? 'Write it with the usual encodings (PLAIN or a dictionary), then choose it again.'
      : /magic bytes/i.test(reason)
        ? 'It is cut off or damaged: copy or export it again, then choose it again.'
        : /times that a calendar has/.test(reason)
          ? 'Write missing times as null, then choose it again.'
          : 'Export it again, then choose it again.';
  return new AppError(
    'FILE_MALFORMED',
    `${file} cannot be read as a Parquet file: ${reason.replace(/\.$/, '')}. ${next}`,
    { file },
  );
}
