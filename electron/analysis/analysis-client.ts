/** The main process's side of the analysis process: started for a request, ended after it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { StartChild } from '../platform/child-process.ts';
import { AppError } from '../shared/errors.ts';
import { type AnalysisRequest, analysisReply } from './protocol.ts';

type Given<R> = R extends unknown ? Omit<R, 'id' | 'spillFolder'> : never;

interface Analysis {
  /** Writes the rows of a Parquet file as JSON lines. Rejects with FILE_MALFORMED, DISK_FULL. */
  parquetToJsonLines(source: string, target: string): Promise<void>;
}

export function createAnalysis(startChild: StartChild): Analysis {
  return {
    parquetToJsonLines: (source, target) =>
      ask(startChild, { operation: 'parquet-to-json-lines', source, target }, (message) =>
        parquetError(basename(source), source, message),
      ),
  };
}

function parquetError(file: string, source: string, message: string): AppError {
  if (/No space left|failed to offload/i.test(message)) {
    const text = `The disk has no room to unpack ${file}. Free some space, then try again.`;
    return new AppError('DISK_FULL', text, { file });
  }
  // The engine's words hold the path, which is nobody's business but this process's.
  const why = (message.split('\n')[0] ?? '').replaceAll(source, file).slice(0, 300);
  return new AppError(
    'FILE_MALFORMED',
    `${file} cannot be read as a Parquet file: ${why} Write it anew, then choose it again.`,
    { file },
  );
}

async function ask(
  startChild: StartChild,
  request: Given<AnalysisRequest>,
  errorOf: (message: string) => AppError,
): Promise<void> {
  const spillFolder = await mkdtemp(join(tmpdir(), 'spandeck-analysis-'));
  try {
    await inProcess(startChild, { ...request, id: 1, spillFolder }, errorOf);
  } finally {
    await rm(spillFolder, { recursive: true, force: true });
  }
}

function inProcess(
  startChild: StartChild,
  request: AnalysisRequest,
  errorOf: (message: string) => AppError,
): Promise<void> {
  const isSource = import.meta.url.endsWith('.ts');
  const child = startChild(
    new URL(isSource ? './analysis-process.ts' : './analysis-process.js', import.meta.url),
  );
  return new Promise<void>((resolve, reject) => {
    child.onMessage((message) => {
      const answer = analysisReply.parse(message);
      if (answer.kind === 'done') resolve();
      else reject(errorOf(answer.message));
    });
    child.onEnd((why) => {
      const text =
        'The process that reads tables ended unexpectedly. Try again; if it happens again, save the file as CSV.';
      reject(new AppError('INTERNAL', text, {}, new Error(why)));
    });
    child.send(request);
  }).finally(() => child.kill());
}
