/** Access keys and users (SERVICE.md F13). */
import KeyRound from '@lucide/svelte/icons/key-round';
import Users from '@lucide/svelte/icons/users';
import { constantWords } from '../../../../electron/shared/constant-words.ts';
import { isObject, recordTitle, textField } from '../../../lib/records.ts';
import { CREATED, column, dayAndMinute, ID, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN } from '../known.ts';
import type { Resource } from '../types.ts';

type Row = Record<string, unknown>;

export const accessKeys: Resource = {
  id: 'access-keys',
  idField: 'key_id',
  title: 'Access keys',
  noun: 'access key',
  nouns: 'access keys',
  isOptional: true,
  icon: KeyRound,
  list: {
    operation: 'access-keys.list',
    emptyText: 'No access keys. They are made in the settings of the service.',
    takes: ['ordering'],
  },
  get: { operation: 'access-keys.get', param: 'key_id' },
  columns: [
    column('name', 'Name', 'text', 220, { startsPinned: true }),
    column('expires_at', 'Expires', 'time', 142, { write: dayAndMinute }),
    column('last_used_at', 'Last used', 'time', 142, { write: dayAndMinute }),
    column('key_suffix', 'Ends with', 'id', 100),
    { ...CREATED, startsHidden: false },
    { ...UPDATED, startsHidden: true },
    column('key_id', 'Id', 'id', 160, { startsHidden: true }),
  ],
  known: [
    NAME_KNOWN,
    ...known({
      expires_at: { label: 'Expires', kind: 'time' },
      last_used_at: { label: 'Last used', kind: 'time' },
      key_suffix: { label: 'Ends with', kind: 'text' },
      user: 'User',
      organization: 'Organization',
      created_at: 'Created',
      updated_at: 'Updated',
      key_id: { label: 'Id', kind: 'text' },
    }),
  ],
  filterFields: [],
  update: {
    operation: 'access-keys.update',
    param: 'key_id',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        isRequired: true,
        hint: 'Letters, digits, spaces, _ and -, beginning with a letter.',
      },
      { name: 'expires_at', label: 'Expires', kind: 'time', sentAs: 'iso', hint: 'A time in the future.' },
    ],
  },
  remove: {
    operation: 'access-keys.delete',
    param: 'key_id',
    goes: [],
    notes: [
      'Programs that use this key are refused at once.',
      'If this connection uses it, enter another token first.',
    ],
    allowsBulk: false,
  },
  parts: [],
};

const inside = (row: Row, field: string, name: string) =>
  isObject(row[field]) ? textField(row[field], name) : '';

/** The projects of a user with the role in each: `Risk models (project admin), Customer operations`. */
function projectsOf({ projects }: Row): string {
  return (Array.isArray(projects) ? projects.filter(isObject) : [])
    .map((project) => {
      const role = textField(project, 'role');
      return `${textField(project, 'name')}${role === '' ? '' : ` (${constantWords(role)})`}`;
    })
    .join(', ');
}

export const users: Resource = {
  id: 'users',
  title: 'Users',
  noun: 'user',
  nouns: 'users',
  isOptional: true,
  icon: Users,
  list: { operation: 'users.list', emptyText: 'The service lists no users.', takes: [] },
  get: null,
  columns: [
    column('person', 'Name', 'text', 190, { get: recordTitle, startsPinned: true, sortField: null }),
    column('role', 'Role', 'text', 110, {
      get: (row) => constantWords(inside(row, 'org', 'role')),
      sortField: null,
      words: 'constants',
    }),
    column('email', 'Email', 'text', 230),
    column('last_login_time', 'Last seen', 'time', 172, {
      get: (row) => inside(row, 'activity', 'last_login_time'),
      sortField: null,
    }),
    column('projects', 'Projects', 'text', 320, { get: projectsOf, sortField: null }),
    column('username', 'User name', 'text', 160),
    ID,
  ],
  known: known({
    username: { label: 'User name', kind: 'text' },
    first_name: { label: 'First name', kind: 'text' },
    last_name: { label: 'Last name', kind: 'text' },
    email: { label: 'Email', kind: 'text' },
    org: 'Organization',
    projects: 'Projects',
    activity: 'Activity',
    id: 'Id',
  }),
  filterFields: [],
  parts: [],
};
