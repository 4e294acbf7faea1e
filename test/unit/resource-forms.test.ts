/** Forms and records as data: the request body, rejections, and how a record is shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { type FieldSection, fieldSections, viewField } from '../../renderer/lib/field-list.ts';
import {
  type FormField,
  formBody,
  localInput,
  OTHER_FIELDS,
  readLocal,
  startValues,
  textOf,
  valuesOf,
} from '../../renderer/lib/form/fields.ts';
import { isFormError, placeErrors } from '../../renderer/lib/form/service-errors.ts';
import { jobTone, jobWords } from '../../renderer/lib/job-words.ts';
import { orderingTerms, orderingWords } from '../../renderer/lib/ordering-words.ts';
import { personName } from '../../renderer/lib/records.ts';
import { sortRows } from '../../renderer/lib/row-order.ts';
import { goesToOutbox, writeBlock } from '../../renderer/lib/write-block.ts';
import { showTimesIn } from '../helpers/shown-zone.ts';

// A zone whose clocks change; in March it is four hours behind UTC.
showTimesIn('America/New_York');

const FIELDS: readonly FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'model_id', label: 'Model', kind: 'reference', operation: 'models.list', noun: 'model' },
  { name: 'rows', label: 'Rows', kind: 'number', isWhole: true, min: 1, max: 9 },
  { name: 'active', label: 'Active', kind: 'flag' },
  { name: 'emails', label: 'Emails', kind: 'texts' },
  { name: 'metadata', label: 'Metadata', kind: 'json', mustBe: 'object' },
  { name: 'from', label: 'From', kind: 'time', sentAs: 'ms', isShown: (values) => values['active'] === true },
];
const filled = { ...startValues(FIELDS), name: 'golden' };

describe('the body of a form', () => {
  it('leaves out empty and hidden fields', () => {
    expect(formBody(FIELDS, { ...filled, from: 'nonsense' }, '')).toEqual({
      body: { name: 'golden', active: false },
      problems: {},
    });
  });

  it('says what each value lacks', () => {
    const values = { ...filled, name: ' ', rows: '1.5', metadata: '[1]', active: true, from: 'yesterday' };
    expect(formBody(FIELDS, values, '{"name": 1}').problems).toEqual({
      name: 'Name is required.',
      rows: 'Expected a whole number.',
      metadata: 'Expected an object: {"key": "value"}.',
      from: 'Expected a time such as 2026-03-12 14:00.',
      [OTHER_FIELDS]: '“name” is already a field above.',
    });
    const problemOf = (changed: object) => formBody(FIELDS, { ...filled, ...changed }, '').problems;
    expect(problemOf({ rows: 'many' })).toEqual({ rows: 'Expected a number.' });
    expect(problemOf({ rows: '0' })).toEqual({ rows: 'Expected at least 1.' });
    expect(problemOf({ rows: '10' })).toEqual({ rows: 'Expected at most 9.' });
    expect(problemOf({ metadata: '{"a": }' })).toEqual({
      metadata: 'Line 1, column 7: Expected a value: text in double quotes, a number, {…} or […].',
    });
  });

  it('adds other fields unchanged', () => {
    expect(formBody(FIELDS, filled, '{"novel": {"deep": [1]}}').body).toEqual({
      name: 'golden',
      active: false,
      novel: { deep: [1] },
    });
  });

  it('of a change has only the differences; an emptied field is cleared', () => {
    const record = {
      name: 'golden',
      model: { id: 'm-1', name: 'Bank churn' },
      rows: 3,
      active: true,
      emails: ['a@x'],
      metadata: { a: 1 },
      from: 1_767_225_600_000,
    };
    const before = valuesOf(FIELDS, record);
    expect(textOf(before, 'model_id')).toBe('m-1');
    expect(formBody(FIELDS, before, '', before).body).toEqual({});
    const changed = { ...before, rows: '', metadata: '', emails: ['a@x', 'b@x'] };
    expect(formBody(FIELDS, changed, '', before).body).toEqual({
      rows: null,
      metadata: {},
      emails: ['a@x', 'b@x'],
    });
  });

  it('a time is unchanged after being shown and typed again, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), (seconds) => {
        // An hour that occurs twice because of a clock change is written in the same way both times.
        expect(Math.abs((readLocal(localInput(seconds * 1_000)) ?? 0) - seconds * 1_000)).toBeLessThanOrEqual(
          3_600_000,
        );
      }),
    );
    expect(readLocal('2026-03-12T14:00:00Z')).toBe(Date.UTC(2026, 2, 12, 14));
    expect(readLocal('2026-03-12 14:00:00+02:00')).toBe(Date.UTC(2026, 2, 12, 12));
    expect(readLocal('2026-03-12')).toBe(Date.UTC(2026, 2, 12, 4));
    expect(readLocal('2026-03-12 24:00')).toBe(Date.UTC(2026, 2, 13, 4));
    expect(readLocal('2026-12-31T24:00:00Z')).toBe(Date.UTC(2027, 0, 1));
    for (const none of [
      '2026-02-30',
      '2026-02-30 10:00',
      '2026-02-30 24:00',
      '2026-03-12 24:01',
      '2026-02-30T10:00:00Z',
      '2026-04-31T10:00:00+02:00',
    ])
      expect(readLocal(none), none).toBeNull();
    for (const wrong of ['', '12.3.2026', '2026-03-12 14', '2026-13-12', 'now']) {
      expect(readLocal(wrong), wrong).toBeNull();
    }
  });
});

describe('rejections of a form', () => {
  const refused = (code: 'BAD_REQUEST' | 'CONFLICT', ...messages: string[]) =>
    new AppError(code, 'Refused.', {
      issues: messages.map((message) => ({ reason: 'X', message })),
    }).toWire();

  it.each([
    ['model_id must be a uuid.', 'model_id'],
    ['body.name: expected text', 'name'],
    ['The metadata is too large.', 'metadata'],
    ['A rolling one needs rows and model_id.', 'model_id'],
    ['There is one named "golden" already.', 'name'],
  ])('%s is shown beside %s', (message, field) => {
    const placed = placeErrors(refused('BAD_REQUEST', message), FIELDS, filled);
    expect(placed.byField).toEqual({ [field]: message });
    expect(placed.rest).toEqual([]);
  });

  it('without a field stay above; a conflict is about the name', () => {
    expect(placeErrors(refused('BAD_REQUEST', 'Not today.'), FIELDS).rest).toEqual(['Not today.']);
    expect(placeErrors(refused('CONFLICT', 'It exists.'), FIELDS).byField).toEqual({ name: 'It exists.' });
    expect(isFormError(new AppError('OFFLINE', 'No.').toWire())).toBe(false);
  });

  it('writes are blocked with a reason, reads are not checked', () => {
    expect(writeBlock({ isReadOnly: true }, 'online')).toContain('read-only');
    expect(writeBlock({ isReadOnly: false }, 'switched-off')).toContain('Offline');
    // The message is not “changes need it”, as a single change is stored in the outbox.
    expect(writeBlock({ isReadOnly: false }, 'unreachable')).toBe(
      'The service cannot be reached: this needs it. Try again once it answers.',
    );
    expect(goesToOutbox({ isReadOnly: false }, 'unreachable')).toBe(true);
    expect(writeBlock({ isReadOnly: false }, 'unauthorized')).toBeNull();
    expect(writeBlock({ isReadOnly: false }, 'unknown')).toBeNull();
  });
});

const names = (sections: FieldSection[]) =>
  sections.map(({ title, rows }) => `${title}: ${rows.map(({ label }) => label).join(', ')}`);

describe('a record as a list of fields', () => {
  const record = {
    id: '3b241101-e2bb-4255-8caf-4136c566a962',
    zone: 'eu',
    name: '2026-03-12',
    created_at: '2026-03-12T14:02:33Z',
    at: 1_767_225_600,
    model: { id: 'm-1', name: 'Bank churn', version: 'v1' },
    spec: { inputs: ['a', 'b'], outputs: [] },
    deep: { list: [{ a: { b: 1 } }] },
    tags: ['x', 'y'],
    gone: null,
    empty: '',
    on: true,
  };
  const known = [
    { name: 'name', label: 'Name', kind: 'text' as const },
    { name: 'model', label: 'Model' },
    { name: 'at', label: 'At', kind: 'time' as const },
    { name: 'absent', label: 'Absent' },
  ];

  it('has known fields first and by their label, every other one unchanged, objects as sections', () => {
    expect(names(fieldSections(record, known))).toEqual([
      'null: Name, Model, At, id, zone, created_at, deep, tags, gone, empty, on',
      'spec: inputs, outputs',
    ]);
  });

  it('shows each value by its type', () => {
    const viewOf = (name: string) =>
      fieldSections(record, known)
        .flatMap(({ rows }) => rows)
        .find((row) => row.name === name)?.view;
    expect(viewOf('name')).toMatchObject({ kind: 'text', text: '2026-03-12' });
    expect(viewOf('model')).toMatchObject({ kind: 'reference', id: 'm-1', name: 'Bank churn' });
    expect(viewOf('at')).toMatchObject({ kind: 'time' });
    expect(viewOf('created_at')).toMatchObject({ kind: 'time' });
    expect(viewOf('id')).toMatchObject({ kind: 'id' });
    expect(viewOf('deep')).toMatchObject({ kind: 'json' });
    expect(viewOf('tags')).toEqual({ kind: 'texts', texts: ['x', 'y'] });
    expect(viewOf('gone')).toEqual({ kind: 'missing', text: 'none' });
    expect(viewOf('empty')).toEqual({ kind: 'missing', text: 'empty text' });
    expect(viewOf('on')).toMatchObject({ text: 'yes' });
    expect(viewField(1_767_225_600)).toMatchObject({ kind: 'number' });
  });

  it('finds by name, label and content', () => {
    expect(names(fieldSections(record, known, 'churn'))).toEqual(['null: Model']);
    expect(names(fieldSections(record, known, 'INPUTS'))).toEqual(['spec: inputs']);
    expect(fieldSections(record, known, 'nowhere')).toEqual([]);
    const span = { status_code: 'ERROR', name: 'plan' };
    const fields = [{ name: 'status_code', label: 'Status' }];
    expect(names(fieldSections(span, fields, 'failed'))).toEqual(['null: Status']);
    expect(names(fieldSections(span, fields, 'error'))).toEqual(['null: Status']);
  });

  it('puts names and constants into words within an object of the service, and leaves names that people gave', () => {
    const person = { activity: { last_login_time: '2026-03-12T14:02:33Z', role: 'MEMBER' } };
    const shown = (sections: readonly FieldSection[]) =>
      sections.flatMap(({ rows }) => rows.map(({ label, view }) => [label, 'text' in view ? view.text : '']));
    expect(shown(fieldSections(person, [{ name: 'activity', label: 'Activity' }]))).toEqual([
      ['Last login time', '2026-03-12 10:02:33'],
      ['Role', 'member'],
    ]);
    expect(shown(fieldSections(person)).map(([label]) => label)).toEqual(['last_login_time', 'role']);
    const named = { metadata: { owner_team: 'MEMBER', ids: 7 } };
    expect(shown(fieldSections(named, [{ name: 'metadata', label: 'Metadata' }]))).toEqual([
      ['owner_team', 'MEMBER'],
      ['ids', '7'],
    ]);
  });

  it('names a person, and nobody if only an id is known', () => {
    const id = '0d6a2f5c-5a0e-4b0e-9f4e-2f9a6a0b1c2d';
    const named = (by: unknown) => personName({ by }, 'by');
    expect(named({ id, full_name: 'Ada Kern' })).toBe('Ada Kern');
    expect(named({ id, email: 'ada@example.com' })).toBe('ada@example.com');
    expect(named('Ada Kern')).toBe('Ada Kern');
    expect([named(id), named({ id }), named({ id: 'u7' }), named(null)]).toEqual(['', '', '', '']);
  });

  it('drops no value of any record', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (any) => {
        const sections = fieldSections(any, []);
        const own = sections.find(({ title }) => title === null)?.rows.map(({ name }) => name) ?? [];
        const shown = [...own, ...sections.flatMap(({ title }) => title ?? [])];
        expect(new Set(shown)).toEqual(new Set(Object.keys(any)));
      }),
    );
  });
});

describe('loaded rows', () => {
  const rows = [{ name: 'b', n: 10 }, { name: 'A', n: 9 }, { name: 'c' }];

  it('sorts numbers by size and puts missing values last in both directions', () => {
    expect(sortRows(rows, { field: 'n', isDescending: false }).map((row) => row['n'])).toEqual([
      9,
      10,
      undefined,
    ]);
    expect(sortRows(rows, { field: 'n', isDescending: true }).map((row) => row['n'])).toEqual([
      10,
      9,
      undefined,
    ]);
    expect(sortRows(rows, { field: 'name', isDescending: false }).map((row) => row['name'])).toEqual([
      'A',
      'b',
      'c',
    ]);
  });
});

describe('words in forms', () => {
  it('of an ordering, and of an unreadable one', () => {
    expect(orderingWords(orderingTerms('-created_at,name'))).toBe('created_at ↓, name ↑');
    expect(orderingWords(orderingTerms(',,'))).toBe('Default order');
  });

  it('of a job, an unknown status unchanged', () => {
    expect([jobWords('started'), jobTone('STARTED')]).toEqual(['In progress', 'info']);
    expect([jobWords('SUCCESS'), jobTone('SUCCESS')]).toEqual(['Done', 'ok']);
    expect([jobWords('REVOKED'), jobTone('REVOKED')]).toEqual(['Cancelled', 'bad']);
    expect([jobWords('COOKING'), jobTone('COOKING')]).toEqual(['COOKING', 'info']);
    expect([jobWords(null), jobTone(null)]).toEqual(['Not known yet', 'off']);
  });
});
