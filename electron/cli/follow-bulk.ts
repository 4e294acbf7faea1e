/** Waits until a bulk change stops, and prints a line for each record as its outcome is known. */
import { isBulkIdle } from '../core/jobs/bulk-act.ts';
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import type { BulkAct, BulkItem } from '../shared/bulk-contract.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import type { Job } from '../shared/job-contract.ts';
import { answerChange, answerGone } from './bulk-answers.ts';
import type { CommandContext } from './context.ts';
import { followTask } from './follow-task.ts';
import { numberText } from './human-text.ts';
import { sayElsewhere, sayStart } from './planned-start.ts';
import { createHeldNotes, createWaitNotes, isOfDisk, UNWRITTEN_ANSWERS, waitingFor } from './wait-notes.ts';
import { createWaiter, type Waiter } from './waiter.ts';

const PAGE = 200;
/** States that may still change while the change is running: unknown outcomes are looked up. */
const OPEN: ReadonlySet<BulkItem['state']> = new Set(['waiting', 'sending', 'unknown']);

/** Prints the outcome of each record, in the order of the records. */
class Lines {
  readonly #context: CommandContext;
  readonly #session: Session;
  readonly #act: BulkAct;
  readonly #typedOf: (recordId: string) => string;
  #said = 0;
  failed = 0;
  /** Number of records that were left as others changed them. */
  changed = 0;

  constructor(
    context: CommandContext,
    session: Session,
    act: BulkAct,
    typedOf: (recordId: string) => string,
  ) {
    this.#context = context;
    this.#session = session;
    this.#act = act;
    this.#typedOf = typedOf;
  }

  /** Prints outcomes up to the first record that has none yet; all of them if the change is not running. */
  async say(isAtRest: boolean): Promise<void> {
    for (;;) {
      const { items } = this.#session.bulk.listItems(this.#act.bulkId, null, this.#said, PAGE);
      for (const item of items) {
        if (OPEN.has(item.state) && !isAtRest) return;
        this.#said += 1;
        await this.#sayOne(item);
      }
      if (items.length < PAGE) return;
    }
  }

  async #sayOne(item: BulkItem): Promise<void> {
    const { operation, words, bulkId } = this.#act;
    const { args, output } = this.#context;
    const { state, job } = item;
    const common = { operation, changeId: bulkId, id: this.#typedOf(item.id), state };
    const fail = (error: AppError) => {
      const isChanged = state === 'changed';
      if (isChanged) this.changed += 1;
      else this.failed += 1;
      const { code, message, details } = error;
      const outcome = details.outcome ?? null;
      output.answer({ ...common, error: { code, message, outcome, status: details.status ?? null } }, () => [
        isChanged ? `${common.id}  ${message}` : `${common.id}  ${code}: ${message}`,
      ]);
    };
    if (state !== 'done') return fail(failureOf(item));
    if (job === null) return output.answer({ ...common, job }, () => `${common.id}  ${words.done}`);
    if (args.flag('no-wait')) {
      return output.answer({ ...common, job }, () => [`${common.id}  deletion started  job ${job.id}`]);
    }
    try {
      const ended = await followTask(this.#context, job.id);
      const word = ended === null ? 'deletion started' : words.done;
      output.answer({ ...common, job, ended }, () => [`${common.id}  ${word}  job ${job.id}`]);
    } catch (thrown) {
      fail(toAppError(thrown));
    }
  }
}

function failureOf({ state, error }: BulkItem): AppError {
  if (error !== null) return fromWire(error);
  // Still being sent although the job rests: the answer, if one came, could not be written.
  return state === 'unknown' || state === 'sending'
    ? new AppError('CONNECTION_LOST', 'No answer came: the change may or may not have been made.', {
        outcome: 'unknown',
      })
    : new AppError('CANCELLED', 'Stopped before it was sent.', { outcome: 'unsent' });
}

/**
 * Waits until the change has ended or stopped. Ctrl-C pauses it, so that it can be resumed. After all lines, throws if
 * a record was not changed. `refused`: number of named records that were not part of the change.
 */
export async function followBulk(
  context: CommandContext,
  session: Session,
  { bulkId }: BulkAct,
  { typedOf = (id: string) => id, refused = 0 } = {},
): Promise<void> {
  const { output, signal } = context;
  const act = session.bulk.get(bulkId);
  const lines = new Lines(context, session, act, typedOf);
  const waiter = createWaiter(signal);
  const noteOf = createWaitNotes();
  const held = createHeldNotes(systemClock, output.note);
  const say = (job: Parameters<typeof noteOf>[0] | null) => {
    const note = job === null ? null : noteOf(job);
    if (note !== null) output.note(note);
  };
  let progress: Job['progress'] = { done: 0, total: act.total };
  const sayHeld = () => {
    if (!isGone(session, bulkId) && isOfDisk(session.bulk.get(bulkId).error)) output.note(UNWRITTEN_ANSWERS);
  };
  signal.addEventListener('abort', sayHeld, { once: true });
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== 'bulk' || job.id !== bulkId) return;
    const heard = job.own;
    output.progress(
      `${heard.words.going} ${heard.words.nouns}: ${numberText(heard.counts.done)} of ${numberText(heard.total)}`,
    );
    held.hear(job);
    ({ progress } = job);
    say(job);
    waiter.wake();
  });
  const stopNetwork = context.listen('connections:network-changed', (state) =>
    say(waitingFor(state, progress)),
  );
  try {
    const isElsewhere = await untilRest(context, session, bulkId, { lines, waiter });
    if (isGone(session, bulkId)) return answerGone(context, act);
    const ended = await session.bulk.whenIdle(bulkId);
    sayStart(context, bulkId, ended);
    if (isElsewhere) sayElsewhere(context);
    if (isElsewhere || ended.state === 'scheduled') return answerChange(context, ended);
    await lines.say(true);
    // All lines were printed, so the change need not be kept.
    if (ended.state === 'done' && ended.counts.done === ended.total) session.bulk.forget(bulkId);
    finish(context, ended, lines, refused);
  } finally {
    signal.removeEventListener('abort', sayHeld);
    stop();
    stopNetwork();
    held.stop();
    waiter.end();
  }
}

