/**
 * For each rule in the table of value rules, a file triggers it and shows the column, the count, and the replacement of
 * the first value.
 */
import { writeFileSync } from 'node:fs';
import * as arrow from 'apache-arrow';
import { expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { ValueLedger, ValueRule } from '../../electron/shared/value-ledger.ts';
import { VALUE_RULES } from '../../electron/shared/value-ledger.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { checkSpans } from '../../electron/uploads/spans/extract-spans.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { copyLedger } from '../helpers/copy-ledger.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';
import { inline, number, sheetRows, workbookOf } from '../helpers/workbook-file.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

/** A time with nanoseconds in the type INT96, which the engine of the program cannot write. */
const INT96 =
  'UEFSMRUAFRgVGCwVAhUAFQYVBgAAFc1bBwAAAAByjSUAFQIZLEgGc2NoZW1hFQIAFQYlABgBdgAWAhkcGRwmCBwVBhklAAYZGAF2FQAWAhY6FjomCAAAFjoWAgAoBGhhbmQAQgAAAFBBUjE=';

type Options = NonNullable<Parameters<typeof checkedFile>[2]>;
type Changes = ValueLedger['changes'];
/** The first changed value, and its replacement. */
type Change = [before: string, after: string | null, source?: string];

/** Checks a value `v` in a column of this type, in a file of two rows. */
const check = async (
  name: string,
  content: string,
  type: string,
  options: Options = {},
): Promise<Changes> => {
  const model = { columns: { id: 'str', v: type } };
  const found = await checkedFile(folder.file(name), content, { model, ...options });
  return found.ledger.changes;
};
const cell = (text: string, type: string, options?: Options) =>
  check('a.csv', `id;v\na;${text}\n`, type, { dialect: { delimiter: ';' }, ...options });
const json = (text: string, type: string, options?: Options) =>
  check('a.jsonl', `{"id":"a","v":${text}}\n`, type, options);
const repaired = (text: string, type: string, problem: string, kind = problem) =>
  cell(text, type, { repairs: [{ source: 'v', problem, kind } as NonNullable<Options['repairs']>[number]] });

const sheet = (value: Parameters<typeof sheetRows>[0][number]) =>
  copyLedger(
    files,
    folder.file('book.xlsx'),
    workbookOf({
      sheets: { Data: { rows: sheetRows([[inline('id'), inline('v')], value]) } },
      formats: ['yyyy-mm-dd', 'hh:mm:ss', '[h]:mm:ss', '00000', '"ID-"0000'],
    }),
  );
const parquet = async (value: string, columns: readonly object[] = []) => {
  const options =
    columns.length === 0 ? 'COMPRESSION zstd' : `KV_METADATA {pandas: '${JSON.stringify({ columns })}'}`;
  await writeParquet(folder.file('a.parquet'), `SELECT 'a' AS id, ${value} AS v`, options);
  return copyLedger(files, folder.file('a.parquet'));
};
const inArrow = (vector: arrow.Vector) =>
  copyLedger(files, folder.file('a.arrow'), arrow.tableToIPC(new arrow.Table({ v: vector }), 'file'));

const CASES: Readonly<Record<ValueRule, readonly [run: () => Promise<Changes>, ...change: Change]>> = {
  'null-word': [() => cell('NA', 'float'), 'NA', null],
  blank: [() => cell('"  "', 'float'), '  ', null],
  'empty-text': [() => json('""', 'float'), '', null],
  'not-finite': [() => json('NaN', 'float'), 'NaN', null],
  trimmed: [() => cell('" 5 "', 'float'), ' 5 ', '5'],
  'decimal-comma': [() => cell('12,50', 'float'), '12,50', '12.50'],
  thousands: [() => cell('1.234.567,5', 'float'), '1.234.567,5', '1234567.5'],
  currency: [() => repaired('12 EUR', 'float', 'currency'), '12 EUR', '12'],
  parentheses: [() => repaired('(50.00)', 'float', 'parentheses'), '(50.00)', '-50.00'],
  percent: [() => repaired('5%', 'float', 'percent'), '5%', '5'],
  'percent-share': [() => repaired('5%', 'float', 'percent', 'percent-share'), '5%', '0.05'],
  'minus-sign': [() => cell('\u221212.5', 'float'), '\u221212.5', '-12.5'],
  'trailing-sign': [() => repaired('12.5-', 'float', 'trailing-sign'), '12.5-', '-12.5'],
  'script-digits': [() => cell('１２.5', 'float'), '１２.5', '12.5'],
  'dash-decimals': [() => cell('5.-', 'float'), '5.-', '5'],
  'number-form': [() => cell('+7', 'int'), '+7', '7'],
  'whole-number': [() => cell('7.0', 'int'), '7.0', '7'],
  'number-of-text': [() => json('"5"', 'float'), '5', '5'],
  'text-of-number': [() => json('5', 'str'), '5', '5'],
  'text-of-boolean': [() => json('true', 'str'), 'true', 'true'],
  'json-of-text': [() => json('"[1,2]"', 'vector'), '[1,2]', '[1,2]'],
  'true-false': [() => cell('yes', 'bool'), 'yes', 'true'],
  'day-first': [() => cell('20/10/2025', 'timestamp'), '20/10/2025', '2025-10-20'],
  'month-first': [() => cell('10/20/2025', 'timestamp'), '10/20/2025', '2025-10-20 00:00:00'],
  'month-name': [() => cell('5 Mar 2026', 'timestamp'), '5 Mar 2026', '2026-03-05'],
  'time-form': [() => cell('2026/03/05', 'timestamp'), '2026/03/05', '2026-03-05'],
  'epoch-unit': [
    () => cell('1767225600123456', 'timestamp'),
    ...(['1767225600123456', '2026-01-01T00:00:00.123456Z'] as const),
  ],
  'excel-serial': [
    () => cell('46023', 'timestamp', { readings: { v: { unit: 'excel' } } }),
    ...(['46023', '2026-01-01'] as const),
  ],
  zone: [
    () => cell('2026-01-01 10:00:00', 'timestamp', { readings: { v: { zone: '+02:00' } } }),
    ...(['2026-01-01 10:00:00', '2026-01-01 10:00:00+02:00'] as const),
  ],
  'zone-twice': [
    () => cell('2026-10-25 02:30:00', 'timestamp', { readings: { v: { zone: 'Europe/Berlin' } } }),
    ...(['2026-10-25 02:30:00', '2026-10-25 02:30:00+02:00'] as const),
  ],
  utc: [() => cell('2026-01-01', 'timestamp'), '2026-01-01', '2026-01-01'],
  'far-time': [
    () =>
      cell('9999-12-31T00:00:00Z', 'timestamp', {
        model: { columns: { id: 'str', v: 'timestamp' }, time: 'v' },
      }),
    ...(['9999-12-31T00:00:00Z', '9999-12-31T00:00:00Z'] as const),
  ],
  spelling: [() => categories('frence', ['France']), 'frence', 'France'],
  'category-type': [() => categories('7', [7], '"7"'), '7', '7'],
  replaced: [() => edited('replacements'), 'x', '5'],
  edited: [() => edited('cells'), 'x', '5'],
  'repaired-null': [() => repaired('x', 'float', 'other', 'null'), 'x', null],
  'repaired-text': [() => repaired("'5'", 'float', 'trim'), "'5'", '5'],
  'last-of-key': [() => check('a.jsonl', '{"id":"a","v":1,"v":2}\n', 'int'), '1', '2'],
  'cell-error': [() => sheet([inline('a'), '<c t="e"><v>#N/A</v></c>']), '#N/A', null],
  'formula-unread': [() => sheet([inline('a'), '<c><f>1/0</f></c>']), 'formula', null],
  'text-formula': [() => cell('="00123"', 'str'), '="00123"', '00123'],
  'sheet-date': [() => sheet([inline('a'), number(46_023, 1)]), '46023', '2026-01-01'],
  'time-of-day': [() => sheet([inline('a'), number(0.5, 2)]), '0.5', '12:00:00'],
  'time-microseconds': [
    () => copyLedger(files, folder.file('int96.parquet'), Buffer.from(INT96, 'base64')),
    ...(['2026-01-01 00:00:00.123456', '2026-01-01T00:00:00.123456'] as const),
  ],
  duration: [() => sheet([inline('a'), number(1.5, 3)]), '1.5', '36:00:00'],
  'duration-number': [
    () => inArrow(arrow.vectorFromArray([1_500n], new arrow.DurationMillisecond())),
    ...(['1500 milliseconds', '1500'] as const),
  ],
  'period-number': [
    () => parquet('672::BIGINT', [{ field_name: 'v', numpy_type: 'period[M]' }]),
    ...(['672 periods (M)', '672'] as const),
  ],
  'sheet-digits': [() => sheet([inline('a'), number('1E-2')]), '1E-2', '0.01'],
  'sheet-zeros': [() => sheet([inline('a'), number(7, 4)]), '7', '00007'],
  'sheet-text': [() => sheet([inline('a'), number(7, 5)]), '7', 'ID-0007'],
  'binary-text': [() => parquet("'text'::BLOB"), '4 bytes', 'text'],
  base64: [() => parquet("'\\xFF'::BLOB"), '1 byte', '/w=='],
  variant: [() => parquet('7::VARIANT'), '7', '7'],
  'typed-json': [() => json('{"$numberInt":"5"}', 'int'), '{"$numberInt":"5"}', '5'],
  'typed-text': [
    () => inArrow(arrow.vectorFromArray([Int32Array.of(1, 2)], new arrow.IntervalDayTime())),
    ...(['1 day 00:00:00.002', '1 day 00:00:00.002'] as const),
  ],
  'hex-id': [
    () => span({ spanId: '0xBBBBBBBBBBBBBBBB' }),
    ...(['0xBBBBBBBBBBBBBBBB', 'bbbbbbbbbbbbbbbb', 'span_id'] as const),
  ],
  'nano-time': [
    () => span({ startTimeUnixNano: '1767225600000000001' }),
    ...(['1767225600000000001', '2026-01-01T00:00:00.000000001Z', 'start_time'] as const),
  ],
  'kind-name': [() => span({ kind: 3 }), '3', 'CLIENT', 'kind'],
  'type-of-attributes': [
    () => span({ attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }] }),
    ...(['no type', expect.any(String), 'span_type'] as const),
  ],
};

