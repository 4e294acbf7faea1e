/** A check of a fake file with three kinds of problems, and a saved mapping of a file with other columns. */

import type { ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import type { ColumnQuestion } from '../../../electron/shared/column-reading.ts';
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { FileProfile } from '../../../electron/shared/file-profile.ts';
import type { Preset } from '../../../electron/shared/preset-contract.ts';
import type {
  CellMark,
  CheckedRow,
  DryRun,
  ProblemGroup,
  UploadPlan,
} from '../../../electron/shared/upload-model.ts';
import type { UploadPreset } from '../../../electron/shared/upload-preset.ts';
import type { ValueLedger } from '../../../electron/shared/value-ledger.ts';
import { NOW, scenario, uuid } from './scenario.ts';
import { sentBefore } from './sent-before.ts';

const layout: UploadPreset['layout'] = [
  { name: 'question', type: 'str' },
  { name: 'answer', type: 'str' },
  { name: 'order', type: 'json' },
  { name: 'intent', type: 'category' },
  { name: 'cost_usd', type: 'str' },
  { name: 'channel', type: 'category' },
];

export function presets(): Preset<UploadPreset>[] {
  if (scenario.hasChecks !== true) return [];
  const content: UploadPreset = {
    layout,
    dialect: {},
    columns: layout.map(({ name, type }) => ({ source: name, target: name, type })),
    constants: [{ target: 'region', type: 'str', value: 'EU' }],
    repairs: [],
    replacements: [],
    model: { id: uuid(70), name: 'Bank churn' },
    ...{ envType: 'PRODUCTION', envName: '', mode: 'publish', batchRows: 500 },
    ...{ onBadRow: 'after=5%', isAutomatic: false },
  };
  return [{ presetId: uuid(71), name: 'Monthly questions', content, savedAtMs: NOW - 86_400_000 }];
}

type Example = ProblemGroup['examples'][number];
const example = (row: number, before: string, rows: number, after: Example['after']): Example => ({
  ...{ row, line: row + 1, before, after, rows, isWhole: true },
});
const place = (row: number) => ({ row, line: row + 1, byteOffset: row * 100 });

const group = (changes: Partial<ProblemGroup>): ProblemGroup => ({
  ...{ source: 'cost_usd', problem: 'decimal-comma', reason: 'Expected a number, got “83.807,86”.' },
  ...{ rows: 412, repaired: 0, isSent: false, options: ['decimal-comma', 'null'], proposed: 'decimal-comma' },
  note: '',
  ...{ places: [place(3), place(9)] },
  examples: [
    example(3, '83.807,86', 311, { 'decimal-comma': '83807.86', null: null }),
    example(9, '0,0021', 101, { 'decimal-comma': '0.0021', null: null }),
  ],
  otherRows: 0,
  ...changes,
});

const GROUPS: ProblemGroup[] = [
  group({}),
  group({
    ...{
      source: 'intent',
      problem: 'spelling',
      reason: 'Expected refund, voucher or delivery, got “Refnud”.',
    },
    ...{ rows: 37, options: ['spelling', 'null'], proposed: 'spelling', places: [place(9), place(21)] },
    examples: [example(21, 'Refnud', 37, { spelling: 'refund', null: null })],
  }),
  group({
    ...{ source: 'order', problem: 'day-first', reason: 'Expected a time, got “03/04/2026”.', rows: 12 },
    ...{ options: ['day-first', 'null'], proposed: null, places: [place(40)] },
    note: 'Day and month could be the other way round. Choose if the day comes first.',
    examples: [example(40, '03/04/2026', 12, { 'day-first': '2026-04-03', null: null })],
  }),
];
/** These values are sent unchanged unless the user replaces them. */
const UNUSUAL = group({
  ...{ source: 'intent', problem: 'other', reason: 'Not one of the model’s categories.', isSent: true },
  ...{ rows: 4, options: ['null'], proposed: null, places: [place(11), place(12)] },
  examples: [example(11, 'Retoure', 3, { null: null }), example(12, 'Umtausch', 1, { null: null })],
});
const groups = (): ProblemGroup[] =>
  scenario.hasUnusual === 'alone' ? [UNUSUAL] : scenario.hasUnusual ? [...GROUPS, UNUSUAL] : GROUPS;

const names = ['question', 'answer', 'order', 'intent', 'cost_usd', 'id'];
let last: Pick<UploadPlan, 'repairs' | 'replacements' | 'cellEdits'> = {};
let runs = 0;
let lastRun: DryRun | null = null;
const SHA = 'ab'.repeat(32);

/** The replacement of a value in the last checked plan, undefined if there is none. */
function replacedBy(
  source: string,
  value: string,
  byteOffset: number,
): Pick<CellMark, 'by' | 'after'> | undefined {
  const edit = last.cellEdits?.cells.find((each) => each.source === source && each.byteOffset === byteOffset);
  if (edit !== undefined) return { by: 'edit', after: edit.with };
  const found = last.replacements?.find((each) => each.source === source && each.value === value);
  return found && { by: 'replacement', after: found.with };
}

function markOf(
  { source, problem, reason, isSent }: ProblemGroup,
  value: Example,
  byteOffset: number,
): CellMark {
  const replaced = replacedBy(source, value.before, byteOffset);
  const kind = last.repairs?.find((each) => each.source === source && each.problem === problem)?.kind;
  const isRepaired = replaced !== undefined || kind !== undefined;
  const after = kind === undefined ? null : (value.after[kind] ?? null);
  return { source, problem, reason, isRepaired, isUnusual: isSent && !isRepaired, after, ...replaced };
}

/** Returns a bad value for each position that a group of problems states, and plain values for all others. */
export function checkRows({ places }: ParsedArgs<'uploads:check-rows'>): CheckedRow[] {
  return places.map((asked): CheckedRow => {
    if (asked.row === 60) {
      const reason = 'Expected an event id, got no value.';
      const replaced = last.cellEdits?.cells.find(({ source }) => source === 'id');
      const mark: CellMark = {
        ...{ source: 'id', problem: null, reason, isRepaired: replaced !== undefined, isUnusual: false },
        ...(replaced === undefined ? { after: null } : { by: 'edit', after: replaced.with }),
      };
      const cells = names.map((name) => (name === 'id' ? null : name));
      return { ...asked, cells, marks: [mark], problem: null };
    }
    const found = groups().flatMap((each) => {
      if (!each.places.some(({ byteOffset }) => byteOffset === asked.byteOffset)) return [];
      const value = each.examples.find(({ row }) => row === asked.row) ?? each.examples[0];
      return value === undefined ? [] : [{ each, value }];
    });
    const texts = new Map(found.map(({ each, value }) => [each.source, value.before]));
    return {
      ...asked,
      cells: names.map((name) => texts.get(name) ?? `${name} ${asked.line}`),
      marks: found.map(({ each, value }) => markOf(each, value, asked.byteOffset)),
      problem: null,
    };
  });
}

/** Answers like the main process whether a text fits a column. */
export function checkValue({ source, text }: ParsedArgs<'uploads:check-value'>): { problem: string | null } {
  if (source !== 'intent' || text === null || ['refund', 'voucher', 'delivery', 'return'].includes(text))
    return { problem: null };
  return {
    problem: `${source}: The replacement “${text}” cannot be sent. Not one of the model’s categories.`,
  };
}

const EMPTY: ValueLedger = { changes: [], leftOut: [], decisions: [] };
export const LEDGER: ValueLedger = {
  changes: [
    {
      ...{ rule: 'trimmed', source: 'question', count: 18 },
      examples: [{ line: 7, before: ' Where is it?', after: 'Where is it?' }],
    },
    {
      ...{ rule: 'utc', source: 'order', count: 1_231 },
      examples: [{ line: 2, before: '2026-01-31 10:00:00', after: '2026-01-31 10:00:00' }],
    },
    { rule: 'null-word', source: 'cost_usd', count: 43, examples: [{ line: 11, before: 'NA', after: null }] },
  ],
  leftOut: [
    { kind: 'column', name: 'answer', count: 1_243, reason: 'the model has no such column', line: null },
    { kind: 'key', name: 'note', count: 600, reason: 'it first comes up in line 641', line: 641 },
  ],
  decisions: [{ source: 'order', words: 'the day comes first (31/01/2026 in line 3)' }],
};
const read = (before: string, point: string | null, comma: string | null) => ({ before, point, comma });
const TWO_WAYS = [
  read('1,234', '1234', '1.234'),
  read('12,500', '12500', '12.500'),
  read('0.250', '0.250', null),
];
export const COST_QUESTION: ColumnQuestion = {
  ...{ source: 'cost_usd', kind: 'decimal', reason: 'No value has both signs.' },
  readings: (['point', 'comma'] as const).map((id) => ({
    id,
    examples: TWO_WAYS.map((each, at) => ({ line: at + 2, before: each.before, after: each[id] })),
  })),
};

/** Returns the last check in its current state. */
export function recheck(): DryRun {
  if (lastRun === null) throw new Error('Nothing was checked.');
  return { ...lastRun, sentBefore: sentBefore() };
}

/** Checks a file at once. */
export function dryRun(plan: UploadPlan): DryRun {
  lastRun = run(plan);
  return lastRun;
}

function run({ columns, repairs = [], replacements = [], cellEdits, takesNewKeys }: UploadPlan): DryRun {
  last = { repairs, replacements, cellEdits };
  runs += 1;
  const problems = groups().map((each) => {
    const { source, problem, rows, examples } = each;
    if (repairs.some((repair) => repair.source === source && repair.problem === problem))
      return { ...each, repaired: rows };
    const repaired = examples
      .filter(({ before }) => replacements.some((one) => one.source === source && one.value === before))
      .reduce((sum, example) => sum + example.rows, 0);
    const edited = (cellEdits?.cells ?? []).filter((cell) =>
      each.places.some((at) => cell.source === source && at.byteOffset === cell.byteOffset),
    );
    return { ...each, repaired: repaired + edited.length };
  });
  const left = (isSent: boolean) =>
    problems
      .filter((each) => each.isSent === isSent)
      .reduce((sum, { rows, repaired }) => sum + rows - repaired, 0);
  const repairedRows = problems.reduce((sum, { repaired }) => sum + repaired, 0);
  const lacksId =
    scenario.hasUnusual !== 'alone' && cellEdits?.cells.every(({ source }) => source !== 'id') !== false;
  return {
    ...{ dryRunId: `dry-run-${runs}`, phase: 'done', readBytes: 812_000, sizeBytes: 812_000, rows: 1_243 },
    ...{
      badRows: left(false),
      batches: 3,
      firstBad: lacksId
        ? [{ ...place(60), column: 'id', value: null, reason: 'Expected an event id, got no value.' }]
        : [],
      modelColumns: { filled: 5, total: 7 },
      error: null,
      sendMs: 4_000,
    },
    notes: ['No receipt kept on this computer names 2 of 1,243 event ids: “q-9” (line 9), “q-12” (line 12).'],
    ...{ problems, unusualRows: left(true), repairedRows, sha256: SHA },
    sentBefore: sentBefore(),
    ledger: scenario.hasUnusual === 'alone' ? EMPTY : LEDGER,
    otherReading:
      scenario.hasQuestions === true ? { quote: "'", escape: null, rows: 9, of: 12, line: 641 } : null,
    proposed:
      scenario.hasQuestions === true && takesNewKeys !== true
        ? [{ source: 'note', target: 'note', type: 'str' }]
        : [],
    questions:
      scenario.hasQuestions === true && columns.every(({ reading }) => reading?.decimal === undefined)
        ? [COST_QUESTION]
        : [],
  };
}

/** Profile of all rows of the file: costs are whole numbers up to a certain row. */
export function wholeFile(): FileProfile {
  const both = (count: number) => ({ total: count, count });
  const none = { absent: both(0), nulls: both(0), empty: both(0), others: both(0), bars: [], tops: [] };
  const top = (field: string, counts: Readonly<Record<string, number>>): ColumnProfile => ({
    ...{ ...none, field, kind: 'text', rows: both(1_243), distinct: Object.keys(counts).length },
    tops: Object.entries(counts).map(([value, count]) => ({ value, ...both(count) })),
  });
  const bar = (from: number, count: number) => ({
    from,
    to: from + 0.001,
    includesTo: from === 0.003,
    ...both(count),
  });
  const costs: ColumnProfile = {
    ...{ ...none, field: 'cost_usd', kind: 'numeric-text', rows: both(1_243), distinct: 40, empty: both(43) },
    bars: [bar(0, 300), bar(0.001, 697), bar(0.002, 150), bar(0.003, 50), bar(0.009, 3)],
  };
  const change = { row: 812, line: 813, value: '0.0021', before: 'int', after: 'decimal' };
  return {
    ...{ rows: 1_243, badRows: 0, notes: [] },
    columns: [top('intent', { refund: 900, voucher: 343 }), costs],
    types: [
      { name: 'intent', type: 'str', changes: [] },
      { name: 'cost_usd', type: 'decimal', changes: [change] },
    ],
  };
}
