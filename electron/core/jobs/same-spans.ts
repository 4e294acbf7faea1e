/**
 * The question to a person before a call whose spans another build has sent to the same dataset, or is sending. Pure.
 */
import { counted, numberText } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';

/**
 * Calls of another build to the same dataset that are unanswered and contain some of the spans. Counts are numbers of
 * spans.
 */
export interface OtherCalls {
  /** Name of the other build. */
  name: string;
  spans: number;
  /** Number of spans whose answer was lost. The others are being sent now. */
  unknown: number;
}

/**
 * A NEEDS_DECISION error if sending the call could add items twice; null if it can be sent. `wereAdded`: another build
 * added some of its spans after they were compared with the receipts.
 */
export function sameSpansProblem(others: readonly OtherCalls[], wereAdded: boolean): AppError | null {
  const [first] = others;
  if (first === undefined) {
    if (!wereAdded) return null;
    return new AppError('NEEDS_DECISION', 'Another build has added some of these spans meanwhile.', UNSENT);
  }
  const lines = others.map(
    ({ name, spans, unknown }) =>
      `The build ${name} has ${counted(spans, 'span')} of the next request on the way to the same dataset${unknown > 0 ? `, ${numberText(unknown)} of them without an answer` : ''}.`,
  );
  return new AppError(
    'NEEDS_DECISION',
    `${lines.join(' ')} The request was not sent, because its items could then be in the dataset twice.`,
    {
      ...UNSENT,
      nextStep: `Let ${first.name} end and decide its requests without an answer, then resume: spans that it added are skipped. To have them twice, add them anyway (builds resume with --add-again).`,
    },
  );
}

const UNSENT = { outcome: 'unsent' } as const;
