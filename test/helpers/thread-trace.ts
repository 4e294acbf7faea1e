/** The processor time of the tasks of a window's thread: the same on a busy machine as on a quiet one. */
import type { Page } from '@playwright/test';
import { percentile } from './percentile.ts';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Processor time in microseconds. */
  tdur?: number;
  args: { name?: string };
}

export interface TaskCost {
  /** Processor time in milliseconds. */
  longestMs: number;
  p99Ms: number;
  /** Tasks longer than `limitMs`. */
  over: number;
  tasks: number;
}

/** Shorter tasks are timers and messages without work. */
const MIN_MS = 1;

/** Tasks of the busiest window's main thread among the events of a trace. */
export function tasksOf(events: readonly TraceEvent[], limitMs: number): TaskCost {
  const mains = events.filter((each) => each.name === 'thread_name' && each.args.name === 'CrRendererMain');
  const costs = mains.map(({ pid, tid }) =>
    events
      .filter((each) => each.ph === 'X' && each.pid === pid && each.tid === tid && /RunTask$/.test(each.name))
      .map(({ tdur }) => (tdur ?? 0) / 1_000),
  );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const busiest = costs.toSorted((a, b) => sum(b) - sum(a))[0] ?? [];
  const sorted = busiest.filter((ms) => ms >= MIN_MS).toSorted((a, b) => a - b);
  return {
    longestMs: sorted.at(-1) ?? 0,
    p99Ms: sorted.length === 0 ? 0 : percentile(sorted, 0.99),
    over: sorted.filter((ms) => ms > limitMs).length,
    tasks: sorted.length,
  };
}

/** Runs work in a window and returns the cost of its tasks. Only Chromium supports it. */
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
