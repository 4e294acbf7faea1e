/** The facts stored next to a readable copy: how it is read, and the values that were changed in it. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ledgerChange, ledgerOmission, type ValueLedger } from '../../shared/value-ledger.ts';
import * as z from '../../shared/zod.ts';

export const FACTS_FILE = 'facts.json';
/** Folder for the text, separate from the facts, so that the text file may have any name. */
export const TEXT_FOLDER = 'text';

/** `letter`: the letter of a sheet's column. The name of the column is added when the copy is read. */
const copyChange = ledgerChange.extend({ letter: z.string().optional() });
export type CopyChange = z.infer<typeof copyChange>;

export const copyFacts = z.strictObject({
  notes: z.array(z.string()),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  layout: z.enum(['typed-rows', 'sheet', 'table']).nullable(),
  changes: z.array(copyChange).default([]),
  leftOut: z.array(ledgerOmission).default([]),
});
export type CopyFacts = z.infer<typeof copyFacts>;

/** Changes and omissions of the copy at this path; null if the file is not a copy. */
async function copyLedger(path: string): Promise<Pick<CopyFacts, 'changes' | 'leftOut'> | null> {
  const folder = dirname(path);
  if (basename(folder) !== TEXT_FOLDER) return null;
  const text = await readFile(join(dirname(folder), FACTS_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  const found = copyFacts.safeParse(JSON.parse(text));
  return found.success ? found.data : null;
}

/**
 * Adds the changes and omissions of the copy to the ledger of a scan. Changes in columns that are not sent are ignored.
 */
export async function withCopyChanges(
  ledger: ValueLedger,
  path: string,
  columns: readonly { source: string; isSent: boolean }[],
): Promise<ValueLedger> {
  const copy = await copyLedger(path);
  if (copy === null) return ledger;
  const merged = copy.changes.length === 0 ? ledger : mergeChanges(ledger, copy.changes, columns);
  return { ...merged, leftOut: [...merged.leftOut, ...copy.leftOut] };
}

export function mergeChanges(
  ledger: ValueLedger,
  changes: readonly CopyChange[],
  columns: readonly { source: string; isSent: boolean }[],
): ValueLedger {
  const sent = new Map(columns.map(({ source, isSent }) => [source, isSent]));
  const before = changes
    .filter(({ source }) => sent.get(source) !== false)
    .map(({ letter, source, ...change }) => ({
      ...change,
      source: sent.has(source) || letter === undefined ? source : `Column ${letter}`,
    }));
  return { ...ledger, changes: [...before, ...ledger.changes] };
}
