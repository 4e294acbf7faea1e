/** Before an update is sent, its events without a receipt are reported. It is sent nevertheless. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

const MODEL = 'Card fraud';
let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  await rig.end();
});

function file(name: string, ids: readonly string[]): string {
  const rows = ids.map((id) => `${id},2025-01-01 00:00:00`);
  return rig.write(name, ['transaction_id,processed_at', ...rows].join('\n'));
}

test('ids without a receipt are counted and named, by the check and before the first request', async () => {
  const upload = (name: string, ids: readonly string[], ...more: string[]) =>
    rig.textHere(['upload', file(name, ids), '--model', MODEL, ...more]);
  expect((await upload('new.csv', ['k-1', 'k-2', 'k-3'])).code).toBe(0);

  const dry = await upload('changed.csv', ['k-1', 'x-1', 'k-2'], '--update', '--dry-run');
  expect(dry.stdout).toContain(
    'No receipt kept on this computer names 1 of 3 event ids: “x-1” (line 3). If these events were published elsewhere, send the update.',
  );
  expect(dry.code).toBe(0);
  expect(rig.sent('events.update')).toBe(0);

  const sent = await upload('changed.csv', ['k-1', 'x-1', 'k-2'], '--update');
  expect(sent.stderr).toContain('names 1 of 3 event ids');
  expect(rig.sent('events.update')).toBeGreaterThan(0);

  const known = await upload('known.csv', ['k-3'], '--update', '--dry-run');
  expect(known.stdout).toContain('Receipts kept on this computer name the event of every row (1 event id).');

  await rig.textHere(['delete-events', '--model', MODEL, '--ids', 'k-3', '--yes']);
  const deleted = await upload('known.csv', ['k-3'], '--update', '--dry-run');
  expect(deleted.stdout).toContain('names 1 of 1 event id:');
});