/** A span of OpenTelemetry with these fields. */
const span = async (fields: object): Promise<Changes> => {
  const path = folder.file('spans.jsonl');
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startTimeUnixNano: '0' };
  writeFileSync(path, `${JSON.stringify({ ...ids, ...fields })}\n`);
  const dialect: Dialect = {
    ...{ format: 'jsonl', encoding: 'utf-8', delimiter: ',', quote: 'none', hasHeader: false, nullWords: [] },
  };
  const { ledger } = await checkSpans({ path, dialect, state: await readFileState(path) });
  return ledger.changes;
};

/** Checks a column with categories that the model defines. */
const categories = async (
  text: string,
  named: readonly (string | number)[],
  inJson: string | null = null,
) => {
  const options: Options = {
    model: { columns: { id: 'str', v: 'category' }, categories: { v: named } },
    repairs: [{ source: 'v', problem: 'spelling', kind: 'spelling' }],
  };
  return inJson === null
    ? check('a.csv', `id;v\na;${text}\n`, 'category', { ...options, dialect: { delimiter: ';' } })
    : check('a.jsonl', `{"id":"a","v":${inJson}}\n`, 'category', options);
};
const edited = (how: 'replacements' | 'cells') =>
  cell(
    'x',
    'float',
    how === 'replacements'
      ? { replacements: [{ source: 'v', value: 'x', with: '5' }] }
      : { cells: [{ source: 'v', line: 2, byteOffset: 'id;v\n'.length, value: 'x', with: '5' }] },
  );

