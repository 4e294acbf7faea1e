/** Texts about a bulk change. Pure. */
import type { BulkAct, BulkItemState } from '../../electron/shared/bulk-contract.ts';
import type { AppError, WireError } from '../../electron/shared/errors.ts';
import { formatCount, formatNumber } from './format.ts';
import { lateText, startsText } from './schedule.ts';
import { roughly } from './upload-words.ts';

const isGoing = ({ state }: BulkAct) => state === 'running' || state === 'waiting';
export const isBulkOver = ({ state }: BulkAct): boolean => state === 'stopped' || state === 'done';

/** Number of records that have finished: no more requests are sent for them. */
export function endedOf({ counts, total }: BulkAct): number {
  return total - counts.waiting - counts.sending;
}

/** Number of records whose outcome needs a person's look. */
export function badOf({ counts }: BulkAct): number {
  return counts.failed + counts.changed + counts.unknown;
}

/**
 * `Deleting baselines: 3 of 5`, `3 baselines deleted · 1 not deleted`, `Delete 5 baselines starts at …`. `isTitled`:
 * the title is shown above, so the text is `It starts at …`.
 */
export function bulkText(act: BulkAct, nowMs: number, isTitled = false): string {
  const { words, counts, total, state, startAtMs, etaMs } = act;
  const progress = `${formatNumber(endedOf(act))} of ${formatNumber(total)}`;
  switch (state) {
    case 'scheduled':
      if (startAtMs === null) return words.title;
      return `${isTitled ? 'It' : words.title} ${startsText(startAtMs, nowMs)}`;
    case 'running': {
      const left = etaMs === null || etaMs < 5_000 ? '' : ` · ${roughly(etaMs)} left`;
      return `${words.going} ${words.nouns}: ${progress}${left}`;
    }
    case 'waiting':
      return `${words.going} ${words.nouns} waiting at ${progress}`;
    case 'paused':
      return `${words.going} ${words.nouns} paused at ${progress}`;
    default:
      return [
        `${formatCount(counts.done, words.noun, words.nouns)} ${words.done}`,
        ...(counts.failed + counts.unknown > 0
          ? [`${formatNumber(counts.failed + counts.unknown)} not ${words.done}`]
          : []),
        ...(counts.changed > 0
          ? [`${formatNumber(counts.changed)} left as others changed ${counts.changed === 1 ? 'it' : 'them'}`]
          : []),
        ...(counts.left > 0 ? [`${formatNumber(counts.left)} not started`] : []),
      ].join(' · ');
  }
}

/** Note beside the text: why the change is waiting or paused, or that it started late. */
export function bulkNote(act: BulkAct, nowMs: number): string | null {
  if (act.state === 'waiting' || act.state === 'paused') return act.reason;
  return act.lateStart !== null && isGoing(act) ? lateText(act.lateStart, nowMs) : null;
}

const STATE_WORDS: Readonly<Record<BulkItemState, string>> = {
  waiting: 'waiting',
  sending: 'sending',
  done: 'done',
  failed: 'failed',
  changed: 'changed by others',
  unknown: 'unknown',
  left: 'not started',
};

/** State of one record. `done`: past participle of the action, e.g. `deleted`. */
export function itemStateText(state: BulkItemState, done: string): string {
  return state === 'done' ? done : STATE_WORDS[state];
}

/** The service's explanation of a failure if it gave one, otherwise the whole message. */
export function failureText(state: BulkItemState, error: WireError | AppError | null): string {
  const said = (error?.details.issues ?? []).map(({ message }) => message).filter((text) => text !== '');
  const reason = said.length > 0 ? said.join(' ') : (error?.message ?? '');
  return state === 'unknown'
    ? `No answer came: the change may or may not have been made. ${reason}`.trim()
    : reason;
}

/** For the status bar: `deleting 12 of 50`, `2 changes`; null if nothing is running. */
export function goingText(acts: readonly BulkAct[]): string | null {
  const going = acts.filter(isGoing);
  const [first] = going;
  if (first === undefined) return null;
  if (going.length > 1) return `${going.length} changes`;
  const progress = `${formatNumber(endedOf(first))} of ${formatNumber(first.total)}`;
  return `${first.words.going.toLowerCase()} ${progress}`;
}
