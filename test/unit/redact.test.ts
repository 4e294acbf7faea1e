/** Private fields of records are masked, even in JSON that a record contains as text. */
import { expect, test } from 'vitest';
import { maskAnswer } from '../../electron/cli/agents/mask-answer.ts';
import { maskedUrl } from '../../electron/core/masking/masked-url.ts';
import { tellsNamedValue } from '../../electron/core/masking/named-values.ts';
import { createRedactor, MASKED } from '../../electron/core/masking/redact.ts';
import { RawNumber } from '../../electron/shared/exact-json.ts';

const masked = (record: unknown, ...patterns: string[]) => createRedactor(patterns, new Set()).mask(record);

test('a record without private fields is the same object', () => {
  const record = {
    ...{ id: 7, note: null, large: new RawNumber('12345678901234567890') },
    lists: [['a', '[1, 2]'], '{not JSON'],
    messages: '[{"role": "user"}]',
  };
  expect(masked(record, 'email')).toBe(record);
});

test('a private field is masked by its path inside of JSON texts, in lists and in JSON inside of JSON', () => {
  const inner = JSON.stringify({ email: 'ana@example.com', age: 3 });
  const record = {
    user: { email: 'ana@example.com' },
    messages: '[{"role": "user", "email": "bo@example.com"}]',
    calls: [{ arguments: inner }, { arguments: '{}' }],
    outer: JSON.stringify({ inner }),
  };
  const hidden = `{"email":"${MASKED}","age":3}`;
  expect(masked(record, 'email')).toEqual({
    user: { email: MASKED },
    messages: `[{"role":"user","email":"${MASKED}"}]`,
    calls: [{ arguments: hidden }, { arguments: '{}' }],
    outer: JSON.stringify({ inner: hidden }),
  });
});

test('a masked JSON text keeps the digits of its other numbers', () => {
  expect(masked({ body: '{"id": 12345678901234567890, "name": "Ana"}' }, 'body.name')).toEqual({
    body: `{"id":12345678901234567890,"name":"${MASKED}"}`,
  });
});

test.each([
  ['shortened', '{"content":"secret words, cut he'],
  ['shortened inside of JSON', String.raw`{"call":"{\"content\":\"secret words, cut he`],
  ['after other words', 'x {"content":"secret"}'],
  ['of Python', "[{'role': 'user', 'content': 'secret'}]"],
  ['with escaped names', String.raw`{"\u0063ontent":"secret`],
  ['with other names that are not JSON', String.raw`{"a\q": 1, "content": "secret`],
  ['over several lines', '{\n  "content": [\n    "secret'],
])('a text %s that names a private field is masked as a whole', (_what, text) => {
  expect(masked({ text, other: 'content: "secret"' }, 'content')).toEqual({
    text: MASKED,
    other: 'content: "secret"',
  });
});

test('a private field is masked in JSON encoded twice and in JSON lines', () => {
  const twice = JSON.stringify(JSON.stringify({ content: 'secret', id: 1 }));
  const lines = '{"content":"secret","id":1}\n\n{"id":2}\n';
  expect(masked({ twice, lines }, 'content')).toEqual({
    twice: JSON.stringify(`{"content":"${MASKED}","id":1}`),
    lines: `{"content":"${MASKED}","id":1}\n\n{"id":2}\n`,
  });
});

test('a text that is not JSON keeps names that no pattern masks', () => {
  const record = { text: '{"name":"Ana","id":1', user: { text: '{"email": "' } };
  expect(masked(record, 'user.name', 'content', 'account.*')).toBe(record);
  expect(masked(record, 'user.email')).toEqual({ ...record, user: { text: MASKED } });
  expect(masked({ text: '{"account":{"name":"Ana' }, 'account.*')).toEqual({ text: MASKED });
});

test.each([
  ['shortened', '{"question":"When was Ana born? '],
  ['of Python', "{'question': 'Who is Ana'}"],
  ['a list without names', '["secret","sec'],
])('a text %s in which everything is private is masked as a whole', (_what, inputs) => {
  expect(masked({ inputs, question: '{"id":' }, 'inputs.*')).toEqual({ inputs: MASKED, question: '{"id":' });
});

