/** Commands by subject, for the help: each command belongs to one group. */
import type { CommandName } from './command-specs.ts';

/** In the order of the help. No group has the name of a command. */
export const GROUPS = {
  connection: 'Connection, limits and settings',
  records: 'Records of the service',
  reading: 'Spans, and everything stored',
  evaluation: 'Datasets, reviews and scores',
  files: 'Uploads of events',
  work: 'Work that waits, runs or has ended',
  storage: 'What this computer keeps',
  programs: 'Agents that read what is stored',
} as const;

export type CommandGroup = keyof typeof GROUPS;

export const GROUP_OF: Readonly<Record<CommandName, CommandGroup>> = {
  test: 'connection',
  doctor: 'connection',
  budget: 'connection',
  traffic: 'connection',
  request: 'connection',
  settings: 'connection',
  mcp: 'programs',
  agents: 'programs',
  help: 'connection',
  completion: 'connection',
  ls: 'records',
  get: 'records',
  create: 'records',
  update: 'records',
  delete: 'records',
  applications: 'records',
  catalog: 'records',
  values: 'records',
  attributes: 'records',
  models: 'records',
  datasets: 'records',
  schema: 'records',
  query: 'records',
  spans: 'reading',
  'span-fields': 'reading',
  search: 'reading',
  sql: 'reading',
  profile: 'reading',
  export: 'reading',
  items: 'evaluation',
  experiments: 'evaluation',
  'from-spans': 'evaluation',
  builds: 'evaluation',
  review: 'evaluation',
  snapshots: 'evaluation',
  diff: 'evaluation',
  coverage: 'evaluation',
  score: 'evaluation',
  'score-items': 'evaluation',
  scores: 'evaluation',
  gate: 'evaluation',
  upload: 'files',
  'upload-file': 'files',
  uploads: 'files',
  presets: 'files',
  'delete-events': 'files',
  jobs: 'work',
  changes: 'work',
  outbox: 'work',
  planned: 'work',
  keep: 'storage',
  kept: 'storage',
  pack: 'storage',
  health: 'storage',
  damaged: 'storage',
};

export function isGroup(name: string): name is CommandGroup {
  return Object.hasOwn(GROUPS, name);
}