test.each(Object.entries(CASES))('%s', async (rule, [run, before, after, source = 'v']) => {
  const changes = await run();
  expect(changes.filter((each) => each.rule === rule)).toMatchObject([
    { source, count: 1, examples: [{ before, after }] },
  ]);
});

test('every rule has a case', () => {
  expect(Object.keys(CASES)).toEqual(Object.keys(VALUE_RULES));
});

test('periods of pandas are named in files of Arrow too', async () => {
  const metadata = new Map([
    ['ARROW:extension:name', 'pandas.period'],
    ['ARROW:extension:metadata', '{"freq": "W-SUN"}'],
  ]);
  const data = arrow.vectorFromArray([2922n, null], new arrow.Int64()).data[0];
  const schema = new arrow.Schema([
    arrow.Field.new({ name: 'v', type: new arrow.Int64(), nullable: true, metadata }),
  ]);
  const batch = new arrow.RecordBatch(
    schema,
    arrow.makeData({
      ...{
        type: new arrow.Struct(schema.fields),
        length: 2,
        nullCount: 0,
        children: data === undefined ? [] : [data],
      },
    }),
  );
  const content = Buffer.from(arrow.tableToIPC(new arrow.Table([batch]), 'file'));
  expect(await copyLedger(files, folder.file('periods.arrow'), content)).toMatchObject([
    {
      rule: 'period-number',
      source: 'v',
      count: 1,
      examples: [{ before: '2922 periods (W-SUN)', after: '2922' }],
    },
  ]);
});

