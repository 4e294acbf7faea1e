/** The user is asked whether a comma or a point separates decimals, if the values of a column do not decide it. */
import { afterAll, expect, test } from 'vitest';
import { questionError } from '../../electron/shared/column-reading.ts';
import type { Repair } from '../../electron/shared/upload-model.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

const check = (values: readonly string[], repairs: Repair[] = []) =>
  checkedFile(folder.file('v.csv'), `id;v\n${values.map((text, at) => `${at};${text}\n`).join('')}`, {
    ...{ model: { columns: { id: 'int', v: 'float' } }, dialect: { delimiter: ';' }, repairs },
  });

test('values of both forms offer the repair that reads both', async () => {
  const mixed = ['12,50', '3.25'];
  const { questions } = await check(mixed);
  expect(questionError(questions).details.nextStep).toBe(
    'Say which with --decimal v=comma or --decimal v=point, or read both forms with --repair v=decimal-comma',
  );
  const kind = 'decimal-comma';
  const repaired = await check(mixed, [{ source: 'v', problem: kind, kind }]);
  expect(repaired.questions).toEqual([]);
  expect(repaired.events.map(({ v }) => v)).toEqual([12.5, 3.25]);
});

test('values that each reading takes offer no repair, which would not decide', async () => {
  const { questions } = await check(['1,234', '2,500']);
  expect(questionError(questions).details.nextStep).toBe(
    'Say which with --decimal v=comma or --decimal v=point',
  );
});
