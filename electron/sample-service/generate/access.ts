/** Access keys and users of the sample workspace. */
import { CALLER, ORGANIZATION } from '../record-parts.ts';
import type { Stores } from '../stores.ts';
import type { SeededRandom } from './seeded-random.ts';

const DAY_MS = 86_400_000;
const BASE_62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Keys with their times in days from now; null for a key that nobody has used. */
const KEYS: readonly { name: string; madeDays: number; expiresDays: number; usedDays: number | null }[] = [
  { name: 'Nightly export', madeDays: -50, expiresDays: 40, usedDays: -1 },
  { name: 'Old laptop', madeDays: -120, expiresDays: -12, usedDays: -30 },
  { name: 'Demonstration', madeDays: -3, expiresDays: 4, usedDays: null },
];

const PEOPLE: readonly { first: string; last: string; role: string; seenDays: number }[] = [
  { first: 'Ana', last: 'Kovac', role: 'ADMIN', seenDays: -1 },
  { first: 'Ben', last: 'Okafor', role: 'MEMBER', seenDays: -4 },
  { first: 'Chiara', last: 'Lindqvist', role: 'MEMBER', seenDays: -33 },
];

function text(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => BASE_62[random.int(0, BASE_62.length - 1)]).join('');
}

export function generateAccess(stores: Stores, random: SeededRandom, baseMs: number): void {
  const at = (days: number) => new Date(baseMs + days * DAY_MS).toISOString();
  for (const { name, madeDays, expiresDays, usedDays } of KEYS) {
    const id = `fkh_${text(random, 12)}`;
    stores.resources.add('access-key', id, null, {
      key_id: id,
      name,
      key_suffix: text(random, 6),
      created_at: at(madeDays),
      updated_at: at(madeDays),
      expires_at: at(expiresDays),
      user: CALLER,
      organization: ORGANIZATION,
      last_used_at: usedDays === null ? null : at(usedDays),
    });
  }
  const projects = stores.resources.list('project').map((project) => project['name']);
  const caller = { first: 'Sample', last: 'user', role: 'MEMBER', seenDays: 0 };
  for (const { first, last, role, seenDays } of [caller, ...PEOPLE]) {
    const name = `${first}.${last}`.toLowerCase();
    const id = role === caller.role && first === caller.first ? CALLER.id : random.uuid();
    stores.resources.add('user', id, null, {
      id,
      username: name,
      org: { name: ORGANIZATION.name, role },
      projects: projects.map((project) => ({
        name: project,
        role: role === 'ADMIN' ? 'PROJECT_ADMIN' : 'PROJECT_MEMBER',
      })),
      first_name: first,
      last_name: last,
      email: `${name}@meridian.invalid`,
      activity: { last_login_time: at(seenDays) },
    });
  }
}