/**
 * Waits until the change stops. Returns true if another process has started and continues it, because its events do not
 * arrive here.
 */
async function untilRest(
  { signal }: CommandContext,
  session: Session,
  bulkId: string,
  { lines, waiter }: { lines: Lines; waiter: Waiter },
): Promise<boolean> {
  const { bulk } = session;
  for (;;) {
    // Waits are registered before lines are printed, so that no change is missed in between.
    const woken = waiter.next();
    if (isGone(session, bulkId)) return true;
    const now = bulk.get(bulkId);
    const isUnderWay = !isBulkIdle(now.state);
    if (signal.aborted) {
      if (isUnderWay) bulk.control(bulkId, 'pause', null);
      return false;
    }
    if (now.state === 'scheduled') {
      await Promise.race([woken, bulk.whenBegun(bulkId)]);
      continue;
    }
    if (!isUnderWay) return false;
    const rested = await Promise.race([woken, bulk.whenIdle(bulkId)]);
    // Outcomes of records that another process changed are printed by that process.
    if (rested !== undefined && !isBulkIdle(rested.state)) return true;
    await lines.say(false);
  }
}

/** Whether the change was removed by another process that completed it. */
function isGone({ bulk }: Session, bulkId: string): boolean {
  return !bulk.list().some((act) => act.bulkId === bulkId);
}

function finish(context: CommandContext, act: BulkAct, lines: Lines, refused: number): void {
  const { state, bulkId, error } = act;
  if (state === 'paused') context.output.note(`Resume it: changes resume ${bulkId}`);
  if (state === 'paused' && error !== null && !context.signal.aborted) throw fromWire(error);
  const { changed } = lines;
  const failed = lines.failed + refused;
  if (failed + changed === 0) return;
  const total = numberText(act.total + refused);
  const left = `left as others changed ${changed === 1 ? 'it' : 'them'}`;
  const facts = [
    ...(failed === 0 ? [] : [`${numberText(failed)} of ${total} failed`]),
    ...(changed === 0 ? [] : [`${numberText(changed)}${failed === 0 ? ` of ${total}` : ''} ${left}`]),
  ];
  const code = failed === 0 ? 'CONFLICT' : 'HTTP_ERROR';
  throw new AppError(
    context.signal.aborted ? 'CANCELLED' : code,
    `${facts.join(', ')}; each line gives the reason.`,
  );
}
