/**
 * Files whose contents were sent to the same place before: the message about them, and whether a person must decide.
 * Pure.
 */
import { counted, numberText } from './count-text.ts';
import { AppError } from './errors.ts';
import { momentText } from './local-time.ts';

/** An earlier job that sent the same bytes to the same place. Counts are rows. */
export interface SentBefore {
  jobId: string;
  fileName: string;
  atMs: number;
  rows: number;
  acknowledged: number;
  /** Rows sent without an answer, which may be stored. */
  unknown: number;
  /** Acknowledged rows that were deleted since. */
  deleted: number;
  /** The job is still sending, or will send. */
  isOpen: boolean;
  /** Wall time of the planned start. */
  startAtMs?: number | undefined;
}

/** Whether sending now would leave duplicate rows. */
export const isSentBefore = (before: readonly SentBefore[]): boolean => before.some(isStillThere);

const isStillThere = ({ acknowledged, unknown, deleted, isOpen }: SentBefore): boolean =>
  isOpen || acknowledged + unknown > deleted;

/**
 * One sentence for each job, newest first: `These 10,000 rows were sent to Card fraud / PRODUCTION on 3 May 2026 14:02:
 * 10,000 acknowledged.`
 */
export function sentBeforeLines(
  before: readonly SentBefore[],
  place: string,
  verb: 'sent' | 'added' = 'sent',
  whenText: (ms: number) => string = momentText,
): string[] {
  return before.map((each) => {
    const { rows, acknowledged, unknown, deleted, isOpen, startAtMs, atMs, fileName } = each;
    const what = rows === 1 ? 'This 1 row' : `These ${counted(rows, 'row')}`;
    if (startAtMs !== undefined && acknowledged + unknown === 0)
      return `${what} ${rows === 1 ? 'is' : 'are'} planned to be ${verb} to ${place} on ${whenText(startAtMs)} from ${fileName}.`;
    const counts = [
      `${numberText(acknowledged)} acknowledged`,
      ...(unknown > 0 ? [`${numberText(unknown)} without an answer`] : []),
      ...(deleted > 0 ? [`${numberText(deleted)} deleted since`] : []),
    ].join(', ');
    const how = isOpen ? `are being ${verb}` : `were ${verb}`;
    const when = isOpen ? `since ${whenText(atMs)}` : `on ${whenText(atMs)}`;
    const sent = acknowledged + unknown;
    if (!isOpen && sent < rows)
      return `${numberText(sent)} of these ${counted(rows, 'row')} ${sent === 1 ? 'was' : 'were'} ${verb} to ${place} ${when} from ${fileName}: ${counts}; ${numberText(rows - sent)} not.`;
    return `${what} ${rows === 1 ? how.replace('are', 'is').replace('were', 'was') : how} to ${place} ${when} from ${fileName}: ${counts}.`;
  });
}

/** The target of an upload as text, e.g. `Bank churn / PRODUCTION`. */
export const uploadPlace = (to: { modelName: string; envType: string; envName: string | null }): string =>
  [to.modelName, to.envType, ...(to.envName === null ? [] : [to.envName])].join(' / ');

/**
 * Throws NEEDS_DECISION if rows of an earlier job are still stored and the person was not notified of that job. `told`:
 * ids of the jobs that the person was notified of; null if the caller has already asked.
 */
export function checkTold(
  before: readonly SentBefore[],
  told: readonly string[] | null,
  place: string,
  verb: 'sent' | 'added',
): void {
  if (told === null) return;
  const unlisted = before.filter((each) => isStillThere(each) && !told.includes(each.jobId));
  if (unlisted.length === 0) return;
  const lines = sentBeforeLines(unlisted, place, verb).join(' ');
  throw new AppError(
    'NEEDS_DECISION',
    `${lines} That was after this file was checked. Nothing was ${verb} now.`,
  );
}
