/** A start reads only unfinished jobs, so it costs the same after years with many ended ones. */
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { bareUploads } from '../helpers/bare-uploads.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ENDED = 300;

/** An upload store with many ended jobs, a paused one, and an ended one that a process still holds. */
function storeOf(folder: DataFolder, clock: VirtualClock) {
  const file = folder.file('uploads.db');
  const store = openUploadStore({ file, clock, logger: silentLogger });
  const db = new BetterSqlite(file);
  const insert = db.prepare(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, revision, is_hidden, created_at_ms,
       ended_at_ms, lease_owner, lease_pid, lease_at_ms)
     VALUES (@id, @kind, 'a.csv', '{}', '{}', @state, '', 0, 0, 1, @ended, @owner, @pid, @at)`,
  );
  const free = { owner: null, pid: null, at: null };
  for (const kind of ['upload', 'file', 'deletion'])
    for (let at = 0; at < ENDED; at += 1)
      insert.run({ id: `${kind}-${at}`, kind, state: 'done', ended: 2, ...free });
  insert.run({ id: 'paused', kind: 'upload', state: 'paused', ended: null, ...free });
  insert.run({ id: 'held', kind: 'upload', state: 'done', ended: 2, owner: 'killed', pid: 2, at: 1 });
  db.close();
  return store;
}

test('a start reads no ended job, unless an ended process still holds it', async () => {
  const folder = new DataFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const clock = new VirtualClock();
  const store = storeOf(folder, clock);
  onTestFinished(() => store.close());
  const unreadable: unknown[] = [];
  const uploads = bareUploads({
    ...{ folder, store, clock, isProcessAlive: () => false },
    // No stored job has a plan here, so each job that is read is logged.
    error: (_message, about) => unreadable.push(about?.['id']),
  });
  await uploads.recover({ continues: true });
  expect(unreadable.toSorted()).toEqual(['held', 'paused']);
  await uploads.stop(0);
});
