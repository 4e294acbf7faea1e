/** `jobs` lists jobs of every kind. Single jobs are shown, moved, cancelled, resumed and removed. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAR, FAR_ISO, LaterRig, leave } from '../helpers/later-rig.ts';
import type { CliResult } from '../helpers/run-cli.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  const report = await rig.end();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const value = ({ stdout, stderr }: CliResult) => {
  if (stdout === '') throw new Error(`no answer: ${stderr}`);
  return JSON.parse(stdout);
};
const jobs = (...words: string[]) => rig.here(['jobs', ...words]);

async function plan(command: string[]): Promise<string> {
  const { stderr } = await rig.here([...command, ...FAR], leave);
  const [, id = ''] = /planned start (\S+)$/m.exec(stderr) ?? [];
  return id;
}

test('jobs of every kind are listed, shown, moved, cancelled and sent', async () => {
  expect(value(await jobs())).toMatchObject({ items: [], total: 0, complete: true });
  const upload = await plan(rig.upload());
  const scores = await plan(rig.scores());
  const { items } = value(await jobs());
  expect(items).toMatchObject([
    { id: scores, kind: 'scores', state: 'paused', startAt: FAR_ISO },
    { id: upload, kind: 'upload', state: 'ready', startAt: FAR_ISO, unknown: 0 },
  ]);
  expect(value(await jobs('show', upload.slice(0, 8)))).toMatchObject({ id: upload, own: { jobId: upload } });

  const moved = await jobs('start-at', upload, '--start-at', '2098-05-01 03:00');
  expect(value(moved)).toMatchObject({ id: upload, startAt: expect.stringMatching(/^2098-0/) });
  expect(value(await jobs('cancel', scores))).toMatchObject({ id: scores, state: 'paused', startAt: null });
  const twice = await jobs('cancel', scores);
  expect([twice.code, twice.stderr]).toEqual([expect.any(Number), expect.stringContaining('does not know')]);

  expect(await jobs('start', upload)).toMatchObject({ code: 0 });
  expect(value(await jobs('show', upload))).toMatchObject({ state: 'done', startAt: null });

  const kept = await jobs('forget', upload);
  expect(kept.stderr).toContain('Add --yes');
  expect(await jobs('forget', upload, '--yes')).toMatchObject({ code: 0 });
  expect(value(await jobs()).items).toMatchObject([{ id: scores }]);
});

test('unexpected input is rejected with one line', async () => {
  const deletion = await plan(rig.deletion());
  for (const [words, said] of [
    [['pauze', deletion], 'jobs expects show, start, pause'],
    [['pause'], 'jobs pause expects ID'],
    [['pause', deletion], 'does not know'],
    [['forget', deletion, '--yes'], 'cannot be forgotten'],
    [['decide', deletion, '0', 'stored'], 'the number of a batch or request'],
    [['decide', deletion, '1', 'stored'], 'Only uploads, builds and additions of items'],
    [['start-at', deletion], 'expects --start-at WHEN'],
    [['show', '00000000'], 'No job'],
  ] as const) {
    const { code, stderr } = await jobs(...words);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said)]);
  }
  expect(value(await jobs()).items).toMatchObject([{ id: deletion, startAt: FAR_ISO }]);
});
