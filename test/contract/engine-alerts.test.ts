/**
 * New alerts of an open connection, with a real store and server. They are polled in the background, and reported once.
 */
import { expect, test } from 'vitest';
import { draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';
import { sendPage } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const HOUR = 3_600_000;
/** A minute takes a fifth of a second. If it took less, requests would time out on a busy computer. */
const HASTE = 300;

test('a rule that fires is reported once, even by a restarted engine, and can be read offline', async () => {
  const rig = currentRig();
  const hour = Math.floor(Date.now() / HOUR) * HOUR;
  let bin = hour - 2 * HOUR;
  rig.server.answer((request, response) =>
    sendPage(
      response,
      [
        {
          alert_rule_id: 'r1',
          name: 'Traffic drops',
          latest_alert_record_severity: 'CRITICAL',
          latest_alert_time_bucket: bin,
        },
      ],
      request,
    ),
  );
  rig.haste = HASTE;
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  const looks = () =>
    rig.server.received.filter(({ url }) => url.startsWith('/v3/alert-rules/summary')).length;
  const session = await rig.engine.session(id);
  await expect.poll(looks).toBe(1);
  await expect
    .poll(() => session.layout.read()['alerts'])
    .toEqual({ r1: { timeMs: bin, severity: 'critical' } });
  expect(rig.fired).toEqual([]);
  bin = hour - HOUR;
  rig.aheadMs += HOUR;
  await expect.poll(() => rig.fired.length).toBe(1);
  expect(rig.fired[0]).toMatchObject([{ ruleId: 'r1', name: 'Traffic drops', severity: 'critical' }]);
  await rig.engine.stop();

  const before = looks();
  rig.start();
  const again = await rig.engine.session(id);
  rig.aheadMs += HOUR;
  await expect.poll(looks).toBeGreaterThan(before);
  await expect
    .poll(
      () =>
        again.library.storedLists().find(({ query }) => query.operation === 'alert-rules.summary')?.shown
          .isComplete,
    )
    .toBe(true);
  expect(rig.fired).toHaveLength(1);
});
