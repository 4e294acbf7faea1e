/** All parts are stopped, even if one of them fails. */
import { expect, test } from 'vitest';
import { endAll } from '../../electron/engine/end-all.ts';

test.each(['in order', 'at once'] as const)(
  'a part that cannot be ended keeps no other running: %s',
  async (when) => {
    const ended: string[] = [];
    const part = (name: string, problem?: Error) => async () => {
      await Promise.resolve();
      if (problem !== undefined) throw problem;
      ended.push(name);
    };
    const steps = [
      part('first'),
      part('second', new Error('a full disk')),
      () => {
        throw new Error('a later failure');
      },
      part('last'),
    ];
    await expect(endAll(steps, when)).rejects.toThrow(
      when === 'in order' ? 'a full disk' : 'a later failure',
    );
    expect(ended).toEqual(['first', 'last']);
  },
);