test('a formula that stands for a text is read as any other text of its column', async () => {
  const rows = ['="00123"', '"=""4,5"""', '=""', '="a""b"', '=A1&"x"', '="x"&"y"'];
  const content = `id;v\n${rows.map((text, at) => `${at};${text}\n`).join('')}`;
  const found = await checkedFile(folder.file('formulas.csv'), content, {
    ...{ model: { columns: { id: 'int', v: 'str' } }, dialect: { delimiter: ';' } },
  });
  expect(found.events.map(({ v }) => v)).toEqual(['00123', '4,5', null, 'a"b', '=A1&"x"', '="x"&"y"']);
  const numbers = await checkedFile(folder.file('numbers.csv'), 'id;v\n1;="4,5"\n2;="6,25"\n', {
    ...{ model: { columns: { id: 'int', v: 'float' } }, dialect: { delimiter: ';' } },
  });
  expect(numbers.events.map(({ v }) => v)).toEqual([4.5, 6.25]);
  expect(numbers.ledger.changes).toMatchObject([
    { rule: 'decimal-comma', count: 2 },
    { rule: 'text-formula', count: 2, examples: [{ before: '="4,5"', after: '4.5' }, {}] },
  ]);
  expect(await json('"=\\"00123\\""', 'str')).toEqual([]);
});

test.each([
  ['str', '00123'],
  ['int', 123],
  ['category', '00123'],
] as const)('blanks around a formula that stands for a text do not matter: %s', async (type, sent) => {
  const found = await checkedFile(
    folder.file(`blanks-${type}.csv`),
    'id;v\n1; ="00123"\n2;="00123"\u00a0\n',
    {
      ...{
        model: { columns: { id: 'int', v: type }, categories: { v: type === 'category' ? ['00123'] : [] } },
      },
      dialect: { delimiter: ';' },
    },
  );
  expect(found.events.map(({ v }) => v)).toEqual([sent, sent]);
  expect(found.ledger.changes).toContainEqual(expect.objectContaining({ rule: 'text-formula', count: 2 }));
});

test('formulas in the header stand for names', async () => {
  const found = await checkedFile(
    folder.file('names.csv'),
    '="CreditScore", ="Age"\n="600",="40"\n700,50\n',
    {
      model: { columns: { CreditScore: 'int', Age: 'int' } },
    },
  );
  expect(found.events).toEqual([
    { CreditScore: 600, Age: 40 },
    { CreditScore: 700, Age: 50 },
  ]);
});

test('the sign of zero is sent unchanged', async () => {
  const found = await checkedFile(folder.file('zero.jsonl'), '{"v":-0.0}\n{"v":-0}\n{"v":0}\n', {
    model: { columns: { v: 'float' } },
  });
  expect(found.events.map(({ v }) => v)).toEqual([-0, -0, 0]);
  expect(await json('-0', 'int')).toMatchObject([
    { rule: 'number-form', count: 1, examples: [{ before: '-0', after: '0' }] },
  ]);
  const lists = await checkedFile(
    folder.file('lists.jsonl'),
    '{"v":[-0.0,1e-7,12345678901234567890]}\n{"v":[-0.0,1e400]}\n',
    {
      model: { columns: { v: 'vector' } },
    },
  );
  expect(
    JSON.stringify(
      lists.events.map(({ v }) => v),
      (_key, each) => (Object.is(each, -0) ? '-0' : each),
    ),
  ).toBe('[["-0",1e-7,12345678901234567890]]');
  expect(lists.bad[0]?.reason).toMatch(/^Expected numbers of at most about 1\.8e308/);
  expect(lists.bad[0]?.value).toBe('[-0,1e400]');
});

test.each(['str', 'category'])(
  'the database notation for a missing value is read as missing in a column of type %s',
  async (type) => {
    const expected = [{ rule: 'null-word', count: 1, examples: [{ before: '\\N', after: null }] }];
    expect(await cell('\\N', type)).toMatchObject(expected);
    // The user chose the words for no value, or the file has its own null.
    expect(await cell('\\N', type, { readings: { v: { nulls: ['none'] } } })).toEqual([]);
    expect(await json('"\\\\N"', type)).toEqual([]);
    for (const text of ['NA', 'NULL', '\\n', '\\N1']) expect(await cell(text, type)).toEqual([]);
  },
);
