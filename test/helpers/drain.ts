/** Runs the tasks of fast-check's scheduler until none can continue without time passing. */
import type fc from 'fast-check';
import type { VirtualClock } from './virtual-clock.ts';
import { settled } from './virtual-world.ts';

/** Names that Node gives to pending disk operations. */
const FILE_WORK = /^(FS|File|Close)/;
const STEP_MS = 100;
const MAX_WAIT_MS = 60_000;

/** `maxTasks`: the maximum number of tasks to run. */
export async function drain(
  scheduler: fc.Scheduler,
  maxTasks: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  let tasks = 0;
  for (let quiet = 0; quiet < 3; ) {
    if (scheduler.count() > 0) {
      if (tasks >= maxTasks) return;
      tasks += 1;
      await scheduler.waitOne();
    }
    await settled();
    const isWorking =
      scheduler.count() > 0 || process.getActiveResourcesInfo().some((name) => FILE_WORK.test(name));
    quiet = isWorking ? 0 : quiet + 1;
  }
}

/** Runs tasks while time passes, until `work` has ended. Returns its duration in ms; a minute if it never ends. */
export async function timed(
  scheduler: fc.Scheduler,
  clock: VirtualClock,
  work: Promise<unknown>,
): Promise<number> {
  const state = { hasEnded: false };
  const end = () => {
    state.hasEnded = true;
  };
  work.then(end, end);
  for (let ms = 0; ; ms += STEP_MS) {
    await drain(scheduler);
    if (state.hasEnded || ms >= MAX_WAIT_MS) return ms;
    clock.advance(STEP_MS);
  }
}
