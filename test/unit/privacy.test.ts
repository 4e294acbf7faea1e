/** Which fields privacy mode masks, by the rule that packs mask by. */
import { expect, test } from 'vitest';
import { fieldsOf, maskedSelector, withoutNames } from '../../renderer/lib/privacy.ts';

test('fields are typed with commas, blanks or lines between them; nothing masks everything', () => {
  expect(fieldsOf(' input, user.* ;input\noutput *')).toEqual(['input', 'user.*', 'output']);
  expect(fieldsOf('  , ')).toEqual([]);
});

test('a field matches as a whole and at the end of a path; a dot and a star what lies below it', () => {
  const selector = maskedSelector('input, user.*');
  for (const part of [
    '[data-field="input"]',
    '[data-field$=".input"]',
    '[data-field^="user."]',
    '[data-field*=".user."]',
  ])
    expect(selector).toContain(part);
});

test('what is typed cannot leave its quotes', () => {
  expect(maskedSelector('a"]{}*{display:none}')).toContain('[data-field="a\\"]{}*{display:none}"]');
  expect(maskedSelector('back\\')).toContain('[data-field="back\\\\"]');
});

test('a message says neither what stands in quotes nor a known name, the longest first; short names stay', () => {
  const names = ['Refunds', 'Refunds, reviewed', 'EU'];
  expect(withoutNames('Closed “Refunds”', names)).toBe('Closed “•••••••”');
  expect(withoutNames('Saved Refunds, reviewed of EU', names)).toBe('Saved •••••••••••• of EU');
  expect(withoutNames('3 changes put into the outbox', names)).toBe('3 changes put into the outbox');
});
