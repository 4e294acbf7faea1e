/** Access keys and users. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { type Case, field, type World } from './world.ts';

const plain: Case = { success: () => ({}) };

async function keyNamed(world: World, name: string) {
  const items = await world.items('access-keys.list', {});
  const found = items.find((item) => field(item, 'name') === name);
  return { parameters: { key_id: String(field(found, 'key_id')) } };
}
const ofExport = (world: World) => keyNamed(world, 'Nightly export');
const UNKNOWN_KEY = { parameters: { key_id: 'fkh_000000000000' } };

export const ACCESS_CASES = {
  'access-keys.list': plain,
  'access-keys.get': { success: ofExport },
  'access-keys.update': {
    success: async (world) => ({ ...(await ofExport(world)), body: { expires_at: '2199-01-01T00:00:00Z' } }),
    errors: {
      400: async (world) => ({ ...(await ofExport(world)), body: { expires_at: '2001-01-01T00:00:00Z' } }),
      404: () => ({ ...UNKNOWN_KEY, body: { name: 'Nobody' } }),
    },
  },
  'access-keys.delete': {
    // The first key that remains, as no operation creates a new one.
    success: async (world) => {
      const items = await world.items('access-keys.list', {});
      const found = items.find(
        (item) => !['Workbench', 'Nightly export'].includes(String(field(item, 'name'))),
      );
      return { parameters: { key_id: String(field(found, 'key_id')) } };
    },
    errors: { 404: () => UNKNOWN_KEY },
  },
  'users.list': plain,
} satisfies Partial<Record<OperationId, Case>>;
