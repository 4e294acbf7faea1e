/** A form while it is filled in: proposed values, values that the user chose, and values of a reloaded record. */
import { describe, expect, test } from 'vitest';
import { FormModel } from '../../renderer/components/form/form-model.svelte.ts';
import type { FormField } from '../../renderer/lib/form/fields.ts';

const FIELDS: FormField[] = [
  { name: 'side', label: 'Side', kind: 'text', start: 'above' },
  { name: 'level', label: 'Level', kind: 'number' },
];

test('a choice equal to the proposal stays when the proposal changes', () => {
  const form = new FormModel({ fields: FIELDS });
  form.follow({ side: 'below', level: '5' });
  form.set('side', 'below');
  form.follow({ side: 'above', level: '7' });
  expect(form.values).toEqual({ side: 'below', level: '7' });
});

test('a proposal that was asked for follows later proposals', () => {
  const form = new FormModel({ fields: FIELDS });
  form.follow({ side: 'below', level: '5' });
  form.set('level', '6');
  form.takeProposal('level');
  expect(form.values['level']).toBe('5');
  form.follow({ side: 'below', level: '7' });
  expect(form.values['level']).toBe('7');
});

test('values of a draft stay when proposals arrive, and empty ones are filled', () => {
  const form = new FormModel({ fields: FIELDS });
  form.takeDraft({ values: { side: 'above', level: '' }, other: '', wasSent: false });
  form.follow({ side: 'below', level: '7' });
  expect(form.values).toEqual({ side: 'above', level: '7' });
});

test('a form that was cleared follows proposals again', () => {
  const form = new FormModel({ fields: FIELDS });
  form.set('side', 'above');
  form.reset();
  form.follow({ side: 'below', level: '7' });
  expect(form.values).toEqual({ side: 'below', level: '7' });
});

test('a field of a record that was set back follows the record', () => {
  const form = new FormModel({ fields: FIELDS, values: { side: 'above', level: '5' }, isChange: true });
  form.set('level', '6');
  form.set('level', '5');
  form.follow({ side: 'above', level: '9' });
  expect(form.values['level']).toBe('9');
});

