/** A job with a damaged row is logged only once, although the window checks for abandoned jobs all the time. */
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { bareUploads } from '../helpers/bare-uploads.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const LOOKS = 20;
const LOOK_EVERY_MS = 15_000;

test('a damaged row is logged once', async () => {
  const folder = new DataFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const clock = new VirtualClock();
  const file = folder.file('uploads.db');
  const store = openUploadStore({ file, clock, logger: silentLogger });
  const row = new BetterSqlite(file);
  row.exec(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, revision, is_hidden, created_at_ms)
     VALUES ('damaged', 'upload', 'a.csv', 'no JSON', '{}', 'running', '', 0, 0, 1)`,
  );
  row.close();
  const logged: unknown[] = [];
  const error = (message: string, about?: object) => logged.push({ message, ...about });
  const uploads = bareUploads({
    ...{ folder, store, clock, isProcessAlive: () => true },
    error,
  });
  uploads.recover({ continues: true });
  for (let at = 0; at < LOOKS; at += 1) clock.advance(LOOK_EVERY_MS);
  expect(logged).toEqual([expect.objectContaining({ message: 'job not recovered', id: 'damaged' })]);
  await uploads.stop(0);
  store.close();
});
