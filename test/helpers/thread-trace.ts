/**
 * The tasks of a window's thread: how long each occupied the thread by the clock, and its processor time, which is the
 * same on a busy machine as on an idle one.
 */
import type { Page } from '@playwright/test';
import { percentile } from './percentile.ts';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Duration in microseconds by the clock. */
  dur?: number;
  /** Processor time in microseconds. */
  tdur?: number;
  args: { name?: string };
}

export interface TaskCost {
  /** Processor time in milliseconds. */
  longestMs: number;
  p99Ms: number;
  /** Number of tasks longer than `limitMs`. */
  over: number;
  tasks: number;
  byClock: Holds;
}

/**
 * How long tasks occupied the thread, in milliseconds. A click waits for one task at most; a timer can wait for many.
 */
export interface Holds {
  longestMs: number;
  /** Processor time of the longest task. For the rest of its duration, it waited for other threads and processes. */
  onProcessorMs: number;
  p99Ms: number;
  over: number;
}

/** Shorter tasks are timers and messages without work. */
const MIN_MS = 1;

interface Task {
  clockMs: number;
  processorMs: number;
}

function summaryOf(times: readonly number[], limitMs: number) {
  const sorted = times.filter((ms) => ms >= MIN_MS).toSorted((a, b) => a - b);
  return {
    longestMs: sorted.at(-1) ?? 0,
    p99Ms: sorted.length === 0 ? 0 : percentile(sorted, 0.99),
    over: sorted.filter((ms) => ms > limitMs).length,
    tasks: sorted.length,
  };
}

/** The tasks of the busiest window's main thread, among the events of a trace. */
export function tasksOf(events: readonly TraceEvent[], limitMs: number): TaskCost {
  const mains = events.filter((each) => each.name === 'thread_name' && each.args.name === 'CrRendererMain');
  const tasks = mains.map(({ pid, tid }) =>
    events
      .filter((each) => each.ph === 'X' && each.pid === pid && each.tid === tid && /RunTask$/.test(each.name))
      .map(({ dur, tdur }) => ({ clockMs: (dur ?? 0) / 1_000, processorMs: (tdur ?? 0) / 1_000 })),
  );
  const busyMs = (list: readonly Task[]) => list.reduce((total, { processorMs }) => total + processorMs, 0);
  const busiest = tasks.toSorted((a, b) => busyMs(b) - busyMs(a))[0] ?? [];
  const longest = busiest.toSorted((a, b) => b.clockMs - a.clockMs)[0];
  const clock = summaryOf(
    busiest.map(({ clockMs }) => clockMs),
    limitMs,
  );
  return {
    ...summaryOf(
      busiest.map(({ processorMs }) => processorMs),
      limitMs,
    ),
    byClock: { ...clock, onProcessorMs: longest?.processorMs ?? 0 },
  };
}

/** Runs work in a window, and returns the cost of its tasks. Works in Chromium only. */
export async function traceTasks(
  page: Page,
  limitMs: number,
  act: () => Promise<unknown>,
): Promise<TaskCost> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'] },
  });
  await act();
  await session.send('Tracing.end');
  await ended;
  await session.detach();
  return tasksOf(events, limitMs);
}
