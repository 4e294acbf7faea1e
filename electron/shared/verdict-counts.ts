/** Counts of a file with the verdicts of a review, and sentences about missing data. Pure. */
import { counted } from './count-text.ts';

export interface VerdictCounts {
  /** Number of lines in the file. */
  rows: number;
  /** Number of spans without a verdict. */
  undecided: number;
  /**
   * Number of decided spans without an item in the dataset that is known here, and of the rejected spans among them.
   */
  withoutItem: number;
  rejectedWithoutItem: number;
  /** Number of lines without outputs, because neither the mapping nor the span has any. */
  withoutOutputs: number;
  /** Number of decided spans whose judged output is in no result of the experiment. */
  withoutResult: number;
  /** Number of results that already have a person's verdict, the same or another one: nothing is added to them. */
  alreadyThere: number;
  judgedOtherwise: number;
}

/** Sentences about data that a file of verdicts lacks. */
export function verdictNotes(counts: VerdictCounts): string[] {
  const { undecided, withoutItem, rejectedWithoutItem: rejected, withoutOutputs, withoutResult } = counts;
  const { alreadyThere, judgedOtherwise } = counts;
  const ofRejected = rejected > 0 ? `, ${rejected} of them rejected, which raises the share of good` : '';
  return [
    ...(undecided > 0 ? [`${counted(undecided, 'span')} without a verdict.`] : []),
    ...(withoutItem > 0
      ? [`${counted(withoutItem, 'span')} without an item in the dataset${ofRejected}.`]
      : []),
    ...(withoutResult > 0
      ? [`${counted(withoutResult, 'span')} whose judged output no result of the experiment has.`]
      : []),
    ...(alreadyThere > 0 ? [`${counted(alreadyThere, 'result')} with the same verdict already.`] : []),
    ...(judgedOtherwise > 0
      ? [`${counted(judgedOtherwise, 'result')} with another verdict of a person, left as it is.`]
      : []),
    ...(withoutOutputs > 0 ? [`${counted(withoutOutputs, 'line')} without outputs.`] : []),
  ];
}
