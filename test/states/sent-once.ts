/** Jobs that are sent at most once and then followed at the service: deletions of events, and files sent unchanged. */
import {
  type DeletionCore,
  type DeletionEvent,
  deletionTransition,
} from '../../electron/core/jobs/deletion.ts';
import type { SentOnceCore } from '../../electron/core/jobs/sent-once.ts';
import { NO_START } from '../../electron/core/jobs/start-plan.ts';
import {
  type WholeFileCore,
  type WholeFileEvent,
  wholeFileTransition,
} from '../../electron/core/jobs/whole-file.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DELETION_STATES } from '../../electron/shared/job-kinds/deletion.ts';
import { FILE_STATES } from '../../electron/shared/job-kinds/file.ts';
import type { JobState as ServiceTask } from '../../electron/shared/resource-contract.ts';
import type { Machine, Step } from './explore.ts';
import { attempt, type Lived, lifeKey, lifeProblem, TICK_MS } from './life.ts';

const NEW = { ...NO_START, reason: '', error: null } as const;

/** Statuses that say that nothing was done, and statuses that leave it open; each at both ends of their ranges. */
const REFUSALS = [400, 404, 499] as const;
const UNCLEAR = [302, 399, 408, 500] as const;

const failure = (outcome: 'unsent' | 'unknown', status?: number) =>
  new AppError('CONNECTION_LOST', 'Lost.', status === undefined ? { outcome } : { status });
const TOKEN_REFUSED = new AppError('UNAUTHORIZED', 'Refused.', { status: 401 });
const task = (status: string | null, rest: Partial<ServiceTask> = {}): ServiceTask =>
  ({
    ...{ status, progress: null, errorMessage: null, error: null, isOver: false },
    ...rest,
  }) as ServiceTask;

interface Sent {
  /** Number of requests that reached the service. */
  readonly arrived: number;
  /** Number of requests in flight. */
  readonly underWay: number;
}

export interface LivedDeletion extends Lived<DeletionCore>, Sent {}

const PLAN_RULES = { plannable: ['ready'] } as const;
const isBegun = (state: string): boolean => state === 'sending' || state === 'publishing';

/** Checks the start time: the planned one, or now if the user started the job. */
function begunProblem<Core extends SentOnceCore<string>>(
  event: { type: string },
  before: Core,
  after: Core,
  nowMs: number,
): string | null {
  if (!isBegun(after.state) || isBegun(before.state)) return null;
  const wanted = event.type === 'due' ? before.startAtMs : nowMs;
  return after.begunForMs === wanted ? null : 'It is begun for another time.';
}

