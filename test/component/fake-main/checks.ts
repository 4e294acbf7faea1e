/** A check of a made-up file that finds problems of three kinds, and a saved mapping of a file with other columns. */

import type { ColumnProfile } from '../../../electron/shared/analysis-model.ts';
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { FileProfile } from '../../../electron/shared/file-profile.ts';
import type { Preset } from '../../../electron/shared/preset-contract.ts';
import type { CheckedRow, DryRun, ProblemGroup, UploadPlan } from '../../../electron/shared/upload-model.ts';
import type { UploadPreset } from '../../../electron/shared/upload-preset.ts';
import { NOW, scenario, uuid } from './scenario.ts';

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

const place = (row: number) => ({ row, line: row + 1, byteOffset: row * 100 });

const group = (changes: Partial<ProblemGroup>): ProblemGroup => ({
  ...{ source: 'cost_usd', problem: 'decimal-comma', reason: 'Expected a number, got “83.807,86”.' },
  ...{ rows: 412, repaired: 0, isSent: false, options: ['decimal-comma', 'null'], proposed: 'decimal-comma' },
  note: '',
  ...{ places: [place(3), place(9)] },
  examples: [
    { row: 3, line: 4, before: '83.807,86', after: { 'decimal-comma': '83807.86', null: null } },
    { row: 9, line: 10, before: '0,0021', after: { 'decimal-comma': '0.0021', null: null } },
  ],
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
    examples: [{ row: 21, line: 22, before: 'Refnud', after: { spelling: 'refund', null: null } }],
  }),
  group({
    ...{ source: 'order', problem: 'day-first', reason: 'Expected a time, got “03/04/2026”.', rows: 12 },
    ...{ options: ['day-first', 'null'], proposed: null, places: [place(40)] },
    note: 'Day and month could be the other way round. Choose if the day comes first.',
    examples: [{ row: 40, line: 41, before: '03/04/2026', after: { 'day-first': '2026-04-03', null: null } }],
  }),
];

const BAD: Readonly<Record<string, string>> = {
  cost_usd: '83.807,86',
  intent: 'Refnud',
  order: '03/04/2026',
};
const names = ['question', 'answer', 'order', 'intent', 'cost_usd', 'id'];
let lastRepairs: UploadPlan['repairs'] = [];
let runs = 0;

/** A value that does not fit stands where its group says so; all others are plain. */
export function checkRows({ places }: ParsedArgs<'uploads:check-rows'>): CheckedRow[] {
  return places.map((asked): CheckedRow => {
    const found = GROUPS.filter((each) =>
      each.places.some(({ byteOffset }) => byteOffset === asked.byteOffset),
    );
    const sources = new Set(found.map(({ source }) => source));
    if (asked.row === 60) {
      const reason = 'Expected an event id, got no value.';
      const mark = { source: 'id', problem: null, reason, isRepaired: false, after: null };
      return {
        ...asked,
        cells: names.map((name) => (name === 'id' ? null : name)),
        marks: [mark],
        problem: null,
      };
    }
    return {
      ...asked,
      cells: names.map((name) => (sources.has(name) ? (BAD[name] ?? null) : `${name} ${asked.line}`)),
      marks: found.map(({ source, problem, reason, examples }) => {
        const kind = lastRepairs?.find((each) => each.source === source && each.problem === problem)?.kind;
        const after = kind === undefined ? null : (examples[0]?.after[kind] ?? null);
        return { source, problem, reason, isRepaired: kind !== undefined, after };
      }),
      problem: null,
    };
  });
}

/** Ended at once. */
export function dryRun({ repairs = [] }: UploadPlan): DryRun {
  lastRepairs = repairs;
  runs += 1;
  const problems = GROUPS.map((each) => ({
    ...each,
    repaired: repairs.some(({ source, problem }) => source === each.source && problem === each.problem)
      ? each.rows
      : 0,
  }));
  const repairedRows = problems.reduce((sum, { repaired }) => sum + repaired, 0);
  const badRows = problems.reduce((sum, { rows, repaired }) => sum + rows - repaired, 0);
  return {
    ...{ dryRunId: `dry-run-${runs}`, phase: 'done', readBytes: 812_000, sizeBytes: 812_000, rows: 1_243 },
    ...{
      badRows,
      batches: 3,
      firstBad: [{ ...place(60), column: 'id', value: null, reason: 'Expected an event id, got no value.' }],
      modelColumns: { filled: 5, total: 7 },
      error: null,
      sendMs: 4_000,
    },
    notes: ['No receipt kept on this computer names 2 of 1,243 event ids: “q-9” (line 9), “q-12” (line 12).'],
    ...{ problems, repairedRows },
  };
}

/** As every row of the file is: costs are whole numbers up to a row. */
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
