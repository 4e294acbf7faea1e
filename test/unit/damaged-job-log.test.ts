/** A job whose row is damaged is reported in the log once, although the window looks for abandoned jobs all the time. */
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openUploadStore } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { none } from '../helpers/jobs-kind.ts';
import { madeUpClient } from '../helpers/made-up-client.ts';
import { openFiles } from '../helpers/open-files.ts';
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
  const uploads = createUploads({
    connectionId: 'c',
    store,
    client: madeUpClient({ call: none, list: none, rows: none }),
    clock,
    random: systemRandom,
    logger: { ...silentLogger, error },
    files: openFiles(folder.path),
    spoolFolder: folder.file('copies'),
    plan: () => null,
    followJob: () => () => undefined,
    readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
    onJobChanged: () => undefined,
    onDryRunChanged: () => undefined,
    onDeletionChanged: () => undefined,
    onWholeFileChanged: () => undefined,
    blockingError: () => null,
    options: { processId: 1, isProcessAlive: () => true },
  });
  uploads.recover({ continues: true });
  for (let at = 0; at < LOOKS; at += 1) clock.advance(LOOK_EVERY_MS);
  expect(logged).toEqual([expect.objectContaining({ message: 'job not recovered', id: 'damaged' })]);
  await uploads.stop(0);
  store.close();
});