describe('a field with input that somebody else changes meanwhile', () => {
  const RULE: FormField[] = [
    {
      name: 'priority',
      label: 'Priority',
      kind: 'select',
      options: ['LOW', 'MEDIUM', 'HIGH'].map((value) => ({ value, title: value.toLowerCase() })),
    },
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'is_on', label: 'On', kind: 'flag' },
  ];
  const RECORD = { priority: 'LOW', name: 'drift', is_on: false };
  const CHANGED = 'Changed at the service meanwhile: was “low”, is now “high”.';
  const typed = (): FormModel => {
    const form = new FormModel({ fields: RULE, values: RECORD, isChange: true });
    form.set('priority', 'MEDIUM');
    form.follow({ ...RECORD, priority: 'HIGH' });
    return form;
  };

  test('is marked with both values, and nothing is sent until the user decided', () => {
    const form = typed();
    expect([form.values['priority'], form.problemOf('priority')]).toEqual(['MEDIUM', CHANGED]);
    expect(form.submit()).toBeNull();
    form.keepOwn('priority');
    expect([form.problemOf('priority'), form.submit()]).toEqual([null, { priority: 'MEDIUM' }]);
    form.follow({ ...RECORD, priority: 'LOW' });
    expect(form.problemOf('priority')).toBe('Changed at the service meanwhile: was “high”, is now “low”.');
  });

  test('takes the other value on request', () => {
    const form = typed();
    form.takeTheirs('priority');
    expect([form.values['priority'], form.problemOf('priority'), form.isDirty]).toEqual([
      'HIGH',
      null,
      false,
    ]);
    form.follow({ ...RECORD, priority: 'LOW' });
    expect([form.values['priority'], form.problemOf('priority')]).toEqual(['LOW', null]);
  });

  test('is not marked if both changed it to the same value, or only other fields changed', () => {
    const form = new FormModel({ fields: RULE, values: RECORD, isChange: true });
    form.set('priority', 'MEDIUM');
    form.set('is_on', true);
    form.follow({ priority: 'LOW', name: 'renamed', is_on: true });
    expect([form.conflicts, form.values]).toEqual([{}, { priority: 'MEDIUM', name: 'renamed', is_on: true }]);
    form.follow({ priority: 'LOW', name: 'renamed', is_on: false });
    expect(form.values['is_on']).toBe(false);
  });

  test('is not marked if the service writes the same number in another way', () => {
    const form = new FormModel({ fields: FIELDS, values: { side: 'above', level: '0.2' }, isChange: true });
    form.set('level', '0.30');
    form.follow({ side: 'above', level: '0.3' });
    expect([form.conflicts, form.values['level']]).toEqual([{}, '0.30']);
  });

  test('is marked when the draft is restored after the change', () => {
    const before = new FormModel({ fields: RULE, values: RECORD, isChange: true });
    before.set('priority', 'MEDIUM');
    before.set('is_on', true);
    const { draft } = before;
    for (const isLate of [false, true]) {
      const form = new FormModel({
        fields: RULE,
        values: isLate ? RECORD : { ...RECORD, priority: 'HIGH' },
        isChange: true,
      });
      form.takeDraft(draft ?? {});
      if (isLate) form.follow({ ...RECORD, priority: 'HIGH' });
      expect(form.conflicts).toEqual({ priority: CHANGED });
      expect(form.values).toEqual({ ...RECORD, priority: 'MEDIUM', is_on: true });
    }
  });

  test('stays empty if a draft that only empties it is restored before the record is known', () => {
    const fields: FormField[] = [{ name: 'emails', label: 'Emails', kind: 'texts' }];
    const before = new FormModel({ fields, values: { emails: ['a@b'] }, isChange: true });
    before.set('emails', []);
    const stored = before.draft ?? {};
    for (const now of ['a@b', 'c@d']) {
      const form = new FormModel({ fields, isChange: true });
      form.takeDraft(stored);
      expect(form.draft).toEqual(stored);
      form.follow({ emails: [now] });
      expect([form.values, form.draft]).toEqual([{ emails: [] }, stored]);
      expect(Object.keys(form.conflicts)).toEqual(now === 'a@b' ? [] : ['emails']);
    }
  });

  test('of a draft without seen values is marked only for later changes', () => {
    const form = new FormModel({ fields: RULE, values: RECORD, isChange: true });
    form.takeDraft({ values: { priority: 'MEDIUM' }, other: '', wasSent: false });
    form.follow({ ...RECORD, name: 'renamed' });
    expect(form.conflicts).toEqual({});
    form.follow({ ...RECORD, priority: 'HIGH' });
    expect(form.conflicts).toEqual({ priority: CHANGED });
  });

  test('shows where long values begin to differ, and JSON on one line', () => {
    const fields: FormField[] = [
      { name: 'text', label: 'Text', kind: 'long' },
      { name: 'keys', label: 'Keys', kind: 'json' },
    ];
    const start = 'Questions about refunds that customers of the northern region asked in March, ';
    const values = {
      text: `${start}without those of people 👩‍👩‍👧 there.`,
      keys: '{\n  "a": [1, "b:  c"]\n}',
    };
    const form = new FormModel({ fields, values, isChange: true });
    form.set('text', 'mine');
    form.set('keys', '{}');
    form.follow({ text: `${start}and those of people.`, keys: '{"a":[1.50,"b:  c"]}' });
    expect(form.conflicts).toEqual({
      text: 'Changed at the service meanwhile: was “… region asked in March, without those of people 👩‍👩‍👧 there.”, is now “… region asked in March, and those of people.”.',
      keys: 'Changed at the service meanwhile: was “{"a": [1, "b:  c"]}”, is now “{"a": [1.50, "b:  c"]}”.',
    });
    expect(form.inputText).toBe('changed fields (Text, Keys)');
  });

  test('is marked no more after the form was reset or saved', () => {
    const form = typed();
    form.reset();
    expect([form.conflicts, form.values]).toEqual([{}, { ...RECORD, priority: 'HIGH' }]);
    form.set('name', 'mine');
    form.settle();
    form.follow({ ...RECORD, name: 'theirs' });
    expect([form.conflicts, form.values['name']]).toEqual([{}, 'theirs']);
  });
});
