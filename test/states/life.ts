/**
 * The events that every durable job can receive, and the results that they must have. These are the rules of
 * `docs/ARCHITECTURE.md` and of the guide, written down a second time by phase, so that a change of the product's
 * tables is detected.
 */
import type { JobCore, JobEvent } from '../../electron/core/jobs/job.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { JobPhase } from '../../electron/shared/job-kinds/job-kind.ts';
import type { Step } from './explore.ts';

/** A job at a certain wall time. */
export interface Lived<Core> {
  readonly core: Core;
  readonly nowMs: number;
}

export interface LifeRules<State extends string> {
  readonly phases: Readonly<Record<State, JobPhase>>;
  readonly resumable: readonly JobPhase[];
  readonly plannable: readonly JobPhase[];
  /** Phases that can be paused, in addition to running ones. */
  readonly pausable?: readonly JobPhase[];
  /** Whether a planned job has the state `ready`. */
  readonly isReadyWhenPlanned?: boolean;
  /** Events that the kind never receives. Its planned state ends by `pause` or `cancel`. */
  readonly never?: readonly JobEvent['type'][];
  /** Phases from which the user can cancel. By default all but a draft and finished phases. */
  readonly cancellable?: readonly JobPhase[];
}

/** Longer than the minute by which a start may be late without a message. */
export const TICK_MS = 90_000;
const TICKS = 3;
const END_MS = TICK_MS * TICKS;

const UNDER_WAY: readonly JobPhase[] = ['running', 'waiting'];
const CANCELLABLE: readonly JobPhase[] = [
  'ready',
  'running',
  'waiting',
  'paused',
  'needs-decision',
  'failed',
];
const PROBLEM = new AppError('CONNECTION_LOST', 'Lost.').toWire();

/** The result of an event; null if the product rejects it as impossible at present. */
export function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (problem) {
    if (problem instanceof AppError && problem.code === 'INVALID_ARGUMENT') return null;
    throw problem;
  }
}

