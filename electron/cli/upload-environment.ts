/** Checks whether the model has the environment to which a person sends events. */
import type { Session } from '../engine/session.ts';
import { toAppError } from '../shared/errors.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import type { CommandContext } from './context.ts';
import { nameList } from './human-text.ts';

const PRODUCTION = 'PRODUCTION';
const MAX_READ = 100;

/**
 * Prints a note about an environment that the model does not have: the service may refuse its rows, or create it.
 * Production is not checked, because every model has it.
 */
export async function noteEnvironment(
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
  { client }: Pick<Session, 'client'>,
  { modelId, envType, envName }: Pick<UploadPlan, 'modelId' | 'envType' | 'envName'>,
): Promise<void> {
  if (envType === PRODUCTION && envName === null) return;
  const input = { path: { model_id: modelId }, query: { limit: MAX_READ } };
  const page = await client.list('models.environments', input, { priority: 'click', signal }).catch(
    // A failed check does not prevent sending.
    (thrown: unknown) => output.note(`The environment was not checked: ${toAppError(thrown).message}`),
  );
  if (page === undefined) return;
  const { items, total } = page.value;
  const isAsked = (type: string) => type.toLowerCase() === envType.toLowerCase();
  const isThere = items.some(({ name, type }) => isAsked(type ?? '') && name === envName);
  if (isThere || total === null || items.length < total) return;
  const known = items.map(({ name, type }) => `${name} (${type ?? 'no type'})`);
  const asked = envName === null ? `${envType} without a name` : `${envName} (${envType})`;
  output.note(
    `The model has no environment ${asked}, so the service may refuse the rows. It has ${known.length === 0 ? 'none' : nameList(known)}. Choose one with --env-type and --env-name.`,
  );
}
