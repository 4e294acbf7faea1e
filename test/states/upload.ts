/** An upload, its batches, and the outcome of each batch at the service. */
import type { JobEvent } from '../../electron/core/jobs/job.ts';
import {
  batchTarget,
  canBatchMove,
  countsOf,
  NEW_UPLOAD,
  type UploadCore,
  type UploadEvent,
  uncutRows,
  uploadTransition,
} from '../../electron/core/jobs/upload-job.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { UPLOAD_STATES } from '../../electron/shared/job-kinds/upload.ts';
import type { BatchState, JobState } from '../../electron/shared/upload-model.ts';
import type { Machine, Step } from './explore.ts';
import { attempt, type LifeRules, type Lived, lifeKey, lifeProblem, lifeSteps } from './life.ts';

interface Batch {
  readonly state: BatchState;
  readonly rows: number;
  /** How often the service stored it. */
  readonly stored: number;
}

export interface LivedUpload extends Lived<UploadCore> {
  readonly batches: readonly Batch[];
}

interface Bounds {
  /** Number of data rows in the file. */
  rows: number;
  rejected: number;
  /** Maximum number of rows in a batch. */
  batchRows: number;
  /** Maximum number of batches in flight. */
  atOnce: number;
}

const RULES: LifeRules<JobState> = {
  phases: UPLOAD_STATES,
  resumable: ['ready', 'waiting', 'paused', 'needs-decision'],
  plannable: ['ready', 'paused'],
  pausable: ['ready', 'paused', 'needs-decision'],
  isReadyWhenPlanned: true,
  never: ['unschedule', 'miss'],
};

const BATCH_STATES: readonly BatchState[] = [
  ...(['pending', 'sending', 'acknowledged', 'refused', 'unknown', 'cancelled'] as const),
];
const BATCH_MOVES: Readonly<Record<BatchState, readonly BatchState[]>> = {
  pending: ['sending', 'cancelled'],
  sending: ['acknowledged', 'refused', 'unknown', 'pending'],
  unknown: ['acknowledged', 'pending', 'cancelled'],
  acknowledged: [],
  refused: [],
  cancelled: [],
};
const OVER: readonly JobState[] = ['done', 'cancelled', 'failed'];

const ofState = (batches: readonly Batch[], state: BatchState) =>
  batches.filter((batch) => batch.state === state);
const rowsOf = (batches: readonly Batch[]): number => batches.reduce((sum, { rows }) => sum + rows, 0);
const nameOf = ({ state, rows, stored }: Batch): string => `${state}${rows}${stored}`;
const sorted = (batches: readonly Batch[]): Batch[] =>
  batches.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));

/** The batches that differ in their state. */
function kinds(batches: readonly Batch[]): Batch[] {
  return batches.filter((batch, at) => at === 0 || nameOf(batch) !== nameOf(batches[at - 1] ?? batch));
}

