/** A fake file whose rows become items of a dataset. */

import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { ItemsCheck, ItemsJob, ItemsPlan } from '../../../electron/shared/items-model.ts';
import type {
  CheckedRow,
  FilePreview,
  OfferedFile,
  ProblemGroup,
} from '../../../electron/shared/upload-model.ts';
import { EMPTY_LEDGER } from '../../../electron/shared/value-ledger.ts';
import type { WholeFileLook } from '../../../electron/shared/whole-file-contract.ts';
import { COST_QUESTION, LEDGER } from './checks.ts';
import { DAMAGED, UNREACHABLE } from './lists.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';
import { sentBefore } from './sent-before.ts';

const FILE: OfferedFile = {
  ...{ fileId: 'item-file', name: 'refund-questions.jsonl', sizeBytes: 812_000, packed: null, error: null },
};
const QUESTION = 'When do I get my 149 € back? I returned the linen duvet two weeks ago.';
const ANSWER = '89 € go to your card within two working days; 60 € come back as a new voucher by email.';

export const choose = (): OfferedFile[] => {
  if (scenario.itemFile === undefined) return [];
  return [FILE];
};

export function lookAtWhole(): WholeFileLook {
  if (scenario.itemFile === 'failed') throw UNREACHABLE;
  const requests = [{ operation: 'files.upload', count: 1 }];
  return { fileId: FILE.fileId, name: FILE.name, sizeBytes: FILE.sizeBytes, type: 'CSV', parts: 1, requests };
}

export function inspect(given: InvokeArgs<'uploads:inspect'>['dialect']): FilePreview {
  if (scenario.itemFile === 'failed') throw UNREACHABLE;
  // The encoding was guessed incorrectly, so the file cannot be read.
  if (scenario.itemFile === 'misread' && given?.encoding === undefined) throw DAMAGED;
  if (scenario.itemFile === 'workbook') return sheetOf(given?.sheet ?? 'Refunds');
  if (scenario.itemFile === 'lists') return listOf(given?.sheet ?? null);
  if (scenario.itemFile === 'titled') return titled(given);
  return { ...refunds(), dialect: Object.assign(refunds().dialect, given) };
}

/** Delimited text below a title. Its header was detected, or the user set its line. */
function titled(given: InvokeArgs<'uploads:inspect'>['dialect']): FilePreview {
  const file = refunds();
  const found =
    given?.headerLine === undefined || given.headerLine === null
      ? 'Header: line 5. Before it, 4 lines are skipped: 3 blank lines, “Card payments March 2026”.'
      : `The header is in line ${given.headerLine}: ${given.headerLine - 1} lines before it skipped.`;
  const notes = ['Encoding utf-8: every byte that was checked is valid.', found];
  const dialect = Object.assign({ ...file.dialect, format: 'csv' as const, headerLine: 5 }, given);
  return { ...file, notes, dialect };
}

/** A workbook with two sheets, which have different column names. */
function sheetOf(sheet: string): FilePreview {
  const file = refunds();
  const columns = file.columns.map((column) =>
    column.name === 'answer' && sheet === 'Vouchers' ? { ...column, name: 'reply' } : column,
  );
  const dialect = { ...file.dialect, format: 'csv' as const, sheet };
  return { ...file, columns, dialect, sheets: ['Refunds', 'Vouchers'], isTyped: true };
}

/** A JSON document with two lists. The user has to choose one. */
function listOf(sheet: string | null): FilePreview {
  const sheets = ['data', 'errors', 'the whole object'];
  if (sheet === null)
    throw new AppError(
      'NEEDS_DECISION',
      `${FILE.name} is one JSON object with several lists that can hold its rows: data (1,243 objects), errors (2 objects). Nothing was read.`,
      {
        file: FILE.name,
        sheets,
        nextStep: 'Choose one under Rows, or on the command line with --sheet data',
      },
    );
  const file = refunds();
  return { ...file, dialect: { ...file.dialect, sheet }, sheets };
}

