/**
 * Figures of the experiments in a list are read only for visible rows, one after another, and again after a refresh.
 */
import { expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { StoredFigures } from '../../renderer/state/stored-figures.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

function rig(answer: (id: string) => { isComplete: boolean; items: number } | AppError) {
  const asked: string[] = [];
  const reads = { now: 0, most: 0 };
  const main = numberedClient(async (_, args) => {
    const { runs } = args as { runs: { id: string }[] };
    const id = runs[0]?.id ?? '';
    asked.push(id);
    reads.now += 1;
    reads.most = Math.max(reads.most, reads.now);
    await Promise.resolve();
    reads.now -= 1;
    const run = answer(id);
    if (run instanceof AppError) throw run;
    const figures = { after: { value: 0.5, interval: [0.4, 0.6] } };
    return { runs: [run], scores: [{ name: 'tone', evaluators: ['Tone'], runs: [{ figures }] }] };
  });
  return { figures: new StoredFigures('c', main.client), asked, reads };
}
const WHOLE = { isComplete: true, items: 5 };

test('rows that are visible are read once, one after another; one that is visible no longer is not', async () => {
  const { figures, asked, reads } = rig(() => WHOLE);
  const ends = ['a', 'b', 'c'].map((id) => figures.show(id));
  ends[1]?.();
  await expect.poll(() => figures.of('c', 'Tone', 'tone')?.after.interval).toEqual([0.4, 0.6]);
  figures.show('a');
  expect([asked, reads.most]).toEqual([['a', 'c'], 1]);
  expect(figures.of('a', 'Another', 'tone')).toBeNull();
  expect(figures.of('a', '', 'tone')).not.toBeNull();
});

test('results that are not all stored give none, and those that arrived later do after a refresh', async () => {
  let run: { isComplete: boolean; items: number } | AppError = { isComplete: false, items: 3 };
  const { figures, asked } = rig(() => run);
  figures.show('a');
  await expect.poll(() => asked).toEqual(['a']);
  await figures.refresh();
  expect(figures.of('a', 'Tone', 'tone')).toBeNull();
  run = new AppError('INTERNAL', 'The file is damaged.');
  await figures.refresh();
  expect(figures.problemOf('a')).toBe('The file is damaged.');
  run = WHOLE;
  await figures.refresh();
  expect([figures.problemOf('a'), figures.of('a', 'Tone', 'tone')?.after.value]).toEqual(['', 0.5]);
});