export function uploadMachine({ rows, rejected, batchRows, atOnce }: Bounds): Machine<LivedUpload> {
  const sent = rows - rejected;
  const change = (
    { core, nowMs, batches }: LivedUpload,
    event: UploadEvent,
    next: (core: UploadCore) => readonly Batch[] = () => batches,
  ): LivedUpload | null => {
    const after = attempt(() => uploadTransition(core, event));
    return after === null ? null : { core: after, nowMs, batches: sorted(next(after)) };
  };

  /** Moves a batch from one state to another. `stored`: how often the service stores it in doing so. */
  const move = (state: LivedUpload, batch: Batch, to: BatchState, stored = 0): LivedUpload | null =>
    change(state, { type: 'batch', from: batch.state, to, rows: batch.rows }, () => {
      const others = [...state.batches];
      others.splice(state.batches.indexOf(batch), 1);
      const target = state.core.isCancelling && to === 'pending' ? 'cancelled' : to;
      return [...others, { ...batch, state: target, stored: batch.stored + stored }];
    });

  const batchSteps = (state: LivedUpload): Step<LivedUpload>[] => {
    const { core, batches } = state;
    const isOver = OVER.includes(core.state);
    const mayMove = (from: BatchState, to: BatchState) => !isOver || (from === 'unknown' && to !== 'pending');
    const isSending = core.state === 'running' && ofState(batches, 'sending').length < atOnce;
    const steps: Step<LivedUpload>[] = [];
    for (const batch of kinds(batches)) {
      const to = (name: string, target: BatchState, stored = 0) =>
        steps.push({
          name: `${name} (${batch.rows} rows)`,
          isPossible: mayMove(batch.state, target),
          apply: () => move(state, batch, target, stored),
        });
      if (batch.state === 'pending' && isSending) to('a batch leaves again', 'sending');
      if (batch.state === 'pending' && !isOver && batch.rows > 1) steps.push(splitStep(state, batch));
      if (batch.state === 'sending') {
        to('it is acknowledged', 'acknowledged', 1);
        to('it is refused', 'refused');
        to('its answer is lost, it was stored', 'unknown', 1);
        to('its answer is lost, it was not stored', 'unknown');
        to('it surely did not arrive', 'pending');
      }
      if (batch.state === 'unknown') {
        if (batch.stored > 0) to('it is found', 'acknowledged');
        else to('it is missing, and sent again', 'pending');
        to('it is given up', 'cancelled');
      }
    }
    return steps;
  };

  const splitStep = (state: LivedUpload, batch: Batch): Step<LivedUpload> => ({
    name: `a batch of ${batch.rows} becomes two`,
    isPossible: true,
    apply: () =>
      change(state, { type: 'split' }, () => {
        const others = [...state.batches];
        others.splice(state.batches.indexOf(batch), 1);
        const first = batch.rows >> 1;
        return [...others, { ...batch, rows: first }, { ...batch, rows: batch.rows - first }];
      }),
  });

  /** Moves that no batch may make, and moves of batches that do not exist. */
  const impossibleSteps = (state: LivedUpload): Step<LivedUpload>[] => {
    const { core } = state;
    return BATCH_STATES.flatMap((from) => {
      const [batch] = ofState(state.batches, from);
      if (batch === undefined) return [];
      return BATCH_STATES.filter((to) => !BATCH_MOVES[from].includes(to)).map(
        (to): Step<LivedUpload> => ({
          name: `${from} becomes ${to}`,
          isPossible: false,
          apply: () => {
            if (canBatchMove(from, to)) return state;
            const after = attempt(() =>
              uploadTransition(core, { type: 'batch', from, to, rows: batch.rows }),
            );
            return after === null ? null : state;
          },
        }),
      );
    });
  };

  /** Events that only a program error could cause, and that must be rejected as such. */
  const wrongSteps = (state: LivedUpload): Step<LivedUpload>[] => {
    const { core, batches } = state;
    if (OVER.includes(core.state) || core.rows === null) return [];
    const wrong = (name: string, event: UploadEvent): Step<LivedUpload> => ({
      name,
      isPossible: false,
      apply: () => (isFault(() => uploadTransition(core, event)) ? null : state),
    });
    const left = sent - rowsOf(batches);
    const [pending] = ofState(batches, 'pending');
    const cut = rowsOf(batches);
    return [
      wrong('more rows are cut than there are', { type: 'batch', from: null, to: 'sending', rows: left + 1 }),
      ...(cut === 0
        ? []
        : [wrong('fewer rows are counted than were cut', { type: 'scanned', rows: cut - 1, rejected: 0 })]),
      wrong('fewer than no rows are rejected', { type: 'scanned', rows, rejected: -1 }),
      ...(pending === undefined
        ? [
            wrong('a batch leaves that is not there', {
              type: 'batch',
              from: 'pending',
              to: 'sending',
              rows: 1,
            }),
          ]
        : [
            wrong('it has more rows than all', {
              type: 'batch',
              from: 'pending',
              to: 'sending',
              rows: rows + 1,
            }),
          ]),
      ...(pending === undefined || ofState(batches, 'pending').length > 1
        ? []
        : [
            wrong('the last one leaves rows behind', {
              type: 'batch',
              from: 'pending',
              to: 'sending',
              rows: pending.rows + 1,
            }),
          ]),
    ];
  };

  const cutSteps = (state: LivedUpload): Step<LivedUpload>[] => {
    const { core, batches } = state;
    const isFree = core.state === 'running' && ofState(batches, 'sending').length < atOnce;
    const left = sent - rowsOf(batches);
    if (!isFree || left === 0) return [];
    return Array.from({ length: Math.min(batchRows, left) }, (_, at): Step<LivedUpload> => {
      const size = at + 1;
      return {
        name: `a batch of ${size} rows leaves`,
        isPossible: true,
        apply: () =>
          change(state, { type: 'batch', from: null, to: 'sending', rows: size }, () => [
            ...batches,
            { state: 'sending', rows: size, stored: 0 },
          ]),
      };
    });
  };

  const jobSteps = (state: LivedUpload): Step<LivedUpload>[] => {
    const { core, nowMs, batches } = state;
    const lived = lifeSteps({ core, nowMs }, RULES, (job, event: JobEvent) => uploadTransition(job, event), [
      'cancel',
    ]);
    // The events of an upload that is being cancelled are added below.
    const own = core.isCancelling ? lived.filter(({ name }) => name === 'time passes') : lived;
    const steps = own.map(
      ({ name, apply, isPossible, check }): Step<LivedUpload> => ({
        name,
        ...(isPossible === undefined ? {} : { isPossible }),
        apply: () => {
          const after = apply();
          return after === null ? null : { ...after, batches };
        },
        ...(check === undefined ? {} : { check }),
      }),
    );
    if (core.rows === null && !OVER.includes(core.state)) {
      steps.push({
        name: 'the file is counted',
        isPossible: true,
        apply: () => change(state, { type: 'scanned', rows, rejected }),
      });
    }
    if (core.isCancelling) {
      for (const event of [
        { type: 'resume' },
        { type: 'pause', reason: 'p', error: null },
        { type: 'schedule', startAtMs: nowMs + 1, nowMs },
      ] as const)
        steps.push({
          name: `${event.type} while cancelling`,
          isPossible: false,
          apply: () => change(state, event),
        });
      steps.push({
        name: 'interrupt while cancelling',
        isPossible: true,
        apply: () => change(state, { type: 'interrupt' }),
        check: ({ core: after }) =>
          after.isCancelling || after.state !== 'paused' ? 'It is still cancelling.' : null,
      });
    }
    steps.push({
      name: 'cancel',
      isPossible: !OVER.includes(core.state),
      apply: () =>
        change(state, { type: 'cancel' }, () =>
          batches.map((batch) => (batch.state === 'pending' ? { ...batch, state: 'cancelled' } : batch)),
        ),
      check: ({ core: after }) => {
        const waits = ofState(batches, 'sending').length > 0;
        if (waits !== after.isCancelling) return 'It does not wait for what is on its way.';
        return waits || after.state === 'cancelled' ? null : `It is ${after.state}.`;
      },
    });
    steps.push({
      name: 'settle',
      isPossible: true,
      apply: () => change(state, { type: 'settle' }),
      check: (after) => settledProblem(state, after),
    });
    return steps;
  };

  const settledProblem = ({ core, batches }: LivedUpload, { core: after }: LivedUpload): string | null => {
    const has = (part: BatchState) => ofState(batches, part).length > 0;
    const isCut = core.rows !== null && rowsOf(batches) === sent;
    let wanted = core.state;
    if (core.isCancelling) wanted = has('sending') ? core.state : 'cancelled';
    else if (
      (core.state === 'running' || core.state === 'needs-decision') &&
      isCut &&
      !has('pending') &&
      !has('sending')
    )
      wanted = has('unknown') ? 'needs-decision' : 'done';
    return after.state === wanted ? null : `It settled as ${after.state}, expected ${wanted}.`;
  };

  return {
    name: `an upload of ${rows} rows in batches of at most ${batchRows}, ${atOnce} at once`,
    starts: [{ core: NEW_UPLOAD, nowMs: 0, batches: [] }],
    steps: (state) => [
      ...jobSteps(state),
      ...cutSteps(state),
      ...batchSteps(state),
      ...impossibleSteps(state),
      ...wrongSteps(state),
    ],
    key: (state) => {
      const { core, batches } = state;
      return `${lifeKey(state)}|${core.rows ?? ''}|${String(core.isCancelling)}|${batches.map(nameOf).join()}`;
    },
    problem: (state, before) => uploadProblem(state, before, { rows, rejected }),
    isEnd: ({ core }) => OVER.includes(core.state),
  };
}

