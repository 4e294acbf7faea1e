/** A component that is created at its first use. */
import { expect, test } from 'vitest';
import { whenUsed } from '../../electron/engine/when-used.ts';

interface Room {
  wake(): string;
  count(): number;
  stop?(): void;
}

function lazyRoom(fails = 0) {
  const calls: string[] = [];
  let left = fails;
  const lazy = whenUsed<Room>(
    () => {
      calls.push('made');
      left -= 1;
      if (left >= 0) throw new Error('no disk');
      return { wake: () => 'woken', count: () => 7 };
    },
    { wake: () => 'quiet' },
    (room) => calls.push(`started with ${room.count()}`),
  );
  return { lazy, calls };
}

test('a component is made and started once, when anything but a quiet member is read', async () => {
  const { lazy, calls } = lazyRoom();
  expect(lazy.part.wake()).toBe('quiet');
  await lazy.part;
  expect([calls, lazy.made()]).toEqual([[], null]);

  expect(lazy.part.count()).toBe(7);
  expect(lazy.part.wake()).toBe('woken');
  expect(lazy.use().count()).toBe(7);
  expect(calls).toEqual(['made', 'started with 7']);
});

test('members are looked for in the component itself', () => {
  const { lazy } = lazyRoom();
  expect(['count' in lazy.part, 'stop' in lazy.part]).toEqual([true, false]);
  expect({ ...lazy.part }.count()).toBe(7);
});

test('if a component cannot be made, the caller gets the error, and the next use tries again', () => {
  const { lazy, calls } = lazyRoom(1);
  expect(() => lazy.part.count()).toThrow('no disk');
  expect(lazy.part.wake()).toBe('quiet');
  expect(lazy.part.count()).toBe(7);
  expect(calls).toEqual(['made', 'made', 'started with 7']);
});

test('if the start of a component fails, the next use makes and starts it again', () => {
  let starts = 0;
  const lazy = whenUsed<Room>(
    () => ({ wake: () => 'woken', count: () => 7 }),
    {},
    () => {
      starts += 1;
      if (starts === 1) throw new Error('no settings');
    },
  );
  expect(() => lazy.part.count()).toThrow('no settings');
  expect(lazy.part.count()).toBe(7);
  expect(starts).toBe(2);
});

test('after the end no component is made any more, and one that was made stays usable', () => {
  const { lazy, calls } = lazyRoom();
  expect(lazy.end()).toBeNull();
  expect(() => lazy.part.count()).toThrow(expect.objectContaining({ code: 'CANCELLED' }));
  expect([lazy.part.wake(), calls]).toEqual(['quiet', []]);

  const used = lazyRoom().lazy;
  used.use();
  expect(used.end()?.count()).toBe(7);
  expect(used.part.count()).toBe(7);
});
