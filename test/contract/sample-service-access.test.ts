/** Access keys and users of the sample service; by raw HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TOKEN } from '../helpers/sample-service.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { field, list, World } from './sample-service-cases/world.ts';

const NOW_MS = Date.UTC(2025, 10, 3, 9, 0, 0);
const DAY_MS = 86_400_000;
const clock = new VirtualClock(NOW_MS);
let world: World;
beforeAll(async () => {
  world = await World.start({ clock, settings: { tokenDays: 6 } });
});
afterAll(() => world.stop());

const ownKey = async () => {
  const items = await world.items('access-keys.list', {});
  return items.find((item) => TOKEN.endsWith(String(field(item, 'key_suffix'))));
};

it('lists the keys without a secret, the one of the token among them, and how many a user may have', async () => {
  const { json, text } = await world.send('access-keys.list', {});
  expect(field(json, 'data.max_access_keys_per_user')).toBe(5);
  expect(await ownKey()).toMatchObject({
    key_id: expect.stringMatching(/^[a-z0-9]+_[A-Za-z0-9_-]+$/),
    expires_at: new Date(NOW_MS + 6 * DAY_MS).toISOString(),
  });
  expect(text).not.toContain(TOKEN);
  for (const item of list(field(json, 'data.items'))) {
    expect(String(field(item, 'key_id')).length).toBeLessThanOrEqual(16);
    expect(Object.keys(Object(item))).not.toContain('secret');
  }
});

it('orders keys, and refuses an order by a field that they lack', async () => {
  const items = await world.items('access-keys.list', { query: '?ordering=expires_at' });
  const ends = items.map((item) => String(field(item, 'expires_at')));
  expect(ends).toEqual([...ends].toSorted());
  expect((await world.send('access-keys.list', { query: '?ordering=colour' })).status).toBe(400);
});

it('changes name and end of a key, and refuses a name in use, a bad name, a past time and an empty body', async () => {
  const parameters = { key_id: String(field(await ownKey(), 'key_id')) };
  const change = (body: unknown) => world.send('access-keys.update', { parameters, body });
  const { json } = await change({ name: ' My laptop ' });
  expect(field(json, 'data.name')).toBe('My laptop');
  for (const body of [{ name: 'Old laptop' }, { name: '1' }, { expires_at: '2001-01-01T00:00:00Z' }, {}])
    expect((await change(body)).status, JSON.stringify(body)).toBe(400);
  expect(await ownKey()).toMatchObject({ name: 'My laptop' });
});

it('lists users with their roles, and takes only a page', async () => {
  const { json } = await world.send('users.list', { query: '?limit=2&offset=1' });
  expect(field(json, 'data.total')).toBeGreaterThan(2);
  expect(list(field(json, 'data.items'))).toEqual([
    expect.objectContaining({ first_name: 'Ana', org: expect.objectContaining({ role: 'ADMIN' }) }),
    expect.objectContaining({ email: expect.stringContaining('@') }),
  ]);
});

it('refuses a token whose key has expired, and one whose key was deleted', async () => {
  await ownKey();
  clock.advance(7 * DAY_MS);
  const expired = await world.send('server-info.get', {});
  expect(expired.status).toBe(401);
  expect(field(expired.json, 'error.message')).toContain('expired');

  const other = await World.start();
  try {
    const items = await other.items('access-keys.list', {});
    const own = items.find((item) => TOKEN.endsWith(String(field(item, 'key_suffix'))));
    await other.done('access-keys.delete', { parameters: { key_id: String(field(own, 'key_id')) } });
    expect((await other.send('server-info.get', {})).status).toBe(401);
  } finally {
    await other.stop();
  }
});
