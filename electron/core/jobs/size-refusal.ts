/**
 * Is a refusal about the size of the request or about its content? No document says how a service words the first, so
 * the message is read with care: if it may be about one row, it counts as content. Pure.
 */
import { counted } from '../../shared/count-text.ts';
import { AppError, type WireError } from '../../shared/errors.ts';

/** What was refused. */
export interface SentSize {
  rows: number;
  bytes: number;
}

type Refusal = Pick<WireError, 'message' | 'details'>;

/** Every service takes this much at once, so a smaller body was not refused for its size. */
const SMALLEST_LIMIT_BYTES = 4_096;
/** As many entries as are stored of a refusal, so that it reads the same before and after it was stored. */
const MOST_ISSUES = 20;

/** Words about one row or one value: they say nothing about the request as a whole. */
const OF_A_ROW =
  /\b(columns?|fields?|cells?|characters?|strings?|vectors?|dimensions?|embeddings?|attributes?|varchar|categor\w+)\b|\bvalues? (is |are |was )?(too|for|of|in|exceed)|\b(row|line|event|record|item)( (no\.?|number|at index))? ?#?\d+\b|\b(rows|lines|events|records|items)[[.]\d+|\bindex \d+/i;

const WHOLE =
  '(?:request(?: entity| body| payload| content)?|body|payload|entity|content(?: length)?|message)';
const TOO_MUCH =
  '(?:too (?:large|big|long)|larger than|bigger than|exceed\\w*|over (?:the|its|a) (?:limit|maximum)|above the)';
/** The request as a whole. */
const OF_THE_BODY = [
  new RegExp(`\\b${WHOLE}\\b[^.;]{0,40}\\b${TOO_MUCH}`, 'i'),
  new RegExp(`\\b${TOO_MUCH}\\b[^.;]{0,40}\\b${WHOLE}\\b`, 'i'),
  new RegExp(`\\b(?:max(?:imum)?|limit)\\b[^.;]{0,30}\\b${WHOLE}(?: size| length)?\\b`, 'i'),
  new RegExp(`\\b${WHOLE}(?: size| length)?\\b[^.;]{0,30}\\b(?:max(?:imum)?|limit)\\b`, 'i'),
];

const EVENTS = '(?:events|records|rows|entries|batch)';
const MOST =
  '(?:at most|no more than|not more than|up to|max(?:imum)?(?: number)?(?: is| of)?|limit(?:ed)?(?: to| of| is)?|more than|exceed\\w*)';
/** The number does not count something else. */
const NUMBER =
  '(\\d[\\d,_ ]*\\d|\\d)(?![\\d,_ ]*\\d)(?! ?(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|ms|bytes|[kmg]i?b|%)\\b)';
const TOO_MANY =
  /\btoo many (?:events|records|rows|items|entries)\b|\bbatch(?: size)? (?:is )?too (?:large|big)\b/i;
/** The largest count in one request, with its number. */
const LIMIT_OF_EVENTS = [
  new RegExp(`\\b${EVENTS}\\b[^.;]{0,60}\\b${MOST}\\b[^.;\\d]{0,40}${NUMBER}`, 'i'),
  new RegExp(`\\b${MOST}\\b[^.;\\d]{0,40}${NUMBER}[^.;\\d]{0,10}\\b${EVENTS}\\b`, 'i'),
  new RegExp(`\\b${MOST}\\b[^.;\\d]{0,20}\\b${EVENTS}\\b[^.;\\d]{0,30}${NUMBER}`, 'i'),
];
/** A list of anything: of the events only where the number that came is that of the rows. */
const LIST_OF = /\bat most (\d+) (?:items?|elements?)\b[^.;]{0,40}\bnot (\d+)/i;

/** A 413 for a body that every service takes: it does not come from a limit that a smaller request would keep to. */
export function isNoSizeLimit({ details }: Refusal, { bytes }: SentSize): boolean {
  return details.status === 413 && bytes < SMALLEST_LIMIT_BYTES;
}

/** Says so, with what to do. */
export function noSizeLimitError(error: AppError, { bytes }: SentSize): AppError {
  return new AppError(
    error.code,
    `Even a request of ${counted(bytes, 'byte')} was refused as too large (413), so smaller requests would be refused too. Ask whoever runs the service or a proxy before it which size it takes, then resume.`,
    error.details,
    error,
  );
}

/** True for every 413, and for a 400 or 422 if each message that can be understood is about the whole request. */
export function isSizeRefusal(refusal: Refusal, sent: SentSize): boolean {
  const { status, reason, issues = [] } = refusal.details;
  if (status === 413) return true;
  if (status !== 400 && status !== 422) return false;
  const said = issues.slice(0, MOST_ISSUES).flatMap((issue) => [issue.reason, issue.message]);
  const texts = [saidIn(refusal.message), reason ?? '', ...said].map(asWords).filter((text) => text !== '');
  if (texts.some((text) => OF_A_ROW.test(text))) return false;
  return texts.some((text) => speaksOfSize(text, sent));
}

/** The limit of events that a refusal names; null if it is not lower than what was sent. */
export function namedLimit(refusal: Refusal, { rows }: SentSize): number | null {
  const { issues = [] } = refusal.details;
  const texts = [saidIn(refusal.message), ...issues.slice(0, MOST_ISSUES).map(({ message }) => message)];
  const limits = texts.map(asWords).flatMap((text) => limitsIn(text, rows));
  return limits.length === 0 ? null : Math.min(...limits);
}

function speaksOfSize(text: string, { rows, bytes }: SentSize): boolean {
  if (rows > 1 && TOO_MANY.test(text)) return true;
  if (limitsIn(text, rows).length > 0) return true;
  return bytes >= SMALLEST_LIMIT_BYTES && OF_THE_BODY.some((pattern) => pattern.test(text));
}

/** A limit that is lower than the number of rows sent. */
function limitsIn(text: string, rows: number): number[] {
  const named = LIMIT_OF_EVENTS.flatMap((pattern) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [Number(found.replaceAll(/[,_ ]/g, ''))];
  });
  const [, most, came] = LIST_OF.exec(text) ?? [];
  if (Number(came) === rows) named.push(Number(most));
  return named.filter((limit) => limit >= 1 && limit < rows);
}

/** The part of the error's message that the service wrote. */
function saidIn(message: string): string {
  const at = message.indexOf('The service says:');
  return at === -1 ? '' : message.slice(at + 'The service says:'.length);
}

/** `PayloadTooLarge` and `request_too_large` read as words. */
function asWords(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Za-z])[_-](?=[A-Za-z])/g, '$1 ')
    .trim();
}
