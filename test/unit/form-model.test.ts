/** A form while it is filled in: proposed values, values that the user chose, and values of a reloaded record. */
import { expect, test } from 'vitest';
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
