/** What the session asks the thread of snapshots. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { SnapshotQuestion } from '../shared/snapshot-model.ts';

export type SnapshotRequest =
  | SnapshotQuestion
  | { action: 'take'; datasetId: string; generationId: number; rows: number; atMs: number }
  /** JSON Lines, for the owner only. */
  | { action: 'write'; snapshotId: number; path: string }
  | { action: 'close' };

/** A whole file or none. Answers how many lines. */
export function writeLines(path: string, lines: Iterable<string>): { rows: number } {
  const part = `${path}.part`;
  const file = openSync(part, 'w', 0o600);
  let rows = 0;
  try {
    try {
      for (const line of lines) {
        writeSync(file, `${line}\n`);
        rows += 1;
      }
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } catch (problem) {
    rmSync(part, { force: true });
    throw problem;
  }
  return { rows };
}
