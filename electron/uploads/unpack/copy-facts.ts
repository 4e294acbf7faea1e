/** What stands beside a readable copy: how it is read, and what making it changed of values. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { ledgerChange, type ValueLedger } from '../../shared/value-ledger.ts';

export const FACTS_FILE = 'facts.json';
/** Beside the facts, so that a file may have any name. */
export const TEXT_FOLDER = 'text';

/** `letter`: of a column of a sheet, whose name is told by whoever reads the copy. */
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

/** What making the copy at this path changed; none for a file that is no copy. */
async function copyChanges(path: string): Promise<CopyChange[]> {
  const folder = dirname(path);
  if (basename(folder) !== TEXT_FOLDER) return [];
  const text = await readFile(join(dirname(folder), FACTS_FILE), 'utf8').catch(() => null);
  if (text === null) return [];
  const found = copyFacts.safeParse(JSON.parse(text));
  return found.success ? found.data.changes : [];
}

/** The ledger of a reading, with what making the copy changed before it; columns that are not sent count for nothing. */
export async function withCopyChanges(
  ledger: ValueLedger,
  path: string,
  columns: readonly { source: string; isSent: boolean }[],
): Promise<ValueLedger> {
  const changes = await copyChanges(path);
  return changes.length === 0 ? ledger : mergeChanges(ledger, changes, columns);
}

/** Pure. */
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
