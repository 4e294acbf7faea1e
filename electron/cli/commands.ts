/**
 * The implementation of each command. Loaded after the arguments are checked, because help and errors do not need it.
 */
import { AppError } from '../shared/errors.ts';
import { agents } from './agents-command.ts';
import type { CommandName } from './arguments.ts';
import * as ask from './ask-commands.ts';
import * as budget from './budget-command.ts';
import { builds } from './builds-command.ts';
import * as change from './change-commands.ts';
import { changes } from './changes-command.ts';
import type { CommandContext } from './context.ts';
import { coverage } from './coverage-command.ts';
import { damaged } from './damaged-command.ts';
import { remove } from './delete-command.ts';
import { deleteEvents } from './delete-events-command.ts';
import { experiments } from './experiments-command.ts';
import { exportList } from './export-command.ts';
import { uploadFile } from './file-command.ts';
import { fromSpans } from './from-spans-command.ts';
import { gate } from './gate-command.ts';
import { doctor, health } from './health-command.ts';
import { items } from './items-command.ts';
import { jobs } from './jobs-command.ts';
import { keep, kept } from './keep-command.ts';
import { mirror } from './mirror-command.ts';
import { outbox } from './outbox-command.ts';
import { pack } from './pack-command.ts';
import { planned } from './planned-command.ts';
import { presets } from './presets-command.ts';
import { profile } from './profile-command.ts';
import * as read from './read-commands.ts';
import { report, verify } from './report-command.ts';
import { request } from './request-command.ts';
import { review } from './review-command.ts';
import { scoreItems } from './score-items-command.ts';
import { scores } from './scores-command.ts';
import { search } from './search-command.ts';
import { settings } from './settings-command.ts';
import { diff, snapshots } from './snapshots-command.ts';
import { sql } from './sql-command.ts';
import * as traffic from './traffic-commands.ts';
import { tryRule } from './try-rule-command.ts';
import * as upload from './upload-commands.ts';

/** Commands that need no connection answer before there is a context. */
export const COMMANDS: Record<
  Exclude<CommandName, 'completion' | 'help' | 'mcp'>,
  (context: CommandContext) => Promise<void>
> = {
  test,
  doctor,
  ls: read.ls,
  get: read.get,
  create: change.create,
  update: change.update,
  delete: remove,
  spans: ask.spans,
  'span-fields': ask.spanFields,
  query: ask.query,
  score: ask.score,
  applications: read.applications,
  catalog: read.catalog,
  values: read.values,
  attributes: read.attributes,
  models: read.models,
  datasets: read.datasets,
  items,
  experiments,
  schema: read.schema,
  upload: upload.upload,
  'upload-file': uploadFile,
  uploads: upload.uploads,
  presets,
  'from-spans': fromSpans,
  builds,
  review,
  'score-items': scoreItems,
  scores,
  gate,
  snapshots,
  diff,
  coverage,
  'try-rule': tryRule,
  keep,
  kept,
  changes,
  outbox,
  planned,
  damaged,
  health,
  pack,
  jobs,
  'delete-events': deleteEvents,
  budget: budget.budget,
  search,
  profile,
  export: exportList,
  mirror,
  report,
  verify,
  sql,
  settings,
  traffic: traffic.traffic,
  request,
  agents,
};

async function test(context: CommandContext): Promise<void> {
  const session = await context.session();
  const result = await context.engine.testConnection({ ...session.connection }, null);
  if (!result.isOk) {
    throw new AppError(result.code ?? 'INTERNAL', result.message, { nextStep: result.nextStep });
  }
  context.output.answer(result, () => [`${result.title}. ${result.message}`, result.reach]);
}
