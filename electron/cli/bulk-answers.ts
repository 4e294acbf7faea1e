/** The command line's output about a bulk change. */
import type { BulkAct } from '../shared/bulk-contract.ts';
import type { CommandContext } from './context.ts';
import { numberText } from './human-text.ts';

export function changeLine({ bulkId, words, state, counts, total, startAtMs, reason }: BulkAct) {
  return {
    id: bulkId,
    what: words.title,
    state,
    done: counts.done,
    failed: counts.failed,
    changed: counts.changed,
    unknown: counts.unknown,
    left: counts.left,
    total,
    startAt: startAtMs === null ? null : new Date(startAtMs).toISOString(),
    reason,
  };
}

export function answerChange({ output }: CommandContext, act: BulkAct): void {
  const line = changeLine(act);
  output.answer(line, () =>
    act.startAtMs === null
      ? `${line.what}: ${line.state}, ${numberText(line.done)} of ${numberText(line.total)} done`
      : `${line.what}: starts later`,
  );
}

/** Answers for a change that another process started, completed and removed while this command waited. */
export function answerGone({ output }: CommandContext, { bulkId, words }: BulkAct): void {
  output.note('Another Spandeck (a window or a command line) started it, and it has ended.');
  output.answer({ id: bulkId, what: words.title, state: 'over' }, () => `${words.title}: ended`);
}