test('a private field is masked between apostrophes, under a repeated key and in deeply nested JSON', () => {
  const deep = (inner: string) => `${'['.repeat(3_000)}${inner}${']'.repeat(3_000)}`;
  const record = {
    apostrophes: `{"a":"the dogs' owner","email":"ana@x.com","b":"the cats': 3`,
    repeated: '{"user": {"email": "ana@x.com"}, "user": {"id": 1}}',
    deep: deep('{"email":"ana@x.com"}'),
    other: deep('{"id":1}'),
    long: `don't ${'x'.repeat(9_000_000)}`,
  };
  expect(masked(record, 'email')).toEqual({
    ...record,
    ...{ apostrophes: MASKED, repeated: '{"user":{"id":1}}', deep: MASKED },
  });
});

test('values with little content, such as true or a small number, are masked only in their own fields', () => {
  const redactor = createRedactor(['parameters'], new Set());
  redactor.learn({ parameters: '{"stream":true,"model":"gpt-4","max_tokens":1000,"card":4111111111111111}' });
  const other = { has_more: true, latency_ms: 1000, text: '{"ok": true}', state: 'true' };
  expect(redactor.mask({ ...other, name: 'gpt-4', paid_with: 4111111111111111 })).toEqual({
    ...other,
    ...{ name: MASKED, paid_with: MASKED },
  });
});

test('JSON with a private name at another path is returned unchanged', () => {
  const record = { body: '{"email": "ana@x.com", "user": {"id": 2}}' };
  expect(masked(record, 'user.email')).toBe(record);
});

test('a value that was learned inside of a JSON text is masked elsewhere', () => {
  const redactor = createRedactor(['email'], new Set());
  redactor.learn({ body: '{"user":{"email":"ana@example.com"},"id":7}' });
  expect(redactor.mask({ note: 'ana@example.com', rows: ['["ana@example.com"]'], id: 7 })).toEqual({
    ...{ note: MASKED, rows: [`["${MASKED}"]`], id: 7 },
  });
});

test('the answer of an agent’s tool has no private field, also inside of JSON texts and of shortened ones', () => {
  const answer = {
    items: [{ id: 1, inputs: '{"question":"When?","email":"ana@example.com"}' }],
    head: '{"email":"ana@exam',
  };
  expect(maskAnswer(answer, createRedactor(['email'], new Set()))).toEqual({
    items: [{ id: 1, inputs: `{"question":"When?","email":"${MASKED}"}` }],
    head: MASKED,
  });
});

test('values beside the name of a private field are masked in filters, columns of a schema and pairs', () => {
  const record = {
    filters: { condition: 'AND', rules: [{ field: 'user.country', operator: 'equal', value: 'AT' }] },
    schema: {
      columns: [
        { name: 'country', data_type: 'string', categories: ['AT', 'BE'] },
        { name: 'age', data_type: 'numeric', min: 18, max: 90 },
      ],
    },
    attributes: [{ key: 'app.country', value: { text: 'AT' } }],
    text: '{"key":"app.country","value":"AT","n":1}',
    cut: '[{"key": "app.country", "value": "A',
    other: '[{"key": "app.region", "value": "A',
    query: { columns: ['age', 'country'], categories: ['AT'], metric: 'frequency' },
    id: 7,
  };
  expect(masked(record, 'country')).toEqual({
    filters: { condition: 'AND', rules: [{ field: 'user.country', operator: 'equal', value: MASKED }] },
    schema: {
      columns: [
        { name: 'country', data_type: 'string', categories: [MASKED, MASKED] },
        { name: 'age', data_type: 'numeric', min: 18, max: 90 },
      ],
    },
    attributes: [{ key: 'app.country', value: { text: MASKED } }],
    text: `{"key":"app.country","value":"${MASKED}","n":1}`,
    cut: MASKED,
    other: record.other,
    query: { columns: ['age', 'country'], categories: [MASKED], metric: 'frequency' },
    id: 7,
  });
});