function refunds(): FilePreview {
  const column = (name: string, type: FilePreview['columns'][number]['type'], sample: string) => ({
    ...{ name, type, emptyCount: 0, samples: [sample, sample] },
  });
  return {
    ...{
      fileId: FILE.fileId,
      name: FILE.name,
      sizeBytes: FILE.sizeBytes,
      notes: [],
      sheets: [],
      isTyped: false,
    },
    dialect: {
      format: 'jsonl',
      encoding: 'utf-8',
      delimiter: ',',
      quote: '"',
      hasHeader: true,
      nullWords: [],
    },
    columns: [
      column('question', 'str', QUESTION),
      column('answer', 'str', ANSWER),
      column('order', 'json', '{"id":"o-88121","total":{"amount":149,"currency":"EUR"}}'),
      column('intent', 'category', 'refund'),
      column('cost_usd', 'float', '0.0021'),
      column('id', 'str', 'q-0381'),
    ],
    head: [
      {
        ...{ line: 1, byteOffset: 0 },
        cells: [QUESTION, ANSWER, '{"id":"o-88121","total":{"amount":149}}', 'refund', '0.0021', 'q-0381'],
      },
      {
        ...{ line: 2, byteOffset: 300 },
        cells: ['Can a gift card be split?', 'Yes, at checkout.', null, 'voucher', '0.0018', 'q-0382'],
      },
    ],
    ...{ sample: [], estimatedRows: 1_243, problems: [] },
  };
}

const COST_ROWS = [17, 31, 52];
const placeOf = (row: number) => ({ row, line: row, byteOffset: row * 100 });
const SHA = 'cd'.repeat(32);

/** Three costs are a word, which the user can replace, edit or have read as no value. */
function costs({ repairs = [], replacements = [], cellEdits }: ItemsPlan): ProblemGroup {
  const isRepaired = repairs.length + replacements.length > 0;
  const repaired = isRepaired ? COST_ROWS.length : (cellEdits?.cells.length ?? 0);
  const rows = COST_ROWS.length;
  return {
    ...{ source: 'cost_usd', problem: 'null-word', reason: 'Expected a number.', rows, isSent: false },
    ...{ repaired, options: ['null-word', 'null'], proposed: 'null-word', note: '' },
    ...{ places: COST_ROWS.map(placeOf), otherRows: 0 },
    examples: [
      {
        ...{ row: 17, line: 17, before: 'n/a' },
        after: { 'null-word': null, null: null },
        rows,
        isWhole: true,
      },
    ],
  };
}

export function checkRows({ plan, places }: InvokeArgs<'datasets:check-rows'>): CheckedRow[] {
  return places.map((asked): CheckedRow => {
    const isCost = COST_ROWS.includes(asked.row);
    const cells = ['question', 'answer', 'order', 'intent', isCost ? 'n/a' : '0.1', `q-${asked.row}`];
    if (!isCost) return { ...asked, cells, marks: [], problem: null };
    const edit = plan.cellEdits?.cells.find(({ byteOffset }) => byteOffset === asked.byteOffset);
    const replaced = plan.replacements?.[0];
    const by = edit === undefined ? replaced && ('replacement' as const) : ('edit' as const);
    const after = (edit ?? replaced)?.with ?? null;
    const isRepaired = by !== undefined || (plan.repairs ?? []).length > 0;
    const mark = { source: 'cost_usd', problem: 'null-word', reason: 'Expected a number.' } as const;
    return {
      ...{ ...asked, cells, problem: null },
      marks: [{ ...mark, isRepaired, isUnusual: false, after, ...(by === undefined ? {} : { by }) }],
    };
  });
}

export function checkValue({ source, text }: InvokeArgs<'datasets:check-value'>): { problem: string | null } {
  if (text === null || (text.trim() !== '' && Number.isFinite(Number(text)))) return { problem: null };
  return { problem: `${source}: The replacement “${text}” cannot be sent. Expected a number.` };
}

