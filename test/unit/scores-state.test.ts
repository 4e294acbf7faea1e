/** Score runs that main tells of while an answer is on its way: what was told since holds. */
import { beforeEach, expect, test } from 'vitest';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { DatasetScores } from '../../renderer/state/scores.svelte.ts';

let answers: Record<string, PromiseWithResolvers<unknown>>;
let tell: (run: ScoreRun) => void;
const client = {
  invoke: (channel: string) => answers[channel]?.promise ?? Promise.resolve([]),
  on: (_channel: string, listener: (payload: unknown) => void) => {
    tell = (run) => listener({ connectionId: 'c', run });
    return () => undefined;
  },
} as never;
const run = (runId: string, state: ScoreRun['state']): ScoreRun =>
  ({ runId, state, plan: { datasetId: 'd' } }) as ScoreRun;

beforeEach(() => {
  answers = { 'scores:list': Promise.withResolvers(), 'scores:start': Promise.withResolvers() };
});

test('a run that was done before its start was answered is done', async () => {
  const scores = new DatasetScores('c', 'd', client);
  answers['scores:list']?.resolve([]);
  await scores.open();
  const started = scores.start({ datasetId: 'd' } as never, {} as never);
  tell(run('r', 'done'));
  answers['scores:start']?.resolve(run('r', 'reading'));
  await started;
  expect(scores.runs).toEqual([run('r', 'done')]);
  scores.dispose();
});

test('a list that was read before a run changed does not take the change back', async () => {
  const scores = new DatasetScores('c', 'd', client);
  const opened = scores.open();
  tell(run('r', 'done'));
  answers['scores:list']?.resolve([run('r', 'running'), run('q', 'done')]);
  await opened;
  expect(scores.runs).toEqual([run('r', 'done'), run('q', 'done')]);
  scores.dispose();
});
