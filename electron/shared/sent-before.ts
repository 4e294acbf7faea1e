/** Files whose content went to the same place before: what is said of it, and whether it is asked first. Pure. */
import { counted, numberText } from './count-text.ts';
import { momentText } from './local-time.ts';

/** An earlier job that sent the same bytes to the same place. Counts are rows. */
export interface SentBefore {
  jobId: string;
  fileName: string;
  atMs: number;
  rows: number;
  acknowledged: number;
  /** Sent without an answer: they may be there. */
  unknown: number;
  /** Acknowledged ones that were deleted since. */
  deleted: number;
  /** It still sends, or will. */
  isOpen: boolean;
}

/** Would sending now leave rows there twice? */
export const isSentBefore = (before: readonly SentBefore[]): boolean => before.some(isStillThere);

const isStillThere = ({ acknowledged, unknown, deleted, isOpen }: SentBefore): boolean =>
  isOpen || acknowledged + unknown > deleted;

/**
 * One sentence for each, newest first: `These 10,000 rows were sent to Card fraud / PRODUCTION on 3 May 2026 14:02:
 * 10,000 acknowledged.`
 */
export function sentBeforeLines(
  before: readonly SentBefore[],
  place: string,
  verb: 'sent' | 'added' = 'sent',
  whenText: (ms: number) => string = momentText,
): string[] {
  return before.map((each) => {
    const { rows, acknowledged, unknown, deleted, isOpen, atMs, fileName } = each;
    const counts = [
      `${numberText(acknowledged)} acknowledged`,
      ...(unknown > 0 ? [`${numberText(unknown)} without an answer`] : []),
      ...(deleted > 0 ? [`${numberText(deleted)} deleted since`] : []),
    ].join(', ');
    const how = isOpen ? `are being ${verb}` : `were ${verb}`;
    const when = isOpen ? `since ${whenText(atMs)}` : `on ${whenText(atMs)}`;
    const what = rows === 1 ? 'This 1 row' : `These ${counted(rows, 'row')}`;
    return `${what} ${rows === 1 ? how.replace('are', 'is').replace('were', 'was') : how} to ${place} ${when} from ${fileName}: ${counts}.`;
  });
}
