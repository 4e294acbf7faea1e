/** What is under way when its connection is closed says so, and not that the program has a fault. */
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { toAppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';

test('a store that was closed meanwhile is a cancelled act', () => {
  using folder = new DataFolder();
  const store = new BetterSqlite(join(folder.path, 'a.db'));
  const statement = store.prepare('SELECT 1');
  store.close();
  const thrown = () => {
    try {
      return store.prepare('SELECT 1');
    } catch (problem) {
      return problem;
    }
  };
  expect(toAppError(thrown())).toMatchObject({ code: 'CANCELLED' });
  expect(() => statement.get()).toThrow('The database connection is not open');
});