/** A deletion, and the outcome of its requests at the service. It must never arrive twice. */
export const deletionMachine: Machine<LivedDeletion> = {
  name: 'a deletion of events',
  starts: (['scheduled', 'not-sent'] as const).map((state) => ({
    core: {
      ...{ ...NEW, state, taskId: null, taskStatus: null, progress: null, begunForMs: null },
      startAtMs: state === 'scheduled' ? TICK_MS : null,
    },
    ...{ nowMs: 0, arrived: 0, underWay: 0 },
  })),
  steps: (state) => {
    const { core, nowMs, arrived, underWay } = state;
    const { state: at } = core;
    const step = (
      name: string,
      event: DeletionEvent,
      isPossible: boolean | undefined,
      sent: Partial<Sent> = {},
      to?: readonly DeletionCore['state'][],
    ): Step<LivedDeletion> => ({
      name,
      ...(isPossible === undefined ? {} : { isPossible }),
      apply: () => {
        const after = attempt(() => deletionTransition(core, event));
        if (after === null) return null;
        const begins = isBegun(after.state) && !isBegun(at);
        return { core: after, nowMs, arrived, underWay: underWay + (begins ? 1 : 0), ...sent };
      },
      check: ({ core: after }) => {
        if (to !== undefined && !to.includes(after.state)) return `${name}: it is ${after.state}.`;
        return begunProblem(event, core, after, nowMs);
      },
    });
    const time: Step<LivedDeletion>[] =
      nowMs < TICK_MS * 3
        ? [{ name: 'time passes', apply: () => ({ ...state, nowMs: nowMs + TICK_MS }) }]
        : [];
    const isDue = core.startAtMs !== null && core.startAtMs <= nowMs;
    const left = { underWay: underWay - 1 };
    const mayBeTold = at === 'sending' || at === 'unknown';
    const answers: Step<LivedDeletion>[] =
      underWay === 0
        ? []
        : [
            step(
              'it is answered',
              { type: 'answered', taskId: 't', status: 'STARTED', progress: 1 },
              mayBeTold,
              {
                ...left,
                arrived: arrived + 1,
              },
              ['following'],
            ),
            step(
              'it is answered without a job',
              { type: 'answered', taskId: ' ', status: null, progress: null },
              mayBeTold,
              {
                ...left,
                arrived: arrived + 1,
              },
              ['unknown'],
            ),
            step(
              'it never left, and may later',
              { type: 'fail', error: failure('unsent'), mayPass: true },
              mayBeTold,
              left,
              ['scheduled', 'not-sent'],
            ),
            step(
              'it never left',
              { type: 'fail', error: failure('unsent'), mayPass: false },
              mayBeTold,
              left,
              ['not-sent'],
            ),
            ...REFUSALS.map((status) =>
              step(
                `it is refused with ${status}`,
                { type: 'fail', error: failure('unknown', status), mayPass: false },
                mayBeTold,
                left,
                ['refused'],
              ),
            ),
            step(
              'its token is refused',
              { type: 'fail', error: TOKEN_REFUSED, mayPass: false },
              mayBeTold,
              left,
              ['paused'],
            ),
            // A redirect, or an error of the service: it is unknown whether the work was done.
            ...UNCLEAR.map((status) =>
              step(
                `it is answered with ${status}`,
                { type: 'fail', error: failure('unknown', status), mayPass: true },
                mayBeTold,
                { ...left, arrived: arrived + 1 },
                ['unknown'],
              ),
            ),
            step(
              'its answer is lost',
              { type: 'fail', error: failure('unknown'), mayPass: false },
              mayBeTold,
              { ...left, arrived: arrived + 1 },
              ['unknown'],
            ),
            step(
              'its answer is lost, and may come later',
              { type: 'fail', error: failure('unknown'), mayPass: true },
              mayBeTold,
              { ...left, arrived: arrived + 1 },
              ['unknown'],
            ),
          ];
    return [
      ...time,
      ...answers,
      step('resume', { type: 'resume', nowMs }, at === 'not-sent', {}, ['sending']),
      step('start', { type: 'start', nowMs }, at === 'scheduled', {}, ['sending']),
      step('plan', { type: 'schedule', startAtMs: nowMs + TICK_MS, nowMs }, at === 'scheduled', {}, [
        'scheduled',
      ]),
      step('is it time', { type: 'due', nowMs }, core.startAtMs !== null, {}, [isDue ? 'sending' : at]),
      step('cancel', { type: 'cancel' }, at === 'scheduled' || at === 'paused', {}, ['cancelled']),
      step('continue', { type: 'continue', nowMs }, at === 'paused', {}, ['scheduled']),
      step('no way to the service', { type: 'put-off', error: failure('unsent') }, at === 'scheduled', {}, [
        'scheduled',
      ]),
      step('the process ends', { type: 'interrupt' }, at === 'sending', {}, ['unknown']),
      step('the task works', { type: 'look', task: task('STARTED') }, at === 'following', {}, ['following']),
      step('the task ends well', { type: 'look', task: task('SUCCESS') }, at === 'following', {}, ['done']),
      step('the task fails', { type: 'look', task: task('FAILURE') }, at === 'following', {}, ['failed']),
      step(
        'the task is not told of',
        { type: 'look', task: task(null, { error: failure('unknown').toWire(), isOver: true }) },
        at === 'following',
        {},
        ['accepted'],
      ),
      step(
        'the task is not told of now',
        { type: 'look', task: task(null, { error: failure('unknown').toWire() }) },
        at === 'following',
        {},
        ['following'],
      ),
      step('the rows are fewer', { type: 'counted' }, at === 'accepted', {}, ['done']),
    ];
  },
  key: (state) => {
    const { taskId, taskStatus, begunForMs, progress } = state.core;
    return `${lifeKey(state)}|${taskId ?? ''}|${taskStatus ?? ''}|${begunForMs ?? ''}|${progress ?? ''}|${state.arrived}|${state.underWay}`;
  },
  problem: ({ core, arrived, underWay, nowMs }) => {
    const { state } = core;
    if (state === 'done' && core.progress !== 100) return 'It is done and not whole.';
    if (arrived > 1) return 'The service was asked to delete twice.';
    if (underWay > 1) return 'Two requests of it are on their way.';
    if (arrived > 0 && ['not-sent', 'paused', 'scheduled', 'cancelled'].includes(state))
      return `It arrived and is ${state}.`;
    const { startAtMs, lateStart } = core;
    return lifeProblem({ core: { ...core, startAtMs, lateStart }, nowMs }, { ...PLAN_RULES, phases: PHASES });
  },
  isEnd: ({ core, underWay }) =>
    underWay === 0 && ['done', 'failed', 'accepted', 'cancelled', 'refused', 'unknown'].includes(core.state),
};

