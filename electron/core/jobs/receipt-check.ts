/**
 * Checks the ids in an answer: the service must return one id for each thing that it stores. Only then does the answer
 * count as a receipt. Pure.
 */

import { numberText as number } from '../../shared/count-text.ts';
import { cutText } from '../../shared/cut-text.ts';
import { AppError } from '../../shared/errors.ts';
import { elementAt } from '../element-at.ts';

export interface ExpectedIds {
  /** Word for a thing that was sent: `row`, `span`, `item`. */
  thing: string;
  /** Word for its id: `event id`, `item id`. */
  noun: string;
  count: number;
  /**
   * The ids that were sent, in order; null if none were. The answer may repeat ids that were sent repeatedly, or return
   * them once.
   */
  own: readonly string[] | null;
  /** Whether this id was already assigned to something else. */
  isTaken: (id: string) => boolean;
}

type Issue = { reason: string; message: string };

/** Maximum number of examples stored as evidence for each kind of fault. */
const MAX_EXAMPLES = 5;
const LONGEST_ID = 80;

/** The reason why these ids are not a valid receipt; null if they are. `ids` is null if the answer had none. */
export function receiptProblem(ids: readonly string[] | null, expected: ExpectedIds): AppError | null {
  const { thing, noun, count, own } = expected;
  if (ids === null || (ids.length === 0 && count > 0)) {
    return doubt(expected, `got none`, [{ reason: 'missing', message: `The answer has no ${noun}s.` }]);
  }
  if (isPlain(ids, expected)) return null;
  const distinctOwn = own === null ? count : distinctOf(own);
  const issues: Issue[] = [];
  const isOneForEach = ids.length === count || (own !== null && ids.length === distinctOwn);
  if (!isOneForEach) issues.push(countIssue(ids.length, count, noun));
  const blank = placesOf(ids, (id) => id.trim() === '');
  if (blank.length > 0) {
    const message = `Blank at ${places(blank, thing)}.`;
    issues.push({ reason: 'blank', message });
  }
  const repeated = repeatsOf(ids);
  const repeats = [...repeated.values()].reduce((sum, found) => sum + found.length - 1, 0);
  // An id that was sent twice may also be returned twice.
  const areRepeatsFaults = repeats > 0 && (own === null || new Set(ids).size < distinctOwn);
  if (areRepeatsFaults) issues.push(...repeatIssues(repeated, thing));
  const taken = own === null ? placesOf(ids, (id) => id.trim() !== '' && expected.isTaken(id)) : [];
  if (taken.length > 0) {
    const message = `${shown(elementAt(ids, elementAt(taken, 0)))} was used for something else before (${places(taken, thing)}).`;
    issues.push({ reason: 'given before', message });
  }
  if (issues.length === 0) return null;
  const parts = [
    `got ${number(ids.length)}`,
    ...(blank.length > 0 ? [`${number(blank.length)} blank`] : []),
    ...(areRepeatsFaults ? [`${number(repeats)} repeated`] : []),
    ...(taken.length > 0 ? [`${number(taken.length)} used for something else before`] : []),
  ];
  return doubt(expected, parts.join(', '), issues);
}

/** True in the common case: one id for each thing, without duplicates, blanks and ids assigned before. */
function isPlain(ids: readonly string[], { count, own, isTaken }: ExpectedIds): boolean {
  if (ids.length !== count || new Set(ids).size !== count) return false;
  return ids.every((id) => !isBlank(id) && (own !== null || !isTaken(id)));
}

/** Most ids begin with a letter or a digit and need no further check. */
function isBlank(id: string): boolean {
  const first = id.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && id.trim() === '';
}

/** Number of distinct ids expected. Things sent without ids get different ones. */
function distinctOf(own: readonly string[]): number {
  const given = own.filter((id) => id.trim() !== '');
  return new Set(given).size + own.length - given.length;
}

function doubt({ thing, noun, count }: ExpectedIds, came: string, issues: Issue[]): AppError {
  const things = count === 1 ? thing : `${thing}s`;
  return new AppError(
    'RECEIPT_DOUBTFUL',
    `The service accepted ${number(count)} ${things}, but its answer is not a receipt for them: expected one ${noun} for each, ${came}. Nothing is sent again.`,
    {
      outcome: 'answered',
      reason: [...new Set(issues.map(({ reason }) => reason))].join(', '),
      issues,
      nextStep: `Compare what the service has now with what was sent before you send these ${things} again.`,
    },
  );
}

function countIssue(came: number, expected: number, noun: string): Issue {
  const by = Math.abs(came - expected);
  const nouns = by === 1 ? noun : `${noun}s`;
  return came < expected
    ? { reason: 'too few', message: `${number(by)} ${nouns} fewer than expected.` }
    : { reason: 'too many', message: `${number(by)} ${nouns} more than expected.` };
}

function placesOf(ids: readonly string[], isMeant: (id: string) => boolean): number[] {
  return ids.flatMap((id, index) => (isMeant(id) ? [index] : []));
}

/** Ids that occur more than once, with their indices. */
function repeatsOf(ids: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  ids.forEach((id, index) => {
    if (id.trim() === '') return;
    const known = found.get(id);
    if (known === undefined) found.set(id, [index]);
    else known.push(index);
  });
  return new Map([...found].filter(([, at]) => at.length > 1));
}

function repeatIssues(repeated: ReadonlyMap<string, number[]>, thing: string): Issue[] {
  return [...repeated]
    .slice(0, MAX_EXAMPLES)
    .map(([id, at]) => ({ reason: 'duplicate', message: `${shown(id)} at ${places(at, thing)}.` }));
}

/** Example: `rows 3, 7 and 12 more of the request` */
function places(indexes: readonly number[], thing: string): string {
  const first = indexes.slice(0, MAX_EXAMPLES).map((index) => number(index + 1));
  const more = indexes.length - first.length;
  const list = more > 0 ? `${first.join(', ')} and ${number(more)} more` : first.join(', ');
  return `${indexes.length === 1 ? thing : `${thing}s`} ${list} of the request`;
}

const shown = (id: string): string => `“${cutText(id, LONGEST_ID)}”`;
