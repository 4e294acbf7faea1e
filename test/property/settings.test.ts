/**
 * The table of settings: every valid value is stored, exported, imported and typed without a change, and all others are
 * rejected.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AppStore, openAppStore } from '../../electron/db/app-store.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { type SettingRow, UNITS } from '../../electron/shared/setting-rows.ts';
import {
  changedKeys,
  DEFAULT_SETTINGS,
  exportSettings,
  importSettings,
  readTyped,
  settingPatch,
  settingText,
} from '../../electron/shared/settings.ts';
import { SETTINGS_TABLE } from '../../electron/shared/settings-table.ts';
import { SLIDER_STEPS, sliderPosition, sliderValue } from '../../renderer/lib/settings-search.ts';
import { DataFolder } from '../helpers/data-folder.ts';

import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: AppStore;
beforeEach(() => {
  folder = new DataFolder();
  store = openAppStore({ file: folder.file('spandeck.db'), clock: new VirtualClock(), logger: silentLogger });
});
afterEach(() => {
  store.close();
  folder[Symbol.dispose]();
});

function valid(row: SettingRow): fc.Arbitrary<string | number | boolean> {
  switch (row.kind) {
    case 'choice':
      return fc.constantFrom(...row.choices.map(({ value }) => value));
    case 'switch':
      return fc.boolean();
    case 'zone':
      return fc.constantFrom('system', 'UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Kathmandu');
    case 'text':
      return fc.stringMatching(row.pattern ?? /^[a-z.*, ]{0,80}$/).map((text) => text.trim());
    case 'number':
      return row.isWhole
        ? fc.integer({ min: row.min, max: row.max })
        : fc.double({ min: row.min, max: row.max, noNaN: true });
  }
}

function invalid(row: SettingRow): fc.Arbitrary<unknown> {
  if (row.kind === 'text') return fc.oneof(fc.constantFrom<unknown>(null, {}, [], true), fc.integer());
  const other = fc.constantFrom<unknown>(null, {}, [], Number.NaN, 'nothing of the kind');
  if (row.kind !== 'number') return fc.oneof(other, fc.integer());
  const far = fc.integer({ min: 1, max: 1_000_000 });
  const outside = fc.oneof(
    far.map((by) => row.min - by),
    far.map((by) => row.max + by),
  );
  return fc.oneof(other, fc.boolean(), outside);
}

describe.each(SETTINGS_TABLE.map((row) => [row.key, row] as const))('%s', (key, row) => {
  test('a valid value is read back from the store and from a file, and from its typed form', () => {
    fc.assert(
      fc.property(valid(row), (value) => {
        store.saveSettings(settingPatch(key, value));
        const read = store.readSettings();
        expect(read[key]).toBe(value);
        const { patch, unknown } = importSettings(exportSettings(read));
        expect(patch[key]).toBe(value);
        expect(unknown).toEqual([]);
        const typed = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
        // A user does not type a number in exponential notation.
        if (!/e/i.test(typed) || row.kind !== 'number') expect(readTyped(key, typed)[key]).toBe(value);
      }),
      { numRuns: 10 },
    );
  });

  test('any other value is rejected with the expected and the given value, and nothing is stored', () => {
    fc.assert(
      fc.property(invalid(row), (value) => {
        let said = '';
        try {
          settingPatch(key, value);
        } catch (thrown) {
          if (!(thrown instanceof AppError)) throw thrown;
          said = thrown.message;
        }
        expect(said).toMatch(new RegExp(`^${key}: expected .+, got .+\\.$`));
      }),
      { numRuns: 10 },
    );
    expect(store.readSettings()).toEqual(DEFAULT_SETTINGS);
  });

  test('its default is valid, shown in words, and no change', () => {
    expect(settingPatch(key, row.default)).toEqual({ [key]: row.default });
    expect(settingText(row, row.default)).not.toBe('');
    expect(changedKeys(DEFAULT_SETTINGS)).toEqual([]);
  });
});

const NUMBERS = SETTINGS_TABLE.flatMap((row) => (row.kind === 'number' ? [row] : []));

test.each(NUMBERS.map((row) => [row.key, row] as const))(
  'the slider of %s returns valid values, larger to the right',
  (key, row) => {
    const values = Array.from({ length: SLIDER_STEPS + 1 }, (_, position) => sliderValue(row, position));
    for (const value of values) expect(settingPatch(key, value)).toEqual({ [key]: value });
    expect(values.toSorted((a, b) => a - b)).toEqual(values);
    expect([values[0], values.at(-1)]).toEqual([row.min, row.max]);
    expect(sliderValue(row, sliderPosition(row, row.default))).toBe(row.default);
  },
);

test.each(NUMBERS.map((row) => [row.key, row] as const))('%s is typed in its unit', (key, row) => {
  fc.assert(
    fc.property(
      fc.integer({ min: Math.ceil(row.min / UNITS[row.unit]), max: Math.floor(row.max / UNITS[row.unit]) }),
      (amount) => {
        const [value] = Object.values(readTyped(key, `${amount} ${row.unit}`));
        expect(value).toBeCloseTo(amount * UNITS[row.unit]);
      },
    ),
    { numRuns: 10 },
  );
});

test('one rejected value of a file rejects all of it; unknown names are skipped and reported', () => {
  const file = (settings: object) => JSON.stringify({ version: 1, settings });
  expect(() => importSettings(file({ pageRows: 200, batchRows: 0, theme: 'blue' }))).toThrow(
    /batchRows: expected .*, got 0\. theme: expected one of system, light, dark, got blue\. Nothing was changed\./,
  );
  expect(importSettings(file({ pageRows: 200, activeConnectionId: 'x' }))).toEqual({
    patch: { pageRows: 200 },
    unknown: ['activeConnectionId'],
  });
  // Shortcuts are included. A file without shortcuts changes none.
  const shortcuts = { 'view.refresh': 'F5', 'view.close-tab': null };
  expect(importSettings(exportSettings({ ...DEFAULT_SETTINGS, shortcuts })).patch.shortcuts).toEqual(
    shortcuts,
  );
  expect(importSettings(file({})).patch).toEqual({});
  expect(() => importSettings('no file')).toThrow(/A file written by Export was expected/);
});
