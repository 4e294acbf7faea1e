/** Numbers beyond the precision of JavaScript keep every digit from the store to the window, to a form, and back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageQueue } from '../../electron/ipc/message-queue.ts';
import { parseArgument } from '../../electron/ipc/parse-argument.ts';
import {
  exactNumber,
  isRawNumber,
  mayLose,
  parseExact,
  writeExact,
} from '../../electron/shared/exact-json.ts';
import { parseFilter } from '../../electron/shared/filter-tree.ts';
import { parseRecord } from '../../electron/shared/record-parts.ts';
import { copyValue, toTsv, viewCell } from '../../renderer/components/grid/cells.ts';
import { COPY_FORMATS } from '../../renderer/components/grid/copy-formats.ts';
import { guessKind } from '../../renderer/lib/column-guess.ts';
import { viewField } from '../../renderer/lib/field-list.ts';
import { filterByValue } from '../../renderer/lib/filter/by-value.ts';
import { readDraft, writeDraft } from '../../renderer/lib/filter/draft.ts';
import { LIST_FILTERS } from '../../renderer/lib/filter/language.ts';
import { type FormField, formBody, valuesOf } from '../../renderer/lib/form/fields.ts';
import { describeFields } from '../../renderer/lib/inspect.ts';
import { jsonLines } from '../../renderer/lib/json-tree.ts';
import { createMessages } from '../../renderer/lib/messages.ts';
import { runs } from '../helpers/runs.ts';

const ID = '00000000-0000-4000-8000-000000000001';
/** Numbers as they are received and as they are shown. */
const NUMBERS: [string, string][] = [
  ['9007199254740993', '9,007,199,254,740,993'],
  ['-12345678901234567890123', '-12,345,678,901,234,567,890,123'],
  ['1e999', '1e999'],
  ['-1E+400', '-1E+400'],
  ['1e-999', '1e-999'],
  ['1.234567890123456789', '1.234567890123456789'],
];
const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });
/** Numbers in every form that JSON allows. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '1', '9', '90', '9007199254740992', '12345678901234567890'),
    fc.option(digits(1, 25), { nil: null }),
    fc.option(fc.constantFrom('e3', 'E-7', 'e+21', 'e308', 'e400', 'e-400'), { nil: null }),
  )
  .map(
    ([sign, whole, fraction, power]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${power ?? ''}`,
  );
const written = (text: string) => writeExact(parseExact(text));

/** Both ends of the connection between the processes. Messages are copied as Electron copies them. */
function wire() {
  const held = new MessageQueue();
  const messages = createMessages(
    async (channel, argument) => {
      const given = structuredClone(argument) as { id: number; from: number; part: string };
      if (channel === 'app:read-part') return held.read(given.id, given.from);
      held.add(given.id, given.from, given.part);
      return null;
    },
    (problem) => {
      throw problem;
    },
  );
  return {
    toWindow: (value: unknown) => messages.whole(structuredClone(held.pack(value))),
    toMain: (value: unknown) => held.unpack(structuredClone(messages.argument(value))),
  };
}

describe('between the processes', () => {
  test('a record is sent to the window and back with all its digits, short or long', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(numberText, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1, 40_000),
        async (numbers, length) => {
          const text = `{"id":"${'x'.repeat(length)}","nested":{"numbers":[${numbers.join()}]}}`;
          const { toWindow, toMain } = wire();
          const shown = await toWindow({ rows: [{ position: 0, record: parseRecord(text) }] });
          expect(writeExact(shown)).toBe(`{"rows":[{"position":0,"record":${written(text)}}]}`);
          expect(writeExact(toMain(shown))).toBe(writeExact(shown));
        },
      ),
    );
  });

  test('JavaScript numbers stay JavaScript numbers, however large', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (number) => {
        const value = number === 0 ? 0 : number;
        const { toWindow, toMain } = wire();
        expect(await toWindow({ total: value, beside: parseExact('1e999') })).toMatchObject({ total: value });
        expect(toMain({ total: value, beside: parseExact('1e999') })).toMatchObject({ total: value });
      }),
    );
  });

  test.each([
    ['resources:act', 'body', { connectionId: ID, operation: 'datasets.update', path: {}, query: {} }],
    ['layout:write', 'value', { connectionId: ID, key: 'draft' }],
  ] as const)('%s takes exact numbers in its %s', (channel, field, others) => {
    const given = wire().toMain({ ...others, [field]: { metadata: { n: exactNumber('9007199254740993') } } });
    expect(writeExact(parseArgument(channel, given))).toContain('{"metadata":{"n":9007199254740993}}');
  });
});

