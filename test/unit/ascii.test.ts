/** Bundles are written in ASCII without a change of their meaning. */
import { expect, test } from 'vitest';
import { inAscii } from '../../build/ascii.ts';

/** Evaluates an expression. */
const meaning = (script: string): unknown => new Function(`return (${script});`)();

const INSERTED = '$' + '{"ß"}';

test.each([
  '"Größe … “quoted” 😀"',
  '`Größe … 😀`',
  `\`Größe ${INSERTED} 😀\``,
  '"\\ß \\\\ß \\\\\\😀"',
  '["a–b".replace(/[\\–_]/, "x"), /\\\\ß/.test("\\\\ß")]',
  'String.raw`\\ß \\\\ß \\\\\\😀`',
  '{ "schlüssel": 1, größe: 2 }',
  '["ß😀".replace(/[ß😀]/gu, "x"), "Kč zł".match(/zł/)[0], /^\\p{L}[’😀]$/v.test("a😀")]',
  '"a" /* … */ + "\\u2026\\\\…"',
  'String.raw`[\\d…😀] Kč` + "ß"',
  `String.raw\`\\d… ${INSERTED} \\u2026ß\` + "ß"`,
])('%s', (script) => {
  const written = inAscii(script);
  expect(written).toMatch(/^\p{ASCII}*$/u);
  expect(meaning(written)).toEqual(meaning(script));
});

test('leaves a script unchanged if a template is inside a raw one', () => {
  const script = `String.raw\`ß$${'{isLong ? `ß` : ""}'}ß\``;
  expect(inAscii(script)).toBe(script);
});
