/** Work that is in progress when its connection is closed counts as cancelled, and not as a fault of the program. */
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { toAppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';

test('an access to a closed store is a cancelled action', () => {
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
