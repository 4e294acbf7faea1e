/** Access keys of a user, and the users of an organization (SERVICE.md F13). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, nothing, read, write } from './row.ts';

/** At least one field is required. */
export const updateKeyBody = z.looseObject({
  name: z
    .string()
    .regex(/^\s*[A-Za-z][A-Za-z0-9_ -]{0,127}\s*$/, 'expected 1 to 128 letters, digits, _, - and spaces')
    .optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

export const accessEndpoints = {
  'access-keys.list': list({
    path: '/v3/user-access-keys',
    title: 'Access keys',
    help: 'Your own access keys, without their secrets.',
    section: 'F13',
    errors: [400, 401, 403, 500],
    query: { ordering: 'text' },
    item: records.accessKey,
    identity: 'key_id',
    // The start page makes this request without being asked, and a service may answer 401 only because it manages keys
    // differently.
    canRefuseToken: false,
  }),
  'access-keys.get': read({
    path: '/v3/user-access-keys/{key_id}',
    title: 'Access key',
    help: 'One of your own access keys, without its secret.',
    section: 'F13',
    errors: [401, 403, 404, 500],
    item: records.accessKey,
    identity: 'key_id',
  }),
  'access-keys.update': write({
    method: 'PATCH',
    path: '/v3/user-access-keys/{key_id}',
    title: 'Change an access key',
    help: 'Changes the name of an access key, or the time when it expires.',
    section: 'F13',
    errors: [400, 401, 403, 404, 500],
    body: updateKeyBody,
    item: records.accessKey,
    identity: 'key_id',
    isRepeatSafe: true,
  }),
  'access-keys.delete': write({
    method: 'DELETE',
    path: '/v3/user-access-keys/{key_id}',
    title: 'Delete an access key',
    help: 'Deletes an access key at once; programs that use it are refused.',
    section: 'F13',
    errors: [401, 403, 404, 500],
    successStatus: 204,
    answer: 'empty',
    body: null,
    item: nothing,
    identity: null,
    isRepeatSafe: true,
  }),
  'users.list': list({
    path: '/v3/users',
    title: 'Users',
    help: 'The users of the organization, with their roles.',
    section: 'F13',
    errors: [400, 401, 403, 500],
    query: {},
    item: records.user,
  }),
} satisfies Record<string, Endpoint>;
