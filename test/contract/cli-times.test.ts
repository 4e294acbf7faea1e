/** All flags read times in the same way, in the zone of the settings, and the output names the range. */
import { expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-times');
const requests = (operation: OperationId) => rig.service.report().operations[operation]?.requests ?? 0;
const SPANS = ['spans', '--application', 'Support assistant', '--limit', '1'];

test('a day begins at midnight in the zone of the settings, and one note names the range', async () => {
  await rig.run('settings', 'set', 'timeZone', 'America/New_York');
  const asked = await rig.run(...SPANS, '--start', '2026-11-26', '--end', '2026-11-27 12:00');
  expect(asked.stderr).toBe(
    'Time range: from 26 Nov 2026 00:00 up to 27 Nov 2026 12:00 (America/New York).\n',
  );
  const views = await rig.answered('sql', '--views');
  const question = views.items.find((view: { question: object | null }) =>
    Object.hasOwn(view.question ?? {}, 'end_time'),
  );
  expect(question.question).toMatchObject({
    start_time: '2026-11-26T05:00:00Z',
    end_time: '2026-11-27T17:00:00Z',
  });
  // Deletions follow the same rule, in the form that their operation needs.
  const range = ['--start', '2026-11-26', '--end', '2026-11-27'];
  const deletion = await rig.run('delete-events', '--model', 'Card fraud', ...range);
  expect(deletion.stdout).toContain('Events from 2026-11-26 05:00:00 up to 2026-11-27 05:00:00');
  await rig.run('settings', 'reset', 'timeZone');
});

test('words and lengths are times too, and an exact range has no note', async () => {
  for (const range of [
    ['--since', 'yesterday'],
    ['--start', '7d', '--end', 'now'],
    ['--start', 'yesterday 06:00', '--end', 'today'],
  ]) {
    const { code, stderr } = await rig.run(...SPANS, ...range);
    expect({ range, code, error: stderr.includes('error') }).toEqual({ range, code: 0, error: false });
  }
  expect((await rig.run(...SPANS, '--since', '7d')).stderr).not.toContain('range');
  expect((await rig.run('search', 'refund', '--since', 'yesterday')).code).toBe(0);
});

test.each([
  [[...SPANS, '--start', '27.11.2026']],
  [[...SPANS, '--since', 'last week']],
  [['search', 'refund', '--since', 'last week']],
  [['ls', 'alert-rules.summary', '--start', 'monday', '--end', 'today']],
  [['delete-events', '--model', 'Card fraud', '--start', '1/2/2026', '--end', 'today']],
])('%j is refused here with examples', async (words) => {
  const { code, stderr } = await rig.run(...words);
  expect(stderr).toMatch(/^error INVALID_ARGUMENT: --(start|since) expects a time such as 2026-05-01, /m);
  expect(code).toBe(2);
  expect(requests('spans.query')).toBe(0);
});

test('a range that ends before it starts is refused without a request', async () => {
  const { code, stderr } = await rig.run(...SPANS, '--start', 'today', '--end', 'yesterday');
  expect(stderr).toMatch(/The start must be before the end, got today and yesterday\.$/m);
  expect(code).toBe(2);
});
