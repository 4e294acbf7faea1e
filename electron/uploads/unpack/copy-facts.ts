/** The facts stored next to a readable copy: how it is read, and which values making it changed. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { ledgerChange, type ValueLedger } from '../../shared/value-ledger.ts';

export const FACTS_FILE = 'facts.json';
/** In a folder of its own next to the facts, so that the text may have any name. */
export const TEXT_FOLDER = 'text';

/** `letter`: the letter of a sheet's column, whose name the reader of the copy adds. */
const copyChange = ledgerChange.extend({ letter: z.string().optional() });
export type CopyChange = z.infer<typeof copyChange>;

export const copyFacts = z.strictObject({
  notes: z.array(z.string()),
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  layout: z.enum(['typed-rows', 'sheet']).nullable(),
  changes: z.array(copyChange).default([]),
});
export type CopyFacts = z.infer<typeof copyFacts>;

/** Changes made by the copy at this path; empty if the file is not a copy. */
async function copyChanges(path: string): Promise<CopyChange[]> {
  const folder = dirname(path);
  if (basename(folder) !== TEXT_FOLDER) return [];
  const text = await readFile(join(dirname(folder), FACTS_FILE), 'utf8').catch(() => null);
  if (text === null) return [];
  const found = copyFacts.safeParse(JSON.parse(text));
  return found.success ? found.data.changes : [];
}

/** Adds the changes made by the copy to the ledger of a scan; columns that are not sent are ignored. */
export async function withCopyChanges(
  ledger: ValueLedger,
  path: string,
  columns: readonly { source: string; isSent: boolean }[],
): Promise<ValueLedger> {
  const changes = await copyChanges(path);
  return changes.length === 0 ? ledger : mergeChanges(ledger, changes, columns);
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
