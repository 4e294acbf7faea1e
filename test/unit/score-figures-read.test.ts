/**
 * Figures of score runs in the list of runs are read once for each count, one run at a time, and again after a failure.
 */
import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { JobsState } from '../../renderer/state/jobs.svelte.ts';
import { DatasetScores } from '../../renderer/state/scores.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const runOf = (runId: string, state: ScoreRun['state'], scored: number) =>
  ({
    ...{ runId, state, plan: { datasetId: 'd' } },
    counts: { items: 1_000, scored, failed: 0, skipped: 0, unscored: 1_000 - scored },
  }) as unknown as ScoreRun;

let share: number;
let names: string[];
let isFailing: boolean;
let reads: { now: number; most: number; all: number };
let scores: DatasetScores;

beforeEach(() => {
  [share, names, isFailing] = [0, ['is_concise'], false];
  reads = { now: 0, most: 0, all: 0 };
  const main = numberedClient(async (channel) => {
    if (channel !== 'runs:compare') return { jobs: [], total: 0, failures: [] };
    reads.all += 1;
    reads.now += 1;
    reads.most = Math.max(reads.most, reads.now);
    await Promise.resolve();
    reads.now -= 1;
    if (isFailing) throw new AppError('INTERNAL', 'The file is damaged.');
    return { scores: names.map((key) => ({ key, runs: [{ figures: { after: { value: share } } }] })) };
  });
  scores = new DatasetScores('c', 'd', new JobsState(main.client), main.client);
});

const shareOf = (run: ScoreRun) => scores.figuresOf(run)?.figures?.after.value;

test('a run has no figures while it is scoring, and figures of all its items at its end', async () => {
  share = 1;
  await scores.readFigures([runOf('a', 'running', 1)]);
  expect([shareOf(runOf('a', 'running', 1)), shareOf(runOf('a', 'running', 900))]).toEqual([
    undefined,
    undefined,
  ]);
  share = 0.6;
  await scores.readFigures([runOf('a', 'done', 990)]);
  expect(shareOf(runOf('a', 'done', 990))).toBe(0.6);
  // The failed items of the run are scored again.
  expect(shareOf(runOf('a', 'running', 990))).toBeUndefined();
  share = 0.7;
  await scores.readFigures([runOf('a', 'done', 1_000)]);
  expect(shareOf(runOf('a', 'done', 1_000))).toBe(0.7);
  await scores.readFigures([runOf('a', 'done', 1_000)]);
  expect(reads.all).toBe(2);
});

test('figures that could not be read are read again', async () => {
  isFailing = true;
  await scores.readFigures([runOf('a', 'done', 5), runOf('b', 'done', 5)]);
  expect([scores.error?.message, reads.all]).toEqual(['The file is damaged.', 2]);
  [isFailing, share] = [false, 0.5];
  await scores.readFigures([runOf('a', 'done', 5), runOf('b', 'done', 5)]);
  expect([shareOf(runOf('a', 'done', 5)), shareOf(runOf('b', 'done', 5))]).toEqual([0.5, 0.5]);
});

test('a hundred runs are read one by one, each once, however often they are asked for', async () => {
  const runs = Array.from({ length: 100 }, (_, at) => runOf(`r${at}`, 'done', 5));
  await Promise.all([scores.readFigures(runs), scores.readFigures(runs), scores.readFigures(runs)]);
  expect(reads).toEqual({ now: 0, most: 1, all: 100 });
});

test('the score is named if the run has several', async () => {
  await scores.readFigures([runOf('a', 'done', 5)]);
  expect(scores.figuresOf(runOf('a', 'done', 5))?.name).toBeNull();
  names = ['is_concise', 'words'];
  await scores.readFigures([runOf('a', 'done', 6)]);
  expect(scores.figuresOf(runOf('a', 'done', 6))?.name).toBe('is_concise');
});
