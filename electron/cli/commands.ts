/**
 * The implementation of each command, loaded when it is used, so that help, errors in arguments and other commands do
 * not load its modules.
 */
import { AppError } from '../shared/errors.ts';
import type { CommandName } from './arguments.ts';
import type { CommandContext } from './context.ts';

export type Command = (context: CommandContext) => Promise<void>;

/** Commands that need no connection are handled before a context is created. */
export const COMMANDS: Record<Exclude<CommandName, 'completion' | 'help' | 'mcp'>, () => Promise<Command>> = {
  test: async () => test,
  doctor: async () => (await import('./health-command.ts')).doctor,
  ls: async () => (await import('./read-commands.ts')).ls,
  get: async () => (await import('./read-commands.ts')).get,
  create: async () => (await import('./change-commands.ts')).create,
  update: async () => (await import('./change-commands.ts')).update,
  delete: async () => (await import('./delete-command.ts')).remove,
  spans: async () => (await import('./ask-commands.ts')).spans,
  'span-fields': async () => (await import('./ask-commands.ts')).spanFields,
  query: async () => (await import('./ask-commands.ts')).query,
  score: async () => (await import('./ask-commands.ts')).score,
  applications: async () => (await import('./read-commands.ts')).applications,
  catalog: async () => (await import('./read-commands.ts')).catalog,
  values: async () => (await import('./read-commands.ts')).values,
  attributes: async () => (await import('./read-commands.ts')).attributes,
  models: async () => (await import('./read-commands.ts')).models,
  datasets: async () => (await import('./read-commands.ts')).datasets,
  items: async () => (await import('./items-command.ts')).items,
  experiments: async () => (await import('./experiments-command.ts')).experiments,
  schema: async () => (await import('./read-commands.ts')).schema,
  upload: async () => (await import('./upload-commands.ts')).upload,
  'upload-file': async () => (await import('./file-command.ts')).uploadFile,
  uploads: async () => (await import('./upload-commands.ts')).uploads,
  presets: async () => (await import('./presets-command.ts')).presets,
  'from-spans': async () => (await import('./from-spans-command.ts')).fromSpans,
  builds: async () => (await import('./builds-command.ts')).builds,
  review: async () => (await import('./review-command.ts')).review,
  'score-items': async () => (await import('./score-items-command.ts')).scoreItems,
  scores: async () => (await import('./scores-command.ts')).scores,
  gate: async () => (await import('./gate-command.ts')).gate,
  snapshots: async () => (await import('./snapshots-command.ts')).snapshots,
  diff: async () => (await import('./snapshots-command.ts')).diff,
  coverage: async () => (await import('./coverage-command.ts')).coverage,
  'try-rule': async () => (await import('./try-rule-command.ts')).tryRule,
  keep: async () => (await import('./keep-command.ts')).keep,
  kept: async () => (await import('./keep-command.ts')).kept,
  changes: async () => (await import('./changes-command.ts')).changes,
  outbox: async () => (await import('./outbox-command.ts')).outbox,
  planned: async () => (await import('./planned-command.ts')).planned,
  damaged: async () => (await import('./damaged-command.ts')).damaged,
  health: async () => (await import('./health-command.ts')).health,
  pack: async () => (await import('./pack-command.ts')).pack,
  jobs: async () => (await import('./jobs-command.ts')).jobs,
  'delete-events': async () => (await import('./delete-events-command.ts')).deleteEvents,
  budget: async () => (await import('./budget-command.ts')).budget,
  search: async () => (await import('./search-command.ts')).search,
  profile: async () => (await import('./profile-command.ts')).profile,
  export: async () => (await import('./export-command.ts')).exportList,
  mirror: async () => (await import('./mirror-command.ts')).mirror,
  report: async () => (await import('./report-command.ts')).report,
  verify: async () => (await import('./report-command.ts')).verify,
  sql: async () => (await import('./sql-command.ts')).sql,
  settings: async () => (await import('./settings-command.ts')).settings,
  traffic: async () => (await import('./traffic-commands.ts')).traffic,
  request: async () => (await import('./request-command.ts')).request,
  agents: async () => (await import('./agents-command.ts')).agents,
};

async function test(context: CommandContext): Promise<void> {
  if (context.args.isOffline)
    throw new AppError(
      'OFFLINE',
      'test asks the service, so it cannot run with --offline. Nothing was sent.',
    );
  const session = await context.session();
  const result = await context.engine.testConnection({ ...session.connection }, null);
  if (!result.isOk) {
    throw new AppError(result.code ?? 'INTERNAL', result.message, { nextStep: result.nextStep });
  }
  context.output.answer(result, () => [`${result.title}. ${result.message}`, result.reach]);
}
