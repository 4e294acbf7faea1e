/** Kinds of work share prepared statements for their tables, so that a connection opens faster. */
import { expect, test } from 'vitest';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { openStore } from '../../electron/db/open.ts';
import { createUploadStore } from '../../electron/db/upload-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

test('the statements for jobs and their parts are prepared once for all kinds of a store', () => {
  using folder = new DataFolder();
  const db = openStore({
    file: folder.file('uploads.db'),
    migrations: UPLOAD_MIGRATIONS,
    synchronous: 'FULL',
    clock: systemClock,
    logger: silentLogger,
  });
  const texts: string[] = [];
  const prepare = db.prepare.bind(db);
  const counting: typeof db.prepare = (text: string) => {
    texts.push(text);
    return prepare(text);
  };
  db.prepare = counting;
  const { close } = createUploadStore(db);
  const ofJobs = texts.filter((text) => /(?:FROM|INTO|UPDATE) (?:job|part)\b/.test(text));
  expect(ofJobs.length).toBeGreaterThan(20);
  expect(ofJobs.filter((text, at) => ofJobs.indexOf(text) < at)).toEqual([]);
  close();
});