describe.each(NUMBERS)('%s', (text, shown) => {
  const record = parseRecord(`{"name":"a","n":${text},"inside":{"deep":[{"n":${text}}]}}`);
  const column = { id: 'n', title: 'n', kind: guessKind([record['n']]), width: 100, get: () => record['n'] };

  test('is a number in a grid, with all digits, and is copied so', () => {
    expect(viewCell(column, record['n']).text).toBe(shown);
    expect(column.kind).toBe('number');
    expect(
      viewCell({ ...column, kind: 'id' }, record['n']).title ??
        viewCell({ ...column, kind: 'id' }, record['n']).text,
    ).toBe(text);
    expect(copyValue(record['n'])).toBe(text);
    expect(toTsv([column], [record])).toBe(`n\n${text}`);
    for (const { title, write } of COPY_FORMATS) {
      const expected: Record<string, string> = {
        'as JSON': `"n": ${text}`,
        // In YAML, a number with an exponent has a point and a sign.
        'as YAML': text.replace(/^(-?\d+)[eE](?=[+-])/, '$1.0e').replace(/^(-?\d+)e/, '$1.0e+'),
      };
      expect(write([column], [record]), title).toContain(expected[title] ?? text);
    }
  });

  test('has all digits in the inspector, in lists of fields and in trees', () => {
    expect(describeFields(record, '').plain).toContainEqual(
      expect.objectContaining({ name: 'n', value: shown, title: text }),
    );
    expect(viewField(record['n'])).toEqual({ kind: 'number', text: shown, title: text });
    expect(viewField([record['n']])).toEqual({ kind: 'texts', texts: [text] });
    const lines = jsonLines(record, () => true);
    expect(
      lines.filter(({ name }) => name === 'n').map((line) => [line.kind, line.text, line.isBranch]),
    ).toEqual([
      ['number', text, false],
      ['number', text, false],
    ]);
  });

  test('is the value of a filter', () => {
    const filter = filterByValue(null, { field: 'n', value: exactNumber(text) ?? 0 }, LIST_FILTERS) ?? '';
    expect(filter).toContain(`"value":${text}`);
    expect(writeExact(parseFilter(filter))).toBe(filter);
    let id = 0;
    const draft = readDraft({ ...(parseExact(filter) as object) }, LIST_FILTERS, () => (id += 1));
    expect(writeExact(writeDraft(draft, LIST_FILTERS))).toContain(`"value":${text}`);
  });
});

describe('a form with exact numbers', () => {
  const FIELDS: readonly FormField[] = [
    { name: 'threshold', label: 'Threshold', kind: 'number' },
    { name: 'metadata', label: 'Metadata', kind: 'json', mustBe: 'object' },
  ];

  test('sends no untouched field, and every digit of a changed one', () => {
    fc.assert(
      fc.property(numberText, numberText, (one, other) => {
        const record = parseRecord(`{"threshold":${one},"metadata":{"kept":${one},"list":[${other}]}}`);
        const before = valuesOf(FIELDS, record);
        expect(formBody(FIELDS, before, '', before)).toEqual({ body: {}, problems: {} });
        const typed = String(before['metadata']).replace('"kept"', '"renamed"');
        const { body, problems } = formBody(
          FIELDS,
          { threshold: other, metadata: typed },
          `{"more":${one}}`,
          {
            ...before,
            threshold: '',
          },
        );
        expect(problems).toEqual({});
        expect(writeExact(body)).toBe(
          `{"threshold":${written(other)},"metadata":{"renamed":${written(one)},"list":[${written(other)}]},"more":${written(one)}}`,
        );
      }),
    );
  });

  test('a number field still accepts only valid numbers', () => {
    const [field] = [{ name: 'n', label: 'N', kind: 'number', isWhole: true, max: 1e20 } as const];
    const problem = (text: string) => formBody([field], { n: text }, '').problems['n'];
    expect(problem('9007199254740993')).toBeUndefined();
    expect(problem('1e999')).toBe('Expected a whole number.');
    expect(problem('900719925474099312345')).toBe('Expected at most 100000000000000000000.');
    expect(problem('five')).toBe('Expected a number.');
  });
});

test('only RawNumber counts as an exact number: a clone elsewhere does not', () => {
  expect(isRawNumber(structuredClone(exactNumber('1e999')))).toBe(false);
});

test('no code of the window parses JSON in a way that loses digits', () => {
  const root = join(import.meta.dirname, '../../renderer');
  const losing = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|svelte)$/.test(file))
    // This file contains the call only as a quoted text.
    .filter((file) => !file.endsWith('json-places.ts'))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('JSON.parse('));
  expect(losing).toEqual([]);
});

test('numbers beside texts of quotes, backslashes and digits are written as they are without them', () => {
  const text = fc.string({
    unit: fc.constantFrom('"', '\\', ',', ':', '[', ' ', '-', '.', 'e', '9', 'é'),
    maxLength: 30,
  });
  const pieces = fc.array(
    fc.oneof(
      numberText,
      text.map((value) => JSON.stringify(value)),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(written(`[${parts.join(', ')}]`)).toBe(`[${parts.map(written).join(',')}]`);
    }),
    { numRuns: runs(1_000) },
  );
});

test('ids of many digits or with the look of an exponent are not sent as text for that reason', () => {
  expect(
    mayLose(JSON.stringify({ id: '1839b58a-4e123-8c5a', trace: '12345678901234567890', n: [1.5, -2e5] })),
  ).toBe(false);
  for (const json of [
    '1e999',
    '[-12345678901234567890]',
    '{"a": 1.23e-400}',
    '{"a":0.12345678901234567}',
    '[0,1E+308]',
  ])
    expect(mayLose(json), json).toBe(true);
});

test('decimals of 16 and 17 digits that a double would change keep their digits', () => {
  for (const text of ['999999999999999.99', '90071992547409.93', '9007199254740993.5', '1234567890123456.7'])
    expect(writeExact(parseExact(`[${text}]`))).toBe(`[${text}]`);
  // These are doubles, written with more digits than they need.
  for (const text of ['0.10000000000000001', '3.1415926535897931', '0.1000000000000000'])
    expect(parseExact(text)).toBe(Number(text));
});