/** Whether the work throws a program error. */
function isFault(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (problem) {
    return problem instanceof AppError && problem.code === 'INTERNAL';
  }
}

function uploadProblem(
  state: LivedUpload,
  before: LivedUpload | null,
  { rows, rejected }: Pick<Bounds, 'rows' | 'rejected'>,
): string | null {
  const { core, batches } = state;
  if (batches.some(({ stored }) => stored > 1)) return 'A batch was stored twice.';
  if (batches.some((batch) => batch.state === 'acknowledged' && batch.stored !== 1))
    return 'A batch is called acknowledged that was never stored.';
  for (const part of BATCH_STATES) {
    const own = ofState(batches, part);
    const tally = core.tallies[part];
    if (tally.batches !== own.length || tally.rows !== rowsOf(own)) return `The tally of ${part} is wrong.`;
    if (batchTarget(core, part) !== (core.isCancelling && part === 'pending' ? 'cancelled' : part))
      return 'A batch is put where it does not belong.';
  }
  const counts = countsOf(core);
  const { acknowledged, refused, unknown, unsent } = counts;
  if (counts.rows !== counts.rejected + acknowledged + refused + unknown + unsent)
    return 'The counts do not add up.';
  if (unsent < 0) return 'Fewer than no rows are unsent.';
  if (core.rows !== null && (core.rows !== rows || core.rejected !== rejected))
    return 'The rows of the file changed.';
  if (uncutRows(core) !== (core.rows === null ? null : rows - rejected - rowsOf(batches)))
    return 'Rows that are not cut are counted wrong.';
  if ((core.startAtMs !== null) !== (core.state === 'scheduled'))
    return `It is ${core.state}, and planned or not.`;
  if (core.isCancelling && core.state !== 'paused') return `It is cancelling and ${core.state}.`;
  const isLeft = (part: BatchState) => core.tallies[part].batches > 0;
  if (
    core.state === 'done' &&
    (isLeft('pending') || isLeft('sending') || isLeft('unknown') || unsent > core.tallies.cancelled.rows)
  )
    return 'It is done with something left.';
  if (core.state === 'cancelled' && (isLeft('pending') || isLeft('sending')))
    return 'It is cancelled with something on its way.';
  if (before !== null && OVER.includes(before.core.state) && before.core.state !== core.state)
    return `It was ${before.core.state} and is ${core.state}.`;
  return lifeProblem(state, RULES);
}
