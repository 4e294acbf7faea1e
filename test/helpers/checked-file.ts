/** A file as the check of an upload reads it, and the events that the upload would send. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { ColumnReading } from '../../electron/shared/column-reading.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { parseExactObject } from '../../electron/shared/exact-json.ts';
import { readModelFacts } from '../../electron/shared/upload-columns.ts';
import type {
  BadRow,
  CellEdits,
  Repair,
  Replacement,
  UploadPlan,
} from '../../electron/shared/upload-model.ts';
import { openSource } from '../../electron/uploads/readers/open-source.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { EventReader } from '../../electron/uploads/validate/event-reader.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';

interface CheckOptions {
  /** Columns of the model with their types, and its time column. */
  model?: {
    columns: Readonly<Record<string, string>>;
    id?: string;
    time?: string;
    categories?: Readonly<Record<string, readonly (string | number)[]>>;
  };
  readings?: Readonly<Record<string, ColumnReading>>;
  repairs?: Repair[];
  replacements?: Replacement[];
  /** Edited cells. */
  cells?: CellEdits['cells'];
  dialect?: Partial<Dialect>;
  takesNewKeys?: boolean;
  /** The current time. If it is absent, it is not used for years of two digits. */
  nowMs?: number;
}

/**
 * Writes `content` to `path`, makes a plan as the command line does, checks the file, and returns what would be sent.
 */
export async function checkedFile(path: string, content: string | Buffer, options: CheckOptions = {}) {
  writeFileSync(path, content);
  const { dialect, columns } = await inspectFile({
    ...{ path, fileId: 'file', override: options.dialect ?? null, seed: 0.5 },
  });
  const { model } = options;
  const at = options.nowMs === undefined ? {} : { nowMs: options.nowMs };
  const schema = Object.entries(model?.columns ?? {}).map(([name, data_type]) => ({
    ...{ name, data_type, categories: model?.categories?.[name] },
  }));
  const facts =
    model === undefined
      ? null
      : readModelFacts({ schema: { columns: schema }, event_id_col: model.id, event_ts_col: model.time });
  const plan: UploadPlan = {
    ...{ fileId: 'file', dialect, modelId: '11111111-1111-4111-8111-111111111111', modelName: 'model' },
    columns: planColumns(columns, schema).map((column) => {
      const reading = options.readings?.[column.source];
      return reading === undefined ? column : { ...column, reading };
    }),
    ...(options.repairs === undefined ? {} : { repairs: options.repairs }),
    ...(options.replacements === undefined ? {} : { replacements: options.replacements }),
    ...(options.cells === undefined
      ? {}
      : { cellEdits: { sha256: createHash('sha256').update(content).digest('hex'), cells: options.cells } }),
    takesNewKeys: options.takesNewKeys ?? true,
    ...{ envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 1_000, maxBatchBytes: 8_000_000 },
    onBadRow: 'skip',
  };
  let bad: BadRow[] = [];
  let passes = 1;
  const checked = await scanFile({ path, plan, model: facts, ...at }, async ({ newBadRows, isAgain }) => {
    if (isAgain) {
      bad = [];
      passes += 1;
    }
    bad.push(...newBadRows);
  });
  const source = await openSource(path, dialect);
  const events: Record<string, unknown>[] = [];
  try {
    const sent = { ...plan, columns: checked.columns };
    const start = source.dataStart;
    const reader = new EventReader(source, {
      path,
      plan: sent,
      model: facts,
      start,
      onBytes: () => undefined,
    });
    while ((await reader.next()) !== null)
      for (let at = 0; at < reader.events.count; at += 1)
        events.push(parseExactObject(reader.events.jsonOf(at, at + 1).toString()));
  } finally {
    await source.close();
  }
  return { ...checked, bad, passes, events };
}
