/** Stores of uploads as a killed process leaves them: with changes in their write-ahead log. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { openStore } from '../../electron/db/open.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { DataFolder } from './data-folder.ts';
import { silentLogger as logger } from './virtual-world.ts';

export const open = (file: string) =>
  openStore({ file, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL', clock: systemClock, logger });

export const FRAME_BYTES = 24 + 4_096;
export const COMMITS = 10;
export const ENDS = ['', '-wal', '-shm'] as const;
export type Files = Map<(typeof ENDS)[number], Buffer>;

/** The files of a store with a job in its main file and one commit for each learned size in its log, as a kill leaves them. */
export function killed(folder: DataFolder, name: string, bytesACommit = 0): { file: string; files: Files } {
  const file = folder.file(name);
  const first = open(file);
  first.exec(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, revision, is_hidden, created_at_ms)
     VALUES ('${name}', 'upload', 'a.csv', '{}', '{}', 'running', '', 0, 0, 1)`,
  );
  first.close();
  const db = open(file);
  db.pragma('wal_autocheckpoint = 0');
  for (let at = 0; at < COMMITS; at += 1)
    db.exec(`INSERT INTO learned_size VALUES ('${name} ${at}${'x'.repeat(bytesACommit)}', 10, 1)`);
  const files: Files = new Map(ENDS.map((end) => [end, readFileSync(`${file}${end}`)]));
  db.close();
  return { file, files };
}

export function put(file: string, files: Files): void {
  for (const end of ENDS) {
    const content = files.get(end);
    if (content === undefined) rmSync(`${file}${end}`, { force: true });
    else writeFileSync(`${file}${end}`, content);
  }
}

export const sizesIn = (file: string): number => {
  const db = open(file);
  try {
    return Number(db.prepare('SELECT count(*) FROM learned_size').pluck().get());
  } finally {
    db.close();
  }
};
/** The files of a store as a kill at this moment leaves them. */
export const filesNow = (file: string): Files =>
  new Map(
    ENDS.filter((end) => existsSync(`${file}${end}`)).map((end) => [end, readFileSync(`${file}${end}`)]),
  );
