/**
 * The process of the analysis engine, simulated in steps of the life that started it. It prepares and writes stored
 * lists, and refuses everything else as if it had no memory.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { AnalysisReply, AnalysisRequest, ExportedRows } from '../../electron/analysis/protocol.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import Database from './databases.ts';
import type { Draw } from './draw.ts';
import type { Life, Step, World } from './world.ts';

const NO_MEMORY = 'Out of Memory Error: No space left on device';
/** Maximum time for one half of a file, in ms. */
const MAX_HALF_MS = 4_000;
const asked = z.looseObject({ id: z.int(), operation: z.string() });

interface Child {
  /** Runs a step later, unless the process is killed before. */
  later: (label: string, mostMs: number, run: () => void) => void;
  answer: (reply: AnalysisReply) => void;
}

export function startAnalysis(world: World, life: Life, draw: Draw): StartChild {
  return () => {
    const steps: Step[] = [];
    let tell: (message: unknown) => void = () => undefined;
    const child: Child = {
      later: (label, mostMs, run) => {
        steps.push(world.add({ life, kind: 'message', label, delayMs: 1 + draw.next() * mostMs, run }));
      },
      answer: (reply) => tell(reply),
    };
    return {
      send: (message) => {
        const request = asked.parse(message) as unknown as AnalysisRequest;
        child.later('request to the child', 1, () => take(child, request));
      },
      onMessage: (hear) => {
        tell = hear;
      },
      onEnd: () => undefined,
      kill: () => {
        for (const step of steps) world.cancel(step);
      },
    };
  };
}

function take(child: Child, request: AnalysisRequest): void {
  const { id } = request;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      const isFull = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC';
      if (!isFull) throw thrown;
      child.answer({ id, kind: 'failed', message: NO_MEMORY });
    }
  };
  if (request.operation === 'build-sidecar' && 'generationId' in request.stored) {
    const { stored, target } = request;
    attempt(() => {
      const rows = rowsOf(stored);
      writeFileSync(target, `${rows} rows`);
      child.answer({ id, kind: 'done', result: { rows } });
    });
  } else if (request.operation === 'export-rows' && request.source.form === 'stored') {
    const { source, target } = request;
    attempt(() => {
      const rows = source.positions?.length ?? rowsOf(source.stored);
      const half = rows >> 1;
      writeFileSync(target, ['row', ...numbers(0, half)].join('\n'));
      child.answer({ id, kind: 'progress', rows: half });
      child.later('second half of a file', MAX_HALF_MS, () =>
        attempt(() => {
          appendFileSync(target, ['', ...numbers(half, rows), ''].join('\n'));
          child.answer({ id, kind: 'done', result: written(rows) });
        }),
      );
    });
  } else child.answer({ id, kind: 'failed', message: NO_MEMORY });
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

/** Number of lines in an exported file: one for the columns, and one for each row. */
export const linesOf = (text: string): number => text.split('\n').filter((line) => line !== '').length;

function rowsOf({ libraryFile, generationId }: { libraryFile: string; generationId: number }): number {
  const database = new Database(libraryFile, { readonly: true });
  try {
    const count = 'SELECT count(*) FROM list_row WHERE generation_id = ?';
    return Number(database.prepare(count).pluck().get(generationId));
  } finally {
    database.close();
  }
}

function written(rows: number): ExportedRows {
  const text = ['row', ...numbers(0, rows), ''].join('\n');
  return {
    rows,
    columns: [],
    sizeBytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    ...{ files: null, partitionedBy: null, skipped: null, times: [] },
  };
}
