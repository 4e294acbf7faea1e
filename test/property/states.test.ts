/**
 * Every state that jobs, leases, limits, changes and undo can reach within small bounds. `npm run states` uses larger
 * bounds.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { explore, type Machine } from '../states/explore.ts';
import { SHORT_SEARCHES } from '../states/machines.ts';

// Many steps throw a rejection whose stack is never read, so none is recorded.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe('every state of a job', () => {
  it.each(SHORT_SEARCHES)('of $name is sound, and can end', ({ run }) => {
    const { failure, states } = run();
    expect(failure).toBeNull();
    expect(states).toBeGreaterThan(100);
  });
});

/** A machine that counts to 3, and may return to 1. */
const counter: Machine<number> = {
  name: 'a counter',
  starts: [0],
  steps: (count) => [
    ...(count < 3 ? [{ name: 'up', apply: () => count + 1 }] : []),
    { name: 'to one', isPossible: count > 1, apply: () => (count > 1 ? 1 : null) },
  ],
  key: String,
  problem: () => null,
  isEnd: (count) => count === 3,
};

describe('a search through the states', () => {
  it('sees every state once', () => {
    expect(explore(counter)).toMatchObject({ states: 4, depth: 3, ends: 1, failure: null });
  });

  it('names the shortest path to an invalid state', () => {
    const wrong = { ...counter, problem: (count: number) => (count === 2 ? 'It is two.' : null) };
    expect(explore(wrong).failure).toBe('It is two.\n  after: up → up');
  });

  it('names a state from which no end is reachable', () => {
    const stuck: Machine<number> = {
      ...counter,
      steps: (count) => (count === 0 ? [1, 3].map((to) => ({ name: `to ${to}`, apply: () => to })) : []),
    };
    expect(explore(stuck).failure).toBe('No end is reachable from here.\n  after: to 1');
  });

  it('detects a step that is rejected, or accepted, against the rules', () => {
    const strict = (isPossible: boolean): Machine<number> => ({
      ...counter,
      steps: (count) => [{ name: 'up', isPossible, apply: () => (count < 3 ? count + 1 : null) }],
    });
    expect(explore(strict(true)).failure).toBe(
      'It was refused, and has to be possible.\n  after: up → up → up → up',
    );
    expect(explore(strict(false)).failure).toBe('It has to be refused.\n  after: up');
  });

  it('ends with a failure if the bounds are too wide', () => {
    const endless = { ...counter, steps: (count: number) => [{ name: 'up', apply: () => count + 1 }] };
    expect(explore(endless, 50).failure).toContain('More than 50 states.');
  });
});
