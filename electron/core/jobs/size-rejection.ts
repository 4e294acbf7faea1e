/**
 * Decides whether a rejection is about the size of the request or about its content. The wording for size is not
 * documented, so messages are interpreted cautiously: if a message may be about a single row, it counts as content.
 * Pure.
 */
import { counted } from '../../shared/count-text.ts';
import { AppError, type WireError } from '../../shared/errors.ts';

/** Size of the rejected request. */
export interface SentSize {
  rows: number;
  bytes: number;
}

type Rejection = Pick<WireError, 'message' | 'details'>;

/** A body below this size is accepted by every service, so its size was not the reason. */
const SMALLEST_LIMIT_BYTES = 4_096;
/**
 * Maximum number of entries stored for a rejection. Applied before the decision, so that it is the same before and
 * after storing.
 */
const MAX_ISSUES = 20;

/** Words about a single row or value. Messages with them do not concern the request as a whole. */
const OF_A_ROW =
  /\b(columns?|fields?|cells?|characters?|strings?|vectors?|dimensions?|embeddings?|attributes?|varchar|categor\w+)\b|\bvalues? (is |are |was )?(too|for|of|in|exceed)|\b(row|line|event|record|item)( (no\.?|number|at index))? ?#?\d+\b|\b(rows|lines|events|records|items)[[.]\d+|\bindex \d+/i;

const WHOLE =
  '(?:request(?: entity| body| payload| content)?|body|payload|entity|content(?: length)?|message)';
const TOO_MUCH =
  '(?:too (?:large|big|long)|larger than|bigger than|exceed\\w*|over (?:the|its|a) (?:limit|maximum)|above the)';
/** Messages about the request as a whole. */
const OF_THE_BODY = [
  new RegExp(`\\b${WHOLE}\\b[^.;]{0,40}\\b${TOO_MUCH}`, 'i'),
  new RegExp(`\\b${TOO_MUCH}\\b[^.;]{0,40}\\b${WHOLE}\\b`, 'i'),
  new RegExp(`\\b(?:max(?:imum)?|limit)\\b[^.;]{0,30}\\b${WHOLE}(?: size| length)?\\b`, 'i'),
  new RegExp(`\\b${WHOLE}(?: size| length)?\\b[^.;]{0,30}\\b(?:max(?:imum)?|limit)\\b`, 'i'),
];

const EVENTS = '(?:events|records|rows|entries|batch)';
const MOST =
  '(?:at most|no more than|not more than|up to|max(?:imum)?(?: number)?(?: is| of)?|limit(?:ed)?(?: to| of| is)?|more than|exceed\\w*)';
/** A number that is not followed by a unit of something else. */
const NUMBER =
  '(\\d[\\d,_ ]*\\d|\\d)(?![\\d,_ ]*\\d)(?! ?(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|ms|bytes|[kmg]i?b|%)\\b)';
const TOO_MANY =
  /\btoo many (?:events|records|rows|items|entries)\b|\bbatch(?: size)? (?:is )?too (?:large|big)\b/i;
/** A statement of the maximum number of events in one request. */
const LIMIT_OF_EVENTS = [
  new RegExp(`\\b${EVENTS}\\b[^.;]{0,60}\\b${MOST}\\b[^.;\\d]{0,40}${NUMBER}`, 'i'),
  new RegExp(`\\b${MOST}\\b[^.;\\d]{0,40}${NUMBER}[^.;\\d]{0,10}\\b${EVENTS}\\b`, 'i'),
  new RegExp(`\\b${MOST}\\b[^.;\\d]{0,20}\\b${EVENTS}\\b[^.;\\d]{0,30}${NUMBER}`, 'i'),
];
/** A general list-length error. It counts as an event limit only if the reported length equals the number of rows. */
const LIST_OF = /\bat most (\d+) (?:items?|elements?)\b[^.;]{0,40}\bnot (\d+)/i;

/** Whether a 413 rejects a body so small that every service accepts it. A smaller request would then not help. */
export function isNoSizeLimit({ details }: Rejection, { bytes }: SentSize): boolean {
  return details.status === 413 && bytes < SMALLEST_LIMIT_BYTES;
}

/** The error for a 413 that rejects a very small body, with advice. */
export function noSizeLimitError(error: AppError, { bytes }: SentSize): AppError {
  return new AppError(
    error.code,
    `Even a request of ${counted(bytes, 'byte')} was refused as too large (413), so smaller requests would be refused too. Ask whoever runs the service or a proxy before it which size it takes, then resume.`,
    error.details,
    error,
  );
}

/** True for every 413, and for a 400 or 422 if each understood message is about the whole request. */
export function isSizeRejection(rejection: Rejection, sent: SentSize): boolean {
  const { status, reason, issues = [] } = rejection.details;
  if (status === 413) return true;
  if (status !== 400 && status !== 422) return false;
  const said = issues.slice(0, MAX_ISSUES).flatMap((issue) => [issue.reason, issue.message]);
  const texts = [saidIn(rejection.message), reason ?? '', ...said].map(asWords).filter((text) => text !== '');
  if (texts.some((text) => OF_A_ROW.test(text))) return false;
  return texts.some((text) => speaksOfSize(text, sent));
}

/** The event limit stated in a rejection; null if it is not lower than the number sent. */
export function namedLimit(rejection: Rejection, { rows }: SentSize): number | null {
  const { issues = [] } = rejection.details;
  const texts = [saidIn(rejection.message), ...issues.slice(0, MAX_ISSUES).map(({ message }) => message)];
  const limits = texts.map(asWords).flatMap((text) => limitsIn(text, rows));
  return limits.length === 0 ? null : Math.min(...limits);
}

function speaksOfSize(text: string, { rows, bytes }: SentSize): boolean {
  if (rows > 1 && TOO_MANY.test(text)) return true;
  if (limitsIn(text, rows).length > 0) return true;
  return bytes >= SMALLEST_LIMIT_BYTES && OF_THE_BODY.some((pattern) => pattern.test(text));
}

/** Stated limits that are lower than the number of rows sent. */
function limitsIn(text: string, rows: number): number[] {
  const named = LIMIT_OF_EVENTS.flatMap((pattern) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [Number(found.replaceAll(/[,_ ]/g, ''))];
  });
  const [, most, came] = LIST_OF.exec(text) ?? [];
  if (Number(came) === rows) named.push(Number(most));
  return named.filter((limit) => limit >= 1 && limit < rows);
}

/** The service's own text in the error message. */
function saidIn(message: string): string {
  const at = message.indexOf('The service says:');
  return at === -1 ? '' : message.slice(at + 'The service says:'.length);
}

/** Splits `PayloadTooLarge` and `request_too_large` into words. */
function asWords(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Za-z])[_-](?=[A-Za-z])/g, '$1 ')
    .trim();
}