const PHASES = { following: 'running', ...DELETION_STATES, done: 'done', failed: 'failed' } as const;

export interface LivedFile extends Lived<WholeFileCore> {
  /** Number of requests to publish that arrived at the service. */
  readonly published: number;
  readonly isAsked: boolean;
}

const PARTS = 2;
const FILE = { id: 'f' } as unknown as NonNullable<WholeFileCore['file']>;

/** A file in parts, which are sent again if necessary, and its publishing, which is never repeated. */
export const wholeFileMachine: Machine<LivedFile> = {
  name: 'a file sent whole',
  starts: [true, false].flatMap((publishes) =>
    (['scheduled', 'sending'] as const).map((state) => ({
      core: {
        ...{ ...NEW, name: 'n', publishes, partsSent: 0, file: null, state },
        ...{ taskId: null, taskStatus: null, progress: null, begunForMs: null },
        startAtMs: state === 'scheduled' ? TICK_MS : null,
      },
      ...{ nowMs: 0, published: 0, isAsked: false },
    })),
  ),
  steps: (state) => {
    const { core, nowMs, published } = state;
    const { state: at } = core;
    const step = (
      name: string,
      event: WholeFileEvent,
      isPossible: boolean | undefined,
      to: readonly WholeFileCore['state'][],
      reached = 0,
    ): Step<LivedFile> => ({
      name,
      ...(isPossible === undefined ? {} : { isPossible }),
      apply: () => {
        const after = attempt(() => wholeFileTransition(core, event));
        if (after === null) return null;
        return { core: after, nowMs, published: published + reached, isAsked: after.state === 'publishing' };
      },
      check: ({ core: after }) =>
        to.includes(after.state) ? begunProblem(event, core, after, nowMs) : `${name}: it is ${after.state}.`,
    });
    const isOver = !['scheduled', 'sending', 'publishing', 'following'].includes(at);
    const isSending = at === 'sending';
    const isPublishing = at === 'publishing';
    const mayAgain = ['failed', 'interrupted', 'paused', 'cancelled'].includes(at) && core.taskId === null;
    const isDue = core.startAtMs !== null && core.startAtMs <= nowMs;
    const begun = core.file === null ? 'sending' : 'publishing';
    const lost = isPublishing ? (['unknown'] as const) : (['failed', 'cancelled', 'interrupted'] as const);
    const fail = (
      name: string,
      error: AppError,
      withdrawn: 'cancelled' | 'interrupted' | null,
      to: readonly WholeFileCore['state'][],
      reached = 0,
    ) => step(name, { type: 'fail', error, withdrawn }, !isOver, to, reached);
    const backOrFailed = ['failed', 'scheduled'] as const;
    return [
      ...(nowMs < TICK_MS * 3
        ? [{ name: 'time passes', apply: () => ({ ...state, nowMs: nowMs + TICK_MS }) }]
        : []),
      step('resume', { type: 'resume', nowMs }, mayAgain, [begun]),
      step('start', { type: 'start', nowMs }, at === 'scheduled', [begun]),
      step('plan', { type: 'schedule', startAtMs: nowMs + TICK_MS, nowMs }, at === 'scheduled', [
        'scheduled',
      ]),
      step('is it time', { type: 'due', nowMs }, core.startAtMs !== null, [isDue ? begun : at]),
      step('cancel', { type: 'cancel' }, at === 'scheduled' || isSending, ['cancelled']),
      step('no way to the service', { type: 'put-off', error: failure('unsent') }, at === 'scheduled', [
        'scheduled',
      ]),
      ...(core.partsSent < PARTS
        ? [step('a part arrives', { type: 'part', partsSent: core.partsSent + 1 }, isSending, ['sending'])]
        : [
            step('it is there whole', { type: 'uploaded', file: FILE }, isSending, [
              core.publishes ? 'publishing' : 'uploaded',
            ]),
          ]),
      step('it is published', { type: 'published', taskId: 't' }, isPublishing, ['following'], 1),
      step('it is published at once', { type: 'published', taskId: null }, isPublishing, ['done'], 1),
      fail('it never left', failure('unsent'), null, backOrFailed),
      ...REFUSALS.map((status) =>
        fail(`it is refused with ${status}`, failure('unknown', status), null, ['failed']),
      ),
      fail('its token is refused', TOKEN_REFUSED, null, ['paused']),
      fail('its answer is lost', failure('unknown'), null, lost, isPublishing ? 1 : 0),
      ...UNCLEAR.map((status) =>
        fail(`it is answered with ${status}`, failure('unknown', status), null, lost, isPublishing ? 1 : 0),
      ),
      fail('it is withdrawn in time', failure('unsent'), 'cancelled', ['cancelled']),
      fail('it is withdrawn too late', failure('unknown'), 'cancelled', lost, isPublishing ? 1 : 0),
      fail('the program ends', failure('unsent'), 'interrupted', ['interrupted']),
      step(
        'the process is gone',
        { type: 'interrupt' },
        isSending || isPublishing,
        isSending ? ['interrupted'] : ['unknown'],
        isPublishing ? 1 : 0,
      ),
      step('the task works', { type: 'look', task: task('STARTED') }, at === 'following', ['following']),
      step('the task ends well', { type: 'look', task: task('SUCCESS') }, at === 'following', ['done']),
      step('the task fails', { type: 'look', task: task('FAILURE') }, at === 'following', ['failed']),
      step(
        'the task is gone',
        { type: 'look', task: task(null, { error: failure('unknown').toWire(), isOver: true }) },
        at === 'following',
        ['unknown'],
      ),
    ];
  },
  key: (state) => {
    const { core, published } = state;
    const { taskId, taskStatus, begunForMs, progress, partsSent, file, publishes } = core;
    return `${lifeKey(state)}|${taskId ?? ''}|${taskStatus ?? ''}|${begunForMs ?? ''}|${progress ?? ''}|${partsSent}|${file === null ? 0 : 1}|${String(publishes)}|${published}`;
  },
  problem: ({ core, published, nowMs }) => {
    if (core.state === 'done' && core.taskId !== null && core.progress !== 100)
      return 'It is done and not whole.';
    if (published > 1) return 'The service was asked to publish twice.';
    if (published === 1 && ['sending', 'scheduled'].includes(core.state))
      return 'It is sent again after it was published.';
    if (core.state === 'publishing' && core.file === null) return 'It is published before it is there.';
    return lifeProblem({ core, nowMs }, { plannable: ['ready'], phases: FILE_STATES });
  },
  isEnd: ({ core }) =>
    ['done', 'uploaded', 'failed', 'unknown', 'cancelled', 'interrupted', 'paused'].includes(core.state),
};
