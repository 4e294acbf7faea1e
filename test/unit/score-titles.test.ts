/** Score runs that were stored with the name of their evaluator are listed with their own name. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { scoreTitles } from '../../electron/db/migrations/datasets/1090-score-titles.ts';

test('stored score runs with a name get it as their title, other jobs keep theirs', () => {
  const db = new BetterSqlite(':memory:');
  db.exec('CREATE TABLE job (kind TEXT, title TEXT, plan_json TEXT)');
  const insert = db.prepare('INSERT INTO job VALUES (?, ?, ?)');
  insert.run(
    'score',
    'toxicity',
    JSON.stringify({ plan: { evaluator: 'toxicity', name: 'Before the change' } }),
  );
  insert.run('score', 'toxicity', JSON.stringify({ plan: { evaluator: 'toxicity' } }));
  insert.run('score', 'damaged', '{"plan":{"name":"Cut');
  insert.run('build', 'Spans of May', JSON.stringify({ plan: { name: 'Another' } }));
  db.exec(scoreTitles.sql);
  const titles = db.prepare('SELECT title FROM job ORDER BY rowid').pluck().all();
  expect(titles).toEqual(['Before the change', 'toxicity', 'damaged', 'Spans of May']);
});
