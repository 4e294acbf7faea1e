/** Two connections lead to the same service with the same token. */
import { expect, test } from 'vitest';
import { APPLICATIONS, applicationAnswers, draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';

const currentRig = engineRig();

test('a read of one connection does not end with the session of another one', async () => {
  const rig = currentRig();
  const one = await rig.readOnce();
  const other = await rig.engine.connections.save(
    { ...draft(rig.server.baseUrl), name: 'Read only' },
    ENGINE_TOKEN,
  );
  const held: (() => void)[] = [];
  rig.server.answer((request, response) => {
    if (request.url.startsWith('/v3/server-info')) applicationAnswers(request, response);
    else held.push(() => applicationAnswers(request, response));
  });
  const [first, second] = [await rig.engine.session(one.id), await rig.engine.session(other.id)];
  const asked = { viewId: 'view', query: APPLICATIONS, refresh: 'always' as const };
  await first.library.openList(asked);
  await expect.poll(() => held.length).toBe(1);
  await second.library.openList(asked);
  await expect.poll(() => held.length).toBe(2);
  await rig.engine.closeSession(one.id);
  for (const answer of held) answer();
  const rows = () => second.library.storedLists().map(({ shown }) => shown.rowCount);
  await expect.poll(rows).toEqual([1]);
  await expect.poll(() => second.network.state().state).toBe('online');
});
