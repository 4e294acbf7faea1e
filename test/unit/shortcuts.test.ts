/** Keys of commands that a person changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../electron/shared/commands.ts';
import { withShortcuts } from '../../electron/shared/shortcuts.ts';
import { type Actions, buildCommands } from '../../renderer/lib/commands.ts';
import { given, holder, keysPressed, refusal } from '../../renderer/lib/shortcuts.ts';

const table = buildCommands(new Proxy({} as Actions, { get: () => () => null }), () => null);
const pressed = (
  code: string,
  down: Partial<Record<'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey', true>> = {},
) => keysPressed({ code, ctrlKey: false, shiftKey: false, altKey: false, metaKey: false, ...down }, false);

test('what is pressed becomes the notation of the table', () => {
  expect(pressed('KeyO', { ctrlKey: true, shiftKey: true })).toBe('$mod+Shift+KeyO');
  expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull();
  expect(pressed('F6')).toBe('F6');
});

test.each(['Tab', '$mod+Tab', 'Escape', '$mod+KeyC', '$mod+KeyV', '$mod+Shift+KeyZ', 'Shift+$mod+KeyW'])(
  '%s is reserved',
  (keys) => {
    expect(refusal(keys, false)).toContain('is reserved');
  },
);

test('a letter alone is refused, function keys and chords are not', () => {
  expect(refusal('KeyJ', false)).toBe(
    'J alone types or moves. Press it with Ctrl or Alt, or press a function key.',
  );
  expect(refusal('Shift+KeyJ', false)).not.toBeNull();
  for (const keys of ['F7', 'Alt+KeyJ', '$mod+Alt+KeyJ']) expect(refusal(keys, false)).toBeNull();
});

test('no key of the table itself is refused, but the question mark', () => {
  const refused = table.filter(({ keys }) => keys !== null && refusal(keys, false) !== null);
  expect(refused.map(({ keys }) => keys)).toEqual(['?']);
});

test('a conflict names the other command, whatever the order of the modifiers', () => {
  expect(holder('Shift+$mod+KeyO', 'view.refresh', table)?.title).toBe('Work offline');
  expect(holder('$mod+KeyR', 'view.refresh', table)).toBeNull();
});

test('after any changes no two commands have the same keys, and what equals the table is not kept', () => {
  const step = fc.record({
    id: fc.constantFrom(...COMMANDS.map(({ id }) => id)),
    keys: fc.constantFrom(null, '$mod+KeyR', '$mod+KeyB', 'F7', '$mod+Alt+KeyJ'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let shortcuts = {};
      for (const { id, keys } of steps) {
        const from = keys === null ? null : (holder(keys, id, withShortcuts(table, shortcuts))?.id ?? null);
        shortcuts = given(shortcuts, id, keys, { table, from });
      }
      const used = withShortcuts(table, shortcuts).flatMap(({ keys }) => keys ?? []);
      expect(new Set(used).size).toBe(used.length);
      for (const [id, keys] of Object.entries(shortcuts)) {
        expect(table.find((row) => row.id === id)?.keys).not.toBe(keys);
      }
    }),
  );
});
