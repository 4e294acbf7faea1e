/** Access keys and users (SERVICE.md F13). */
import { listAnswer } from '../lists.ts';
import { CALLER, ORGANIZATION, sentFields } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, notFound, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';

const MAX_KEYS = 5;

/** The keys of the caller, beginning with the key of the token in use. */
function keysOf({ keys, stores }: Service, token: string): JsonRecord[] {
  const own = keys.of(token, { user: CALLER, organization: ORGANIZATION });
  return [...(own === null ? [] : [own]), ...stores.resources.list('access-key')];
}

/** Throws a 404, also for the key of another user. */
function requireKey(service: Service, token: string, keyId: string): JsonRecord {
  const found = keysOf(service, token).find((record) => record['key_id'] === keyId);
  if (found === undefined) throw notFound('Access key', keyId);
  return found;
}

export const accessHandlers = {
  'access-keys.list': (service, request) => {
    const answer = listAnswer(keysOf(service, request.token), request);
    return answer.kind === 'page' ? { ...answer, also: { max_access_keys_per_user: MAX_KEYS } } : answer;
  },

  'access-keys.get': (service, request) => ({
    kind: 'record',
    data: requireKey(service, request.token, request.path('key_id')),
  }),

  'access-keys.update': (service, request) => {
    const { token, body } = request;
    const keyId = request.path('key_id');
    const record = requireKey(service, token, keyId);
    const { name, expires_at: expiresAt } = sentFields(body);
    if (name === undefined && expiresAt === undefined) throw malformed('Send name or expires_at.');
    const nowMs = service.clock.nowMs();
    if (expiresAt !== undefined && !(Date.parse(String(expiresAt)) > nowMs))
      throw malformed('expires_at must lie in the future.');
    const isTaken = (other: JsonRecord) => other['key_id'] !== keyId && other['name'] === String(name).trim();
    if (name !== undefined && keysOf(service, token).some(isTaken))
      throw new ServiceError(400, `You have a key named "${String(name).trim()}" already.`);
    const changed = {
      ...record,
      ...(name === undefined ? {} : { name: String(name).trim() }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      updated_at: new Date(nowMs).toISOString(),
    };
    if (service.keys.tokenOf(keyId) === token) service.keys.set(token, changed);
    else service.stores.resources.replace('access-key', keyId, changed);
    return { kind: 'record', data: changed };
  },

  'access-keys.delete': (service, request) => {
    const { token } = request;
    const keyId = request.path('key_id');
    requireKey(service, token, keyId);
    if (service.keys.tokenOf(keyId) === token) service.keys.set(token, null);
    else service.stores.resources.remove('access-key', keyId);
    return { kind: 'empty' };
  },

  'users.list': ({ stores }, request) => listAnswer(stores.resources.list('user'), request),
} satisfies Pick<
  Handlers,
  'access-keys.list' | 'access-keys.get' | 'access-keys.update' | 'access-keys.delete' | 'users.list'
>;
