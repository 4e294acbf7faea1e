/**
 * The application with an open connection. For each line of standard input it performs one action and prints the line.
 */
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { EngineRig } from './engine-rig.ts';

const values = givenOptions('folder', 'connection');
const folder = lastingFolder(values.folder);
const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
const stores = names.filter((name) => /(?<!in-use[\\/].*)\.db$/.test(name)).map((name) => folder.file(name));

const rig = await EngineRig.open(folder);
await rig.engine.session(values.connection);

const each = (act: (db: BetterSqlite.Database) => unknown) => {
  for (const file of stores) {
    const db = new BetterSqlite(file);
    act(db);
    db.close();
  }
};

const acts: Record<string, () => unknown> = {
  /** Commits a transaction to every store without changing its content. */
  write: () => each((db) => db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)),
  checkpoint: () => each((db) => db.pragma('wal_checkpoint(TRUNCATE)')),
  hide: () => rig.engine.saveSettings({ privateFields: 'customer' }),
  show: () => rig.engine.saveSettings({ privateFields: '' }),
  end: () => rig.engine.stop(),
};

say('open');
for await (const word of createInterface({ input: process.stdin })) {
  await acts[word]?.();
  say(word);
  if (word === 'end') process.exit(0);
}
