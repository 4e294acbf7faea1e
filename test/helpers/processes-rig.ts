/** Several processes on one budget in virtual time, with a scripted service. */
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { LimitCategory } from '../../electron/core/limits/limits.ts';
import type { Priority } from '../../electron/core/priority.ts';
import type { RequestScheduler } from '../../electron/scheduler/types.ts';
import { answered, lane } from './scheduler-rig.ts';
import { SimulatedComputer } from './simulated-computer.ts';
import { seededRandom, VirtualWorld } from './virtual-world.ts';

export const STORES = ['memory', 'sqlite'] as const;

interface Sending {
  name: string;
  atMs: number;
}

const computers: SimulatedComputer[] = [];

/** Must be called after each test. */
export function closeComputers(): void {
  for (const computer of computers.splice(0)) computer.close();
}

/** `send`: gives each request its own latency and answer. */
export function processesRig(
  store: (typeof STORES)[number],
  processes: number,
  category: LimitCategory = 'metadata-read',
) {
  const world = new VirtualWorld();
  const options = { store, processes, random: seededRandom(1), settingsOf: () => ({}) };
  const computer = new SimulatedComputer(world, options);
  computers.push(computer);
  const sent: Sending[] = [];
  const scheduler = (index: number): RequestScheduler => {
    const process = computer.processes[index];
    if (process === undefined) throw new RangeError(`No process ${index}.`);
    return process.scheduler;
  };
  const send = (
    index: number,
    name: string,
    answer: () => Attempt<string> = () => answered(200),
    {
      latencyMs = 60,
      priority = 'upload',
      operation,
    }: { latencyMs?: number; priority?: Priority; operation?: string } = {},
  ) => {
    const attempt = () => {
      sent.push({ name, atMs: world.trueMs });
      return new Promise<Attempt<string>>((resolve) => world.after(latencyMs, () => resolve(answer())));
    };
    const submission = { lane: lane(category, operation), priority, isRepeatSafe: true, attempt };
    scheduler(index)
      .submit(submission)
      .catch(() => undefined);
  };
  return { world, computer, scheduler, send, sent };
}
