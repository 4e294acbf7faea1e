/** The model of an upload, as far as the service describes it. */
import type { Session } from '../engine/session.ts';
import type { SchemaColumn } from '../shared/column-plan.ts';
import { isUnknownToService, toAppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';

export interface UploadModel {
  name: string;
  /** Columns of the schema; empty if it is not available. */
  columns: readonly SchemaColumn[];
}

/**
 * Reads the model. If the service does not describe its models, columns keep their names. Throws NOT_FOUND if the
 * service lists its models and this one is missing.
 */
export async function readUploadModel(
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
  { client }: Pick<Session, 'client'>,
  modelId: string,
): Promise<UploadModel> {
  const how = { priority: 'click', signal } as const;
  try {
    const { value } = await client.call('models.get', { path: { model_id: modelId } }, how);
    return { name: value.name, columns: value.schema?.columns ?? [] };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!isUnknownToService(error) || (await listsModels(client, how))) throw error;
    output.note(
      'The service does not provide the schema of this model: every column is sent under its own name, and rows are not checked against it.',
    );
    return { name: modelId, columns: [] };
  }
}

/** Whether the service lists its models; a model that is missing in the list does not exist. */
async function listsModels(
  client: Session['client'],
  how: { priority: 'click'; signal: AbortSignal },
): Promise<boolean> {
  try {
    await client.list('models.list', { query: { limit: 1 } }, how);
    return true;
  } catch (thrown) {
    const error = toAppError(thrown);
    if (isUnknownToService(error)) return false;
    throw error;
  }
}
