/** Second reviews of the spans of a build. They are read from the review file of another reviewer, and compared. */

import { basename } from 'node:path';
import type { FileSpan } from '../core/spans/file-span.ts';
import { cutText } from '../shared/cut-text.ts';
import { withFormula } from '../shared/delimited.ts';
import { AppError } from '../shared/errors.ts';
import { parseExactObject, writeExact } from '../shared/exact-json.ts';
import type { Review } from '../shared/review-fold.ts';
import {
  MAX_GROUPED,
  MAX_SECOND_REVIEWS,
  type ReviewEvent,
  type SecondMark,
  VERDICTS,
} from '../shared/review-model.ts';
import type { SecondReviewCounts } from '../shared/second-review.ts';
import type { SpanFile } from '../shared/span-file.ts';
import type { DatasetsDeps } from './types.ts';

type Deps = Pick<DatasetsDeps, 'store' | 'extractSpans' | 'checkSpans' | 'readableFile'>;

/** Size of one read, in the thread that reads files. */
const PAGE = { rows: 500, bytes: 1_000_000 };
/** Maximum size of one event, because a page of events is sent as one message. */
const MAX_EVENT_CHARACTERS = 60_000;

/** Reads a whole review file. Throws FILE_MALFORMED for a file that is not a review, and FILE_* errors. */
export async function readSecondReview(
  deps: Deps,
  buildId: string,
  file: SpanFile,
): Promise<{ marks: SecondMark[]; counts: SecondReviewCounts }> {
  const readable = await deps.readableFile(file);
  const marks = new Map<number, SecondMark>();
  const { dialect } = file;
  const isTable = dialect.format === 'csv';
  const { rows, repeated, badRows } = await deps.checkSpans({ ...readable, dialect });
  const counts = { rows, repeated, badRows, decisions: 0, undecided: 0, notHere: 0 };
  const seen = new Set<string>();
  let verdicts = 0;
  for (let start: Parameters<Deps['extractSpans']>[0]['start'] = null; ; ) {
    const page = await deps.extractSpans({ ...readable, dialect, start, most: PAGE });
    const found = deps.store.spans.find(buildId, page.spans);
    for (const [at, span] of page.spans.entries()) {
      const key = `${span.trace_id} ${span.span_id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const position = found[at]?.position ?? null;
      const mark = decisionIn(span, position ?? 0, isTable);
      if (mark !== null) verdicts += 1;
      if (mark === null) counts.undecided += 1;
      else if (position === null) counts.notHere += 1;
      else marks.set(position, mark);
    }
    if (page.end === null) break;
    start = page.end;
  }
  counts.decisions = marks.size;
  if (verdicts === 0) throw noReview(basename(readable.path), counts.rows);
  if (marks.size === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected decisions on spans of this draft, got ${counts.notHere} on other spans. Choose the review of the spans that were saved from here.`,
    );
  }
  return { marks: [...marks.values()], counts };
}

function noReview(file: string, rows: number): AppError {
  return new AppError(
    'FILE_MALFORMED',
    `Expected a review with the columns trace_id, span_id and verdict, got ${rows === 0 ? 'no rows' : 'no verdict in any row'}. Choose the file that Save review… wrote.`,
    { file },
  );
}

/** Null for a row without a verdict. Throws FILE_MALFORMED for an unknown verdict. */
function decisionIn(
  { record, trace_id, span_id }: FileSpan,
  position: number,
  isTable: boolean,
): SecondMark | null {
  const fields = record === null ? {} : parseExactObject(record)['span_attributes'];
  const inside: Record<string, unknown> = typeof fields === 'object' && fields !== null ? { ...fields } : {};
  const text = (name: string): string => {
    const value = inside[name] ?? '';
    const own = typeof value === 'string' ? value : writeExact(value);
    return isTable ? withFormula(own) : own;
  };
  const given = text('verdict').trim();
  if (given === '') return null;
  const verdict = VERDICTS.find((each) => each === given);
  if (verdict === undefined) {
    throw new AppError(
      'FILE_MALFORMED',
      `Expected the verdict ${VERDICTS.join(', ')} or none for span ${span_id} of trace ${trace_id}, got ${cutText(given, 100)}.`,
    );
  }
  const kind = cutText(text('failure_kind').trim(), 200);
  return { position, verdict, kind: kind === '' ? null : kind, note: cutText(text('note'), 10_000) };
}

/** The events of a second review. Throws INVALID_ARGUMENT if there are too many reviewers. */
export function eventsOf(
  review: Review,
  reviewer: string,
  marks: readonly SecondMark[],
  atMs: number,
): ReviewEvent[] {
  const isKnown = review.seconds.some((each) => each.reviewer === reviewer);
  if (!isKnown && review.seconds.length >= MAX_SECOND_REVIEWS) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected at most ${MAX_SECOND_REVIEWS} second reviews. Remove one first.`,
    );
  }
  const pieces: SecondMark[][] = [];
  let [piece, characters]: [SecondMark[], number] = [[], 0];
  for (const mark of marks) {
    const length = JSON.stringify(mark).length;
    if (piece.length >= MAX_GROUPED || (piece.length > 0 && characters + length > MAX_EVENT_CHARACTERS)) {
      pieces.push(piece);
      [piece, characters] = [[], 0];
    }
    piece.push(mark);
    characters += length;
  }
  pieces.push(piece);
  return pieces.map((part, at) => ({
    ...{ type: 'second-review', reviewer, isFirst: at === 0, marks: part, atMs },
  }));
}
