/** Values that are far from most others, as the column summaries of a preview show them. */
import { expect, test } from 'vitest';
import { outlierTexts } from '../../renderer/lib/grid/outliers.ts';
import { profileRows } from '../../renderer/lib/row-profiles.ts';

const textsOf = (values: readonly unknown[]) =>
  profileRows(
    values.map((value) => ({ value })),
    ['value'],
    [],
  ).flatMap((profile) => outlierTexts(profile));
const ages = Array.from({ length: 300 }, (_, at) => 18 + (at % 75));

test('a few values beyond three interquartile ranges are outliers, at either end', () => {
  expect(textsOf([...ages, 412, 409])).toEqual([expect.stringMatching(/^2 outliers over 3\d\d/)]);
  expect(textsOf([...ages.map((age) => -age), -4_000])).toEqual([
    expect.stringMatching(/^1 outlier under -/),
  ]);
  expect(textsOf([...ages.map(String), '412'])).toHaveLength(1);
});

test('a long tail, few values, texts and times have none', () => {
  expect(textsOf(ages)).toEqual([]);
  expect(textsOf([...ages, ...Array.from({ length: 40 }, (_, at) => 400 + at)])).toEqual([]);
  expect(textsOf([1, 2, 3, 4_000])).toEqual([]);
  expect(textsOf(Array.from({ length: 40 }, (_, at) => `word ${at % 3}`))).toEqual([]);
  const days = Array.from({ length: 40 }, (_, at) => `2026-01-${String(1 + (at % 9)).padStart(2, '0')}`);
  expect(textsOf([...days, '1999-01-01'])).toEqual([]);
});