export function check(plan: ItemsPlan): ItemsCheck {
  const { flattens, columns } = plan;
  const isBad = scenario.itemFile === 'bad';
  const problems = isBad ? [costs(plan)] : [];
  const repairedRows = problems[0]?.repaired ?? 0;
  const badRows = isBad ? 5 - repairedRows : 0;
  const unusualRows = isBad ? 2 : 0;
  const order = flattens
    ? { 'order.id': 'o-88121', 'order.total.amount': 149, 'order.total.currency': 'EUR' }
    : { order: { id: 'o-88121', total: { amount: 149, currency: 'EUR' } } };
  const isIn = (source: string) => columns.some((each) => each.source === source && each.place !== null);
  const item = {
    inputs: { question: QUESTION, ...(isIn('order') ? order : {}) },
    expected_outputs: { answer: ANSWER },
    metadata: { intent: 'refund' },
    extras: { cost_usd: 0.0021 },
  };
  return {
    ...{ rows: 1_243, items: 1_243 - badRows, badRows, requests: 7, sizeBytes: 640_000, fields: {} },
    ...{ unusualRows, repairedRows, problems },
    notes: isBad
      ? ['2 rows have a source id that occurs in an earlier row of this file: “q-0381” (again in line 40).']
      : [],
    addedBefore: sentBefore(),
    ledger: scenario.hasQuestions === true ? LEDGER : EMPTY_LEDGER,
    ...{ columns: [...columns], sha256: SHA },
    otherReading:
      isBad && plan.dialect.quote === '"' ? { quote: "'", escape: null, rows: 1, of: 1, line: 204 } : null,
    questions:
      scenario.hasQuestions === true && columns.every(({ reading }) => reading?.decimal === undefined)
        ? [COST_QUESTION]
        : [],
    firstBad: [
      ...COST_ROWS.map((row) => ({
        ...{ ...placeOf(row), column: 'cost_usd', value: 'n/a', reason: 'Expected a number.' },
      })),
      {
        row: 204,
        line: 204,
        column: null,
        value: null,
        reason: 'Expected an object, got the end of the file.',
      },
      {
        row: 960,
        line: 960,
        column: 'question',
        value: '',
        reason: 'Expected at least one value, got none.',
      },
    ].slice(repairedRows, repairedRows + badRows),
    sample: [
      { line: 1, item },
      { line: 2, item: { ...item, inputs: { question: 'Can a gift card be split?' } } },
    ],
  };
}

let added: ItemsJob | null = null;

export const all = (): ItemsJob[] => (added === null ? [] : [added]);

/** Creates a copy of a dataset with one change, which is done immediately. */
export function copy(name: string, of: { id: string; name: string }): ItemsJob {
  const copyOf = { datasetId: of.id, name: of.name, version: 3, changes: 1 };
  const { dialect } = refunds();
  added = {
    ...{ itemsId: 'made', connectionId: CONNECTION_ID, state: 'done', reason: '', error: null },
    plan: {
      ...{ datasetId: uuid(101), datasetName: name, copyOf, fileId: 'f', fileName: 'version 3.jsonl' },
      ...{ dialect, columns: [], flattens: false, onBadRow: 'skip', itemsPerRequest: 200 },
    },
    counts: { rows: 5, badRows: 0, added: 5, refused: 0, unknown: 0, givenUp: 0 },
    ...{ requests: 1, startAtMs: null, lateStart: null, createdAtMs: NOW, endedAtMs: NOW },
  };
  return added;
}

export function control(action: string): void {
  if (added === null || (action !== 'cancel' && action !== 'start')) return;
  added = { ...added, state: action === 'start' ? 'running' : 'cancelled', startAtMs: null };
}

export function create(plan: ItemsPlan, startAtMs: number | null): ItemsJob {
  added = {
    ...{ itemsId: 'items-1', connectionId: CONNECTION_ID, plan, reason: '', error: null },
    state: startAtMs === null ? 'running' : 'ready',
    counts: { rows: 1_243, badRows: 0, added: 600, refused: 1, unknown: 0, givenUp: 0 },
    ...{ requests: 7, startAtMs, lateStart: null, createdAtMs: NOW, endedAtMs: null },
  };
  return added;
}
