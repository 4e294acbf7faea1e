/** Shortcuts of commands that the user changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withShortcuts } from '../../electron/shared/shortcuts.ts';
import { type Actions, buildCommands } from '../../renderer/lib/commands.ts';
import {
  followShortcuts,
  isKey,
  isPressed,
  type KeyRow,
  PART_ROWS,
  textOfPart,
} from '../../renderer/lib/part-keys.ts';
import { chordProblem, given, holders, keysPressed, partKeysPressed } from '../../renderer/lib/shortcuts.ts';

const table: KeyRow[] = buildCommands(new Proxy({} as Actions, { get: () => () => null }), () => null)
  .map(({ id, title, keys }): KeyRow => ({ id, title, keys, scope: 'everywhere' }))
  .concat(PART_ROWS);
type Modifiers = Partial<Record<'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey', true>>;
const event = (key: string, code: string, down: Modifiers = {}) => ({
  ...{ key, code, ctrlKey: false, shiftKey: false, altKey: false, metaKey: false },
  ...down,
});
const pressed = (code: string, down: Modifiers = {}) => keysPressed(event('', code, down), false);
const rowOf = (id: string): KeyRow => {
  const row = table.find((each) => each.id === id);
  if (row === undefined) throw new Error(`Expected a row ${id}.`);
  return row;
};
const refused = (keys: string, scope: KeyRow['scope'] = 'everywhere') =>
  chordProblem(keys, false, { scope, keys: null });

test('a pressed key becomes the notation of the table', () => {
  expect(pressed('KeyO', { ctrlKey: true, shiftKey: true })).toBe('$mod+Shift+KeyO');
  expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull();
  expect(pressed('F6')).toBe('F6');
});

test.each(['Tab', '$mod+Tab', 'Escape', '$mod+KeyC', '$mod+KeyV', '$mod+Shift+KeyZ', 'Shift+$mod+KeyW'])(
  '%s is reserved',
  (keys) => {
    expect(refused(keys)).toContain('is reserved');
  },
);

test('a letter alone is rejected, function keys and chords are not', () => {
  expect(refused('KeyJ')).toBe('J alone types or moves. Press it with Ctrl or Alt, or press a function key.');
  expect(refused('Shift+KeyJ')).not.toBeNull();
  for (const keys of ['F7', 'Alt+KeyJ', '$mod+Alt+KeyJ']) expect(refused(keys)).toBeNull();
});

test('no key of the table itself is rejected, except the question mark', () => {
  const isRefused = ({ keys, scope }: KeyRow) => keys !== null && refused(keys, scope) !== null;
  const commands = table.filter((row) => row.scope === 'everywhere' && isRefused(row));
  expect(commands.map(({ keys }) => keys)).toEqual(['?']);
  for (const row of table) expect(row.keys === null ? null : chordProblem(row.keys, false, row)).toBeNull();
});

test('a conflict names the other command, in any order of the modifiers', () => {
  expect(holders('Shift+$mod+KeyO', rowOf('view.refresh'), table)[0]?.title).toBe('Work offline');
  expect(holders('$mod+KeyR', rowOf('view.refresh'), table)).toEqual([]);
});

test('a letter alone can be used in a part without text fields; its keys for moving and leaving stay reserved', () => {
  expect(refused('Q', 'review')).toBeNull();
  expect(refused('Enter', 'grid')).toBeNull();
  expect(refused('ArrowDown', 'grid')).toContain('is reserved');
  expect(refused('Escape', 'grid')).toContain('is reserved');
  expect(refused('$mod+V', 'grid')).toBe('Ctrl+V is reserved: it pastes.');
  expect(refused('3', 'review')).toBe('3 is reserved: it rejects with a failure kind.');
  expect(refused('3', 'mapping')).toBeNull();
});

test('no key of the table conflicts with another one', () => {
  for (const row of table) expect(row.keys === null ? [] : holders(row.keys, row, table)).toEqual([]);
});

test('two parts can share a key; one part, or a part and the whole window, cannot', () => {
  expect(holders('J', rowOf('notes.next'), table)).toEqual([]);
  expect(holders('J', rowOf('review.accept'), table)[0]?.id).toBe('review.next');
  expect(holders('$mod+B', rowOf('grid.pick'), table)[0]?.id).toBe('view.toggle-sidebar');
  expect(holders('$mod+KeyA', rowOf('view.refresh'), table)[0]?.id).toBe('grid.select-all');
});

test('a key of a part is recognized by its character: a letter on any keyboard, a sign with or without Shift', () => {
  const part = (...of: Parameters<typeof event>) => partKeysPressed(event(...of), false);
  expect(part('q', 'KeyA')).toBe('Q');
  expect(part('Q', 'KeyQ', { shiftKey: true })).toBe('Shift+Q');
  expect(part('+', 'Equal', { shiftKey: true })).toBe('+');
  expect(part('c', 'KeyC', { ctrlKey: true })).toBe('$mod+C');
  expect(part('7', 'Digit7')).toBe('7');
  expect(part(' ', 'Space')).toBe('Space');
  expect(isPressed(event('q', 'KeyA'), 'Q')).toBe(true);
  expect(isPressed(event('ф', 'KeyA'), 'A')).toBe(true);
  expect(isPressed(event('Q', 'KeyQ', { shiftKey: true }), 'Q')).toBe(false);
  expect(isPressed(event('+', 'Equal', { shiftKey: true }), '+')).toBe(true);
  expect(isPressed(event('c', 'KeyC', { metaKey: true }), '$mod+C')).toBe(true);
  expect(isPressed(event('Enter', 'NumpadEnter'), 'Enter')).toBe(true);
});

test('chosen keys apply, and removed ones do not', () => {
  followShortcuts(() => ({ 'grid.pick': 'P', 'grid.open': null }));
  try {
    expect(isKey(event('p', 'KeyP'), 'grid.pick')).toBe(true);
    expect(isKey(event('x', 'KeyX'), 'grid.pick')).toBe(false);
    expect(isKey(event('Enter', 'Enter'), 'grid.open')).toBe(false);
    expect(textOfPart('grid.pick')).toBe('P');
  } finally {
    followShortcuts(() => ({}));
  }
});

test('after any changes no two conflicting rows have the same keys, and values equal to the table are not stored', () => {
  const step = fc.record({
    id: fc.constantFrom(...table.map(({ id }) => id)),
    keys: fc.constantFrom(null, '$mod+KeyR', '$mod+KeyB', 'F7', '$mod+B', '$mod+C'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let shortcuts = {};
      for (const { id, keys } of steps) {
        const from = keys === null ? [] : holders(keys, rowOf(id), withShortcuts(table, shortcuts));
        shortcuts = given(shortcuts, id, keys, { table, from });
      }
      const rows = withShortcuts(table, shortcuts);
      for (const row of rows.filter(({ id }) => steps.some((each) => each.id === id)))
        expect(row.keys === null ? [] : holders(row.keys, row, rows)).toEqual([]);
      for (const [id, keys] of Object.entries(shortcuts)) {
        expect(table.find((row) => row.id === id)?.keys).not.toBe(keys);
      }
    }),
  );
});

test('keys that the user assigned before the table used them for another command stay as they are', () => {
  const rows = withShortcuts(table, { 'view.refresh': '$mod+BracketLeft', 'go.projects': '$mod+Shift+KeyA' });
  const keysOf = (id: string) => rows.find((row) => row.id === id)?.keys;
  expect(keysOf('view.refresh')).toBe('$mod+BracketLeft');
  expect(keysOf('tabs.back')).toBeNull();
  expect(keysOf('go.my-jobs')).toBeNull();
  expect(keysOf('tabs.forward')).toBe('$mod+BracketRight');
});