test('masks values beside an object with the name of a private field, and the cells of its column', () => {
  const record = (value: string) => ({
    ratings: [{ attribute: { name: 'email', id: 'a-1' }, value, at: 1 }],
    pairs: [
      { property: 'email', value },
      { attribute_key: 'user.email', value },
    ],
    table: { columns: [{ name: 'id' }, { name: 'email' }], rows: [['r-1', value], [2, null], 'n'] },
    filter: { kind: 'contains', field: 'email', text: value, excludes: value },
    shown: { kind: 'text', name: 'email', id: 'c-1' },
  });
  const hidden = record(MASKED);
  expect(masked(record('ana@example.com'), 'email')).toEqual(hidden);
  const answer = maskAnswer(record('ana@example.com'), createRedactor(['email'], new Set()));
  expect(answer).toMatchObject({ pairs: hidden.pairs, table: hidden.table });
  expect(JSON.stringify(answer)).not.toContain('ana@example.com');
  const redactor = createRedactor(['email'], new Set());
  redactor.learn(record('ana@example.com').table);
  expect(redactor.mask({ note: 'ana@example.com', id: 'r-1' })).toEqual({ note: MASKED, id: 'r-1' });
});

test('a value beside the name of a private field is masked elsewhere too, if it was learned', () => {
  const redactor = createRedactor(['email'], new Set());
  redactor.learn({ field: 'email', value: 'ana@example.com' });
  expect(redactor.mask({ note: 'ana@example.com' })).toEqual({ note: MASKED });
});

test.each([`"country" == 'AT'`, "country == 'AT' and age > 3", 'if(user.country in ["AT"], 1, 0)'])(
  'the formula %s is masked if it names a private field',
  (definition) => {
    const record = { name: 'Austria', definition };
    expect(masked(record, 'country')).toEqual({ name: 'Austria', definition: MASKED });
    expect(masked(record, 'count')).toBe(record);
  },
);

test('a query or a view that compares a private field with a value is recognized, also in JSON texts', () => {
  const redactor = createRedactor(['country'], new Set());
  const rule = (field: string) => ({ rules: [{ field, operator: 'equal', value: 'AT' }] });
  const tells = (of: unknown) => tellsNamedValue(of, redactor);
  expect([{ filter: rule('app.country') }, [JSON.stringify(rule('country'))]].map(tells)).toEqual([
    true,
    true,
  ]);
  expect(tells({ columns: ['age', 'country'], categories: ['AT'] })).toBe(true);
  expect(tells({ definition: "country == 'AT'" })).toBe(true);
  const filtered = [
    { kind: 'contains', field: 'app.country', text: 'AT', excludes: false },
    { kind: 'range', field: 'country', from: 33, to: 34, includesTo: true },
  ];
  expect(filtered.map((filter) => tells({ filters: [filter], sort: null }))).toEqual([true, true]);
  expect(tells({ sort: { field: 'country', isDescending: true } })).toBe(false);
  expect([{ filter: rule('channel') }, { columns: ['country'] }, 'country', null].map(tells)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
});

test('the address of a request has no private value in its search, filter or parameters', () => {
  const redactor = createRedactor(['country', 'session_id'], new Set());
  const rule = (field: string) =>
    encodeURIComponent(JSON.stringify({ rules: [{ field, operator: 'equal', value: 'AT' }] }));
  const of = (query: string) => maskedUrl(`https://x.test/v3/items?${query}`, redactor).split('?')[1];
  expect(of('limit=50&search=Aus%20tria&offset=0')).toBe(`limit=50&search=${MASKED}&offset=0`);
  expect(of(`filter=${rule('app.country')}`)).toBe(`filter=${MASKED}`);
  expect(of(`filter=${rule('channel')}&limit=1`)).toBe(`filter=${rule('channel')}&limit=1`);
  expect(of('session_id=s-1&name=app.country')).toBe(`session_id=${MASKED}&name=app.country`);
  expect(of('limit=%E0%A4&offset')).toBe(`limit=${MASKED}&offset`);
  expect(maskedUrl('https://x.test/v3/items', redactor)).toBe('https://x.test/v3/items');
});
