/** The fields that privacy mode masks, according to the rule that packs use. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutNames } from '../../renderer/lib/message-privacy.ts';
import { fieldsOf, kindOfKey, maskedSelector } from '../../renderer/lib/private-fields.ts';
import { PrivateTexts } from '../../renderer/lib/private-texts.ts';
import { SeenAnswers } from '../../renderer/lib/seen-answers.ts';
import { runs } from '../helpers/runs.ts';

test('fields are separated by commas, blanks or lines; an empty list masks everything', () => {
  expect(fieldsOf(' input, user.* ;input\noutput *')).toEqual(['input', 'user.*', 'output']);
  expect(fieldsOf('  , ')).toEqual([]);
});

test('a field matches as a whole and at the end of a path; a dot and a star match everything below it', () => {
  const selector = maskedSelector('input, user.*');
  for (const part of [
    '[data-field="input"]',
    '[data-field$=".input"]',
    '[data-field^="user."]',
    '[data-field*=".user."]',
  ])
    expect(selector).toContain(part);
});

test('typed text cannot escape its quotes', () => {
  expect(maskedSelector('a"]{}*{display:none}')).toContain('[data-field="a\\"]{}*{display:none}"]');
  expect(maskedSelector('back\\')).toContain('[data-field="back\\\\"]');
});

test('a message hides quoted texts and known names, the longest first; short names stay', () => {
  const names = ['Refunds', 'Refunds, reviewed', 'EU'];
  expect(withoutNames('Closed “Refunds”', names)).toBe('Closed “•••••••”');
  expect(withoutNames('Saved Refunds, reviewed of EU', names)).toBe('Saved •••••••••••• of EU');
  expect(withoutNames('3 changes put into the outbox', names)).toBe('3 changes put into the outbox');
});

test('texts of people, sessions, users and names are hidden by default; names of spans and functions are not', () => {
  for (const key of ['input', 'attributes.input.value', 'expected_outputs.answer', 'gen_ai.input.messages'])
    expect([key, kindOfKey(key)]).toEqual([key, 'text']);
  for (const key of [
    'user.email',
    'attributes.user.id',
    'session_id',
    'sessionId',
    'created_by',
    'modelName',
    'agent_id',
    'attributes.gen_ai.agent.id',
  ])
    expect([key, kindOfKey(key)]).toEqual([key, 'name']);
  for (const key of ['name', 'span_name', 'function', 'status', 'duration_ms', 'inputs_total', 'user_count'])
    expect([key, kindOfKey(key)]).toEqual([key, null]);
  expect(kindOfKey('attributes.order_id', ['order_id'])).toBe('name');
});

describe('known texts in any place', () => {
  const texts = new PrivateTexts();
  const page = (...records: unknown[]) => ({ page: { rows: records.map((record) => ({ record })) } });
  texts.collect(page({ id: '1', name: 'Support assistant' }), 'applications.list');
  texts.collect(
    page({
      ...{ span_id: 's1', name: 'compose_answer', model: 'gpt-4o', session_id: 'session-b8287a6abf' },
      ...{ input: 'My standing desk was due yesterday and nobody rang.', output: 'accepted' },
      attributes: { 'user.email': 'mara.lind@example.com', tool: 'book_slot' },
    }),
    'spans.query',
  );

  test('names, texts, cut texts and addresses are replaced by dots of the same length', () => {
    expect(texts.hide('attribute of Support assistant')).toBe('attribute of ••••••• •••••••••');
    expect(texts.hide('Session session-b8287a6abf, compose_answer')).toBe(
      'Session ••••••••••••••••••, compose_answer',
    );
    expect(texts.hide('My standing desk was…')).toBe('•• •••••••• •••• •••…');
    expect(texts.hide('Asked by jon.meyer@example.org')).toBe(`Asked by ${'•'.repeat(21)}`);
  });

  test('a name is hidden where its marks of text direction are shown as symbols, too', () => {
    const own = new PrivateTexts();
    own.collect(page({ id: '1', name: 'Mara \u202eLind' }), 'applications.list');
    expect(own.hide('Application: Mara ⟨U+202E⟩Lind')).toBe('Application: •••• ••••••••••••');
    expect(own.hide('Application: Mara \u202eLind')).not.toContain('Lind');
  });

  test('words of the window, of spans and of their models stay', () => {
    for (const text of ['compose_answer', 'gpt-4o', 'book_slot', '2 rows accepted', 'Support', 'My standing'])
      expect(texts.hide(text)).toBe(text);
  });

  test('a record with the name of a view does not hide the view', () => {
    const own = new PrivateTexts();
    own.own = new Set(['Traffic']);
    own.collect({ connections: [{ name: 'Traffic' }, { name: 'Traffic of March' }] }, 'connections:list');
    expect(own.hide('Traffic')).toBe('Traffic');
    expect(own.hide('Traffic of March')).toBe('••••••• •• •••••');
  });

  test('messages of the window about errors and jobs are not private', () => {
    const own = new PrivateTexts();
    own.collect({ jobs: [{ reason: 'The service is not reached.', title: '3 events' }] }, 'jobs:list');
    own.collect(
      { error: { title: 'Token not accepted', message: 'It was answered 401.' } },
      'library:open-list',
    );
    for (const text of [
      'The service is not reached.',
      '3 events',
      'Token not accepted',
      'It was answered 401.',
    ])
      expect(own.hide(text)).toBe(text);
  });

  test('property: a known name is never readable between other words, and the length stays', () => {
    const words = fc.stringMatching(/^[A-Za-z][\w .:@-]{2,40}[\w]$/);
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 20 }), fc.nat(), (names, at) => {
        const own = new PrivateTexts();
        own.collect({ connections: names.map((name) => ({ name })) }, 'connections:list');
        const name = (names[at % names.length] ?? '').trim();
        const hidden = own.hide(`Open “${name}” now`);
        expect(hidden).not.toContain(name);
        expect(hidden).toHaveLength(`Open “${name}” now`.length);
      }),
      { numRuns: runs(300) },
    );
  });
});

test('answers are scanned in idle moments, and all at once when privacy mode is switched on', () => {
  const texts = new PrivateTexts();
  const idle: (() => void)[] = [];
  const seen = new SeenAnswers(texts, (work) => idle.push(work));
  const answer = (name: string) => ({ connections: [{ name }] });
  seen.see('connections:list', undefined, answer('Production'));
  seen.see('connections:list', undefined, answer('Staging'));
  idle.shift()?.();
  expect([texts.hide('Production'), texts.hide('Staging')]).toEqual(['••••••••••', 'Staging']);
  seen.takeAtOnce(true);
  seen.see('connections:list', undefined, answer('Elsewhere'));
  expect([texts.hide('Staging'), texts.hide('Elsewhere')]).toEqual(['•••••••', '•••••••••']);
});
