/** Tasks of the service are followed to their end for each part that requested it. */
import { expect, test, vi } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { JobWatch } from '../../electron/resources/job-watch.ts';
import { silentLogger, VirtualWorld } from '../helpers/virtual-world.ts';

function watched() {
  const world = new VirtualWorld();
  const call = vi.fn(async () => ({ value: { status: 'SUCCESS' } }));
  const client = { call } as unknown as ServiceClient;
  const jobs = new JobWatch({
    client,
    clock: world.process(),
    logger: silentLogger,
    onChanged: () => undefined,
  });
  return { world, jobs, call };
}

test('a task that has ended is reported once to a part that begins to follow it, without another request', async () => {
  const { world, jobs, call } = watched();
  const first = vi.fn();
  jobs.follow('job', first);
  await world.run(world.trueMs + 60_000);
  expect(first.mock.calls).toEqual([[expect.objectContaining({ isOver: true, status: 'SUCCESS' })]]);
  const later = vi.fn();
  jobs.follow('job', later);
  expect(later).not.toHaveBeenCalled();
  // This listener leaves before it can be notified.
  const left = vi.fn();
  jobs.follow('job', left)();
  await world.run(world.trueMs + 60_000);
  expect(later.mock.calls).toEqual([[expect.objectContaining({ isOver: true })]]);
  expect(left).not.toHaveBeenCalled();
  expect(call).toHaveBeenCalledTimes(1);
});

test('a part that fails does not keep others from being notified of the end of the task', async () => {
  const { world, jobs } = watched();
  jobs.follow('job', () => {
    throw new Error('a full disk');
  });
  const other = vi.fn();
  jobs.follow('job', other);
  await world.run(world.trueMs + 60_000);
  expect(other.mock.calls).toEqual([[expect.objectContaining({ isOver: true })]]);
});
