/** Columns of texts that stand for numbers, durations or times say so before they are sent as texts. */
import { expect, test } from 'vitest';
import { garbledNote } from '../../electron/uploads/sniff/garbled-letters.ts';
import { inferType, jsonTextNote } from '../../electron/uploads/sniff/infer-types.ts';

const noteOf = (texts: readonly string[]): string =>
  inferType(
    'c',
    texts.map((text, at) => ({ text, line: at + 2 })),
    [],
  ).note ?? '';

test.each<[string[], RegExp]>([
  [['1,2k', '3,4k', '950', '12k'], /numbers with units or factors.*“1,2k” in line 2: 3 of 4 sampled values/],
  [['3.4M', '12K', '1.1G', '5M'], /numbers with units or factors.*4 of 4/],
  [['10 KB', '2 MB', '1 GB'], /numbers with units or factors/],
  [['1.5 MiB', '-', '700 KiB'], /numbers with units or factors.*2 of 3/],
  [['80 kg', '75 kg'], /numbers with units/],
  [['12.000 Mio.', '3 Mrd.'], /numbers with units/],
  [['3万', '1.2億'], /numbers with units/],
  [['1h 30m', '45m', '2d', '10s'], /looks like durations.*4 of 4/],
  [['PT1H30M', 'P2D'], /looks like durations/],
  [['0 days 00:01:30', '2 days, 3:00:00'], /looks like durations/],
  [
    ['14:30', '08:05', '9:15 PM'],
    /times of day or durations, without a date, first “14:30” in line 2: 3 of 3/,
  ],
  [['00:01:30', '27:00:00.5'], /times of day or durations/],
  [['3D05', '7D+5', '1.D3'], /numbers with D before their exponent.*3 of 3/],
  [['5M', '10M'], /numbers with units or factors/],
  [['10W', '60W'], /numbers with units or factors/],
  [['3 Days', '1 day 2 Hours', '5 MIN'], /looks like durations.*3 of 3/],
  [['03.05.2026 10:30', '25.12.2025, 9.15'], /dates or times/],
  [['1.5E+03', '2D+05', '1.0d-2'], /numbers with D before their exponent.*“2D\+05” in line 3: 2 of 3/],
  [['2026-W18', '2026-W19'], /parts of dates/],
  [['Q1 2026', 'Q2 2026'], /parts of dates/],
  [['03.05.2026', '25.12.2025'], /dates or times.*sent as times where the model has a time/],
  [['०३-०५-२०२६', '२५-१२-२०२५'], /dates or times/],
  [['03may2026', '25dec2025', '.'], /dates or times.*2 of 3/],
])('%j', (texts, note) => {
  expect(noteOf(texts)).toMatch(note);
});

test.each([
  [['12A', '3b', '7']],
  [['M', 'L', 'XL']],
  [['1.2.3', '1.10.12']],
  [['10.0.0.1', '10.0.0.2']],
  [['room 5m', 'ab', 'cd']],
  [['1:2:3:4', '2:3']],
  [['yes', 'no']],
  [['18-24', '25-34']],
  [['5m', 'many', '3m']],
  [['2d6', '1d20', '3d8']],
  [['2D', '3D']],
  [['12S', '14S']],
  [['03.05.2026 Invoice from Bob', '04.05.2026 Reminder']],
  [['9'.repeat(121) + 'D+05', '1.0D+05']],
])('not %j', (texts) => {
  expect(noteOf(texts)).not.toMatch(
    /looks like (?:numbers with units|durations|times|parts|dates|numbers with D)/,
  );
});

test.each<[unknown[], RegExp]>([
  [['1,2k', null, '3,4k'], /numbers with units or factors.*2 of 2/],
  [['12%', '7%'], /numbers with marks/],
  [['03.05.2026', ''], /dates or times/],
])('texts of JSON say so too: %j', (values, note) => {
  expect(
    jsonTextNote(
      'c',
      values.map((value, at) => ({ value, line: at + 1 })),
    ),
  ).toMatch(note);
});

test.each([[['1,2k', 5]], [['5', '6']], [['a', 'b']], [[null, '']]])(
  'but not other values of JSON: %j',
  (values) => {
    expect(
      jsonTextNote(
        'c',
        values.map((value, at) => ({ value, line: at + 1 })),
      ),
    ).toBeNull();
  },
);

test.each<[string[], RegExp | null]>([
  [
    ['cafÃ©', 'MÃ¼ller', 'a'],
    /UTF-8 read with another encoding, first “cafÃ©” in line 1: 2 values of 3 sampled/,
  ],
  [['donâ€™t'], /another encoding/],
  [['a\ufffdb'], /letters that were lost/],
  [['GRÃ–SSE'], /another encoding/],
  [['voilÃ\u00a0', 'prixÂ\u00a0: 5', '20Â\u00a0°C', 'Â«motÂ»'], /4 values of 4/],
  ...['“AMANHÃ”', 'ĐÃ…', 'ĐÃ— RỒI', 'IRMÃ’S', '«PRÂ»', 'MANHÃ\u00a0DE', 'MANHÃ »'].map(
    (text): [string[], null] => [[text], null],
  ),
  [['NÃO', 'SÃO PAULO', 'Âge', 'crème brûlée', '20 °C'], null],
])('garbled letters are named: %j', (texts, note) => {
  const found = garbledNote(
    'c',
    texts.map((text, at) => ({ text, line: at + 1 })),
  );
  if (note === null) expect(found).toBeNull();
  else expect(found).toMatch(note);
});
