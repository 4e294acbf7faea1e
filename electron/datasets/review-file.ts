/** Writes a build's review of its spans to a file: CSV or JSON Lines. */
import type { StoredSpan } from '../db/build-store.ts';
import { delimitedLine } from '../shared/delimited.ts';
import type { Review } from '../shared/review-fold.ts';
import { type BuildFileDeps, eachSpan } from './build-files.ts';
import type { ReviewChoice } from './types.ts';

export const REVIEW_FORMATS = ['csv', 'jsonl'] as const;

/** The format by file extension; CSV by default. */
export function reviewFormat(path: string): ReviewChoice['format'] {
  return /\.(jsonl|ndjson)$/i.test(path) ? 'jsonl' : 'csv';
}

type Mark = NonNullable<ReturnType<Review['marks']['get']>>;

const COLUMNS = [
  ...(['trace_id', 'span_id', 'name', 'span_type', 'start_time', 'verdict'] as const),
  ...(['failure_kind', 'labels', 'note', 'expected_output', 'decided_at'] as const),
] as const;
type Line = Record<(typeof COLUMNS)[number], string | readonly string[] | null>;

/** Writes the file atomically and returns its number of rows. Spans without a review are left out. */
export async function writeReviewFile(
  deps: BuildFileDeps,
  buildId: string,
  { marks, kinds }: Review,
  path: string,
  { format, isExact, fits }: ReviewChoice,
): Promise<{ rows: number }> {
  const count = { rows: 0 };
  const names = new Map(kinds.map(({ kindId, name }) => [kindId, name]));
  async function* lines(): AsyncGenerator<string> {
    if (format === 'csv') yield delimitedLine(COLUMNS);
    for await (const span of eachSpan(deps, buildId, { states: null, shapeIds: null })) {
      const mark = marks.get(span.position);
      if (mark === undefined || !fits(mark)) continue;
      count.rows += 1;
      const line = lineOf(span, mark, mark.kindId === null ? null : (names.get(mark.kindId) ?? null));
      yield format === 'jsonl' ? `${JSON.stringify(line)}\n` : delimitedLine(cellsOf(line), { isExact });
    }
  }
  await deps.writeFile(path, lines());
  return count;
}

function lineOf(span: StoredSpan, mark: Mark, kind: string | null): Line {
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    name: span.name,
    span_type: span.spanType,
    start_time: span.startTime,
    verdict: mark.verdict,
    failure_kind: kind,
    labels: mark.labels,
    note: mark.note,
    expected_output: mark.expected,
    decided_at: new Date(mark.atMs).toISOString(),
  };
}

const cellsOf = (line: Line): string[] =>
  COLUMNS.map((name) => {
    const value = line[name];
    return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  });
