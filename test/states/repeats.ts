/**
 * The runs of a repeat: each end of a run stores exactly one other run, runs never overlap, and failures pause the
 * repeat.
 */
import { type ExportCore, exportTransition } from '../../electron/core/jobs/export.ts';
import type { JobEvent } from '../../electron/core/jobs/job.ts';
import { interruption, runAfter } from '../../electron/core/jobs/repeat.ts';
import type { WireError } from '../../electron/shared/errors.ts';
import { activeRepeat, type Repeat } from '../../electron/shared/repeat-model.ts';
import type { Machine, Step } from './explore.ts';
import { attempt } from './life.ts';

interface Run {
  core: ExportCore;
  repeat: Repeat | null;
}
interface Runs {
  /** In the order in which they were stored. */
  runs: readonly Run[];
  nowMs: number;
}

const DAY_MS = 86_400_000;
const ERROR: WireError = { code: 'DISK_FULL', title: '', message: 'No room.', retry: 'later', details: {} };
const rule: Repeat['rule'] = { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 0, minute: 0, zone: 'UTC' };
const FIRST: Run = {
  core: { state: 'ready', reason: '', error: null, startAtMs: DAY_MS, lateStart: null },
  repeat: { rule, sinceMs: 0, failures: 0, isPaused: false, nextId: null },
};
const isIdle = ({ state }: ExportCore) => state !== 'running' && state !== 'waiting';
const isLast = ({ core, repeat }: Run) => activeRepeat({ state: core.state, repeat }) !== null;

/** `most`: maximum number of runs. */
export const repeatMachine = (most: number): Machine<Runs> => ({
  name: `a repeat of at most ${most} runs`,
  starts: [{ runs: [FIRST], nowMs: 0 }],
  steps: (state) => [
    ...state.runs.flatMap((_, at) => stepsOf(state, at, most)),
    {
      name: 'a day passes',
      apply: () => ({ ...state, nowMs: Math.min(state.nowMs + DAY_MS, most * DAY_MS) }),
    },
  ],
  key: ({ runs, nowMs }) =>
    [
      nowMs,
      ...runs.map(({ core, repeat }) =>
        JSON.stringify([core.state, core.startAtMs, core.error?.code, repeat]),
      ),
    ].join(),
  problem: ({ runs }) => {
    if (runs.filter(({ core }) => !isIdle(core)).length > 1) return 'Two runs overlap.';
    if (runs.filter(isLast).length > 1) return 'Two runs follow.';
    const last = runs.find(isLast);
    if (last?.repeat?.isPaused === false && isIdle(last.core) && last.core.startAtMs === null)
      return 'The repeat is not paused, and no run of it is planned.';
    if ((last?.repeat?.failures ?? 0) >= 3 && last?.repeat?.isPaused === false)
      return 'Three runs failed, and it is not paused.';
    return null;
  },
  isEnd: ({ runs }) => !runs.some(isLast) && runs.every(({ core }) => isIdle(core)),
});

function stepsOf(state: Runs, at: number, most: number): Step<Runs>[] {
  const { runs, nowMs } = state;
  const run = runs[at] ?? FIRST;
  const isHeld = runs.some(({ core }, other) => other !== at && !isIdle(core));
  const begin: readonly JobEvent[] = isHeld
    ? []
    : [{ type: 'start' }, { type: 'resume' }, { type: 'due', nowMs }];
  const events: readonly JobEvent[] = [
    ...begin,
    ...([{ type: 'settle' }, { type: 'cancel' }] as const),
    { type: 'pause', reason: 'Paused.', error: null },
    { type: 'pause', reason: 'Failed.', error: ERROR },
  ];
  return [
    ...events.map((event) => ({
      name: `run ${at}: ${event.type}${'error' in event && event.error !== null ? ' with an error' : ''}`,
      apply: () =>
        changed(
          state,
          at,
          attempt(() => exportTransition(run.core, event)),
          most,
        ),
    })),
    {
      name: `run ${at}: the program ends, and another one notices`,
      apply: () => {
        const recovered = interruption(isLast(run) ? run.repeat : null, nowMs);
        return changed(
          state,
          at,
          attempt(() => recovered.reduce(exportTransition, run.core)),
          most,
        );
      },
    },
    {
      name: `run ${at}: end the repeat`,
      apply: () => {
        if (!isLast(run)) return null;
        const core = isIdle(run.core) ? exportTransition(run.core, { type: 'cancel' }) : run.core;
        return { ...state, runs: runs.with(at, { core, repeat: null }) };
      },
    },
  ];
}

/** Null if the product rejected the change, or if there would be more runs than the bound. */
function changed({ runs, nowMs }: Runs, at: number, core: ExportCore | null, most: number): Runs | null {
  const run = runs[at];
  if (run === undefined || core === null) return null;
  const { state, error, startAtMs: againAtMs } = core;
  const ended = { state, error, startAtMs: againAtMs, wasIdle: isIdle(run.core), isIdle: isIdle(core) };
  const next = runAfter(run.repeat, ended, nowMs);
  if (next === null) return { nowMs, runs: runs.with(at, { ...run, core }) };
  if (runs.length === most) return null;
  const { repeat, ...plan } = next;
  const followed = { core, repeat: run.repeat === null ? null : { ...run.repeat, nextId: `${runs.length}` } };
  const another: Run = { core: { state: 'ready', ...plan, lateStart: null }, repeat };
  return { nowMs, runs: [...runs.with(at, followed), another] };
}
