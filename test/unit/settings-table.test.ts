/** The table of settings, its search, and the zones and formats that the user can set. */
import { afterEach, describe, expect, test } from 'vitest';
import { numberText, writeNumbersAs } from '../../electron/shared/count-text.ts';
import { localTimeText, momentText, writeTimesAs } from '../../electron/shared/local-time.ts';
import { DEFAULT_SETTINGS, exportSettings, importSettings } from '../../electron/shared/settings.ts';
import { SETTINGS_TABLE } from '../../electron/shared/settings-table.ts';
import { localInput, readLocal } from '../../renderer/lib/form/fields.ts';
import {
  type Formats,
  followFormats,
  formatBytes,
  formatDay,
  formatFull,
  formatMoment,
  formatNumber,
  formatStamp,
} from '../../renderer/lib/format.ts';
import { fromField, startPresets, toField } from '../../renderer/lib/schedule.ts';
import { findSettings } from '../../renderer/lib/settings-search.ts';
import { formatLocal, parseLocal, zoneName } from '../../renderer/lib/span-range.ts';

test('every key has one row, in a category, with its own name and effect', () => {
  for (const part of ['key', 'name', 'effect'] as const)
    expect(new Set(SETTINGS_TABLE.map((row) => row[part])).size).toBe(SETTINGS_TABLE.length);
  expect(findSettings('').flatMap(({ found }) => found)).toHaveLength(SETTINGS_TABLE.length);
  for (const { key } of SETTINGS_TABLE) expect(DEFAULT_SETTINGS[key]).not.toBeUndefined();
});

describe('search of settings', () => {
  const keys = (typed: string) => findSettings(typed).flatMap(({ found }) => found.map(({ row }) => row.key));
  test.each([
    ['dark', ['theme']],
    ['page size', ['pageRows']],
    ['decimal', ['numberFormat']],
    ['cache', ['staleAfterMs', 'mostListBytes']],
    ['restore', ['restoresTabs']],
    ['nothing of the kind', []],
  ])('%s finds %j', (typed, found) => expect(keys(typed)).toEqual(found));

  test('every position of a word is marked, in order', () => {
    const [found] = findSettings('tab').flatMap((category) => category.found);
    expect(found?.inEffect.map(([from, to]) => found.row.effect.slice(from, to))).toEqual([
      'Tab',
      'tab',
      'tab',
    ]);
  });
});

describe('chosen zone and formats', () => {
  const at = Date.parse('2026-03-12T13:02:33Z');
  const use = (chosen: Partial<Formats>) =>
    followFormats(() => ({
      zone: undefined,
      numbers: 'comma',
      dates: 'day-month',
      isTwelveHours: false,
      ...chosen,
    }));
  afterEach(() => {
    use({});
    writeNumbersAs('comma');
  });

  test('shown and typed times are in the same zone', () => {
    use({ zone: 'Asia/Tokyo' });
    expect(formatStamp(at)).toBe('2026-03-12 22:02:33');
    expect(formatMoment(at, at + 60_000)).toBe('22:02');
    expect(parseLocal(formatStamp(at))).toBe(at);
    expect(parseLocal(formatLocal(at - 33_000))).toBe(at - 33_000);
    expect(readLocal(localInput(at))).toBe(at);
    expect(readLocal('2026-03-12 13:02:33Z')).toBe(at);
    expect(fromField(toField(at))).toBe(at - 33_000);
    expect(zoneName(at)).toBe('GMT+9');
    // 02:00 of the next day in Tokyo.
    expect(startPresets(at).at(-1)?.atMs).toBe(Date.parse('2026-03-12T17:00:00Z'));
  });

  test('an hour that clocks skip, and an invalid day', () => {
    use({ zone: 'America/New_York' });
    expect(parseLocal('2026-03-08 02:30')).toBe(Date.parse('2026-03-08T07:30:00Z'));
    expect(parseLocal('2026-02-30 10:00')).toBeNull();
  });

  test.each([
    ['day-month', '12 Mar 2026', '12 Mar 14:02', 'Thursday, 12 March 2026 at 14:02:33 CET'],
    ['month-day', 'Mar 12, 2026', 'Mar 12 14:02', 'Thursday, March 12, 2026 at 14:02:33 GMT+1'],
    ['iso', '2026-03-12', '03-12 14:02', 'Thursday, 12 March 2026 at 14:02:33 CET'],
  ] as const)('dates as %s', (dates, day, moment, full) => {
    use({ dates, zone: 'Europe/Berlin' });
    expect(formatDay(at)).toBe(day);
    expect(formatMoment(at, at + 30 * 86_400_000)).toBe(moment);
    expect(formatFull(at)).toBe(full);
    expect(formatStamp(at)).toBe('2026-03-12 14:02:33');
  });

  test('a clock of twelve hours', () => {
    use({ isTwelveHours: true, zone: 'UTC' });
    expect(formatMoment(at, at)).toBe('1:02 pm');
    expect(formatStamp(at)).toBe('2026-03-12 13:02:33');
  });

  test('apply to numbers in the window and in messages of the main process', () => {
    use({ numbers: 'point' });
    expect([formatNumber(12_345.6), formatBytes(1_200)]).toEqual(['12.345,6', '1,2 KB']);
    writeNumbersAs('apostrophe');
    expect(numberText(12_345)).toBe('12’345');
  });
});

test('times in sentences of main and the command line follow the chosen date and clock format; columns do not', () => {
  const ms = new Date(2026, 4, 1, 14, 2, 7).getTime();
  try {
    expect(momentText(ms)).toBe('1 May 2026 14:02');
    writeTimesAs('month-day', true);
    expect([momentText(ms, true), momentText(ms - 14 * 3_600_000)]).toEqual([
      'May 1, 2026 2:02:07 pm',
      'May 1, 2026 12:02 am',
    ]);
    writeTimesAs('iso', false);
    expect([momentText(ms), localTimeText(ms)]).toEqual(['2026-05-01 14:02', '2026-05-01 14:02']);
  } finally {
    writeTimesAs('day-month', false);
  }
});

test('a byte-order mark before an exported file is skipped', () => {
  const changed = { ...DEFAULT_SETTINGS, pageRows: 100 };
  expect(importSettings(`\uFEFF${exportSettings(changed)}`).patch).toMatchObject({ pageRows: 100 });
});