/** The passing of time, and the events that all kinds share, without `settle` and those in `except`. */
export function lifeSteps<State extends string, Core extends JobCore<State>>(
  { core, nowMs }: Lived<Core>,
  rules: LifeRules<State>,
  transition: (core: Core, event: JobEvent) => Core,
  except: readonly JobEvent['type'][] = [],
): Step<Lived<Core>>[] {
  const phase = rules.phases[core.state];
  const hasPhase = (wanted: JobPhase) => Object.values(rules.phases).includes(wanted);
  const {
    resumable,
    plannable,
    pausable = [],
    isReadyWhenPlanned = false,
    cancellable = CANCELLABLE,
  } = rules;
  const isPlanned = core.startAtMs !== null;
  const steps: Step<Lived<Core>>[] = [];

  /** `to`: the required phase; null if the event must be rejected; `same` if only the plan may change. */
  const add = (
    name: string,
    event: JobEvent,
    to: JobPhase | 'same' | null,
    check?: (after: Core) => string | null,
  ): void => {
    if (except.includes(event.type) || rules.never?.includes(event.type) === true) return;
    const wanted = to === 'same' ? phase : to;
    steps.push({
      name,
      isPossible: wanted !== null && hasPhase(wanted),
      apply: () => {
        const after = attempt(() => transition(core, event));
        return after === null ? null : { core: after, nowMs };
      },
      check: ({ core: after }) => {
        const found = rules.phases[after.state];
        if (found !== wanted) return `After ${name} it is ${found}, expected ${String(wanted)}.`;
        if (to === 'same' && after.state !== core.state)
          return `${name} changed ${core.state} to ${after.state}.`;
        return check?.(after) ?? null;
      },
    });
  };
  const from = (phases: readonly JobPhase[], to: JobPhase | 'same') => (phases.includes(phase) ? to : null);
  const begins = (after: Core): string | null =>
    after.startAtMs !== null || after.error !== null || after.reason !== ''
      ? 'It begins with what was before.'
      : null;
  const says = (reason: string) => (after: Core) =>
    after.reason === reason || after.reason === '' ? null : `It says ${after.reason}, expected ${reason}.`;

  if (nowMs < END_MS) steps.push({ name: 'time passes', apply: () => ({ core, nowMs: nowMs + TICK_MS }) });
  add('start', { type: 'start' }, from(['draft', 'ready'], 'running'), begins);
  add('resume', { type: 'resume' }, from(resumable, 'running'), begins);
  add('wake', { type: 'wake' }, from(['waiting'], 'running'), begins);
  const planned = from(plannable, isReadyWhenPlanned ? 'ready' : 'same');
  add('plan', { type: 'schedule', startAtMs: nowMs + TICK_MS, nowMs }, planned, (after) =>
    after.startAtMs === nowMs + TICK_MS ? null : 'The planned time is another one.',
  );
  add('plan for now', { type: 'schedule', startAtMs: nowMs, nowMs }, null);
  add('plan without a time', { type: 'schedule', startAtMs: null, nowMs }, null);
  add('drop the plan', { type: 'unschedule' }, isPlanned ? 'same' : null, (after) =>
    after.startAtMs === null ? null : 'The plan is still there.',
  );
  add('drop the plan with a word', { type: 'unschedule', reason: 'r' }, isPlanned ? 'same' : null, says('r'));
  const isDue = core.startAtMs !== null && nowMs >= core.startAtMs;
  add('is it time', { type: 'due', nowMs }, isPlanned ? (isDue ? 'running' : 'same') : null, (after) => {
    if (!isDue) return after === core ? null : 'It changed before its time.';
    const late = nowMs - (core.startAtMs ?? 0);
    const isSaid = after.lateStart?.plannedAtMs === core.startAtMs && after.lateStart.startedAtMs === nowMs;
    if (late === 0 ? after.lateStart !== null : !isSaid) return 'A late start is told wrong.';
    return begins(after);
  });
  add('miss the start', { type: 'miss', error: PROBLEM }, isPlanned ? 'same' : null, (after) =>
    after.startAtMs === null && after.error === PROBLEM ? null : 'A missed start is not told.',
  );
  const halts = (after: Core) => (after.startAtMs === null ? null : 'It is halted and planned.');
  add(
    'pause',
    { type: 'pause', reason: 'p', error: null },
    from([...UNDER_WAY, ...pausable], 'paused'),
    halts,
  );
  add('wait', { type: 'wait', reason: 'w', error: PROBLEM }, from(UNDER_WAY, 'waiting'), halts);
  add(
    'fail',
    { type: 'fail', reason: 'f', error: PROBLEM },
    from([...UNDER_WAY, ...pausable], 'failed'),
    halts,
  );
  add('interrupt', { type: 'interrupt' }, from(UNDER_WAY, 'paused'));
  add('interrupt with a word', { type: 'interrupt', reason: 'i' }, from(UNDER_WAY, 'paused'), says('i'));
  add('cancel', { type: 'cancel' }, from(cancellable, 'cancelled'));
  return steps;
}

export function lifeKey<State extends string>({ core, nowMs }: Lived<JobCore<State>>): string {
  const { state, reason, error, startAtMs, lateStart } = core;
  const late = lateStart === null ? '' : `${lateStart.plannedAtMs},${lateStart.startedAtMs}`;
  return `${nowMs}|${state}|${reason}|${error?.code ?? ''}|${startAtMs ?? ''}|${late}`;
}

/** Invariants of every job in every state. */
export function lifeProblem<State extends string>(
  { core, nowMs }: Lived<JobCore<State>>,
  { phases, plannable }: Pick<LifeRules<State>, 'phases' | 'plannable'>,
): string | null {
  const phase = phases[core.state];
  if (phase === undefined) return `There is no state ${core.state}.`;
  if (core.startAtMs !== null && !plannable.includes(phase)) return `It is ${core.state} and planned.`;
  if (core.state === 'scheduled' && core.startAtMs === null) return 'It is planned for no time.';
  const { lateStart } = core;
  if (lateStart !== null && lateStart.startedAtMs - lateStart.plannedAtMs < TICK_MS)
    return 'It was not late.';
  return lateStart !== null && lateStart.startedAtMs > nowMs ? 'It started in the future.' : null;
}
