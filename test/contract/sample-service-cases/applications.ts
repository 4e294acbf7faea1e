/** Applications that are created and deleted, environments, jobs, files. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { textFile } from '../../helpers/multipart.ts';
import { type Case, field, type Sending, UNKNOWN_ID, type World } from './world.ts';

export function makeApplication(world: World): Promise<string> {
  return world.make('applications.create', {
    name: world.name('Application'),
    project_id: world.ids.project,
  });
}

export async function startFile(world: World): Promise<string> {
  return world.make('files.multipart-init', { filename: 'events.csv' });
}

export async function uploadPart(
  world: World,
  fileId: string,
  number: number,
  text: string,
): Promise<string> {
  const parts = { file: textFile('part', text), file_id: fileId, part_number: number };
  return String(field(await world.done('files.multipart-upload', { parts }), 'data.part_id'));
}

const aPart = (fileId: string, number = 1): Sending => ({
  parts: { file: textFile('part', 'Age\n'), file_id: fileId, part_number: number },
});
const ofApplication = (world: World) => ({ parameters: { application_id: world.ids.application } });

export const APPLICATION_CASES = {
  'applications.create': {
    success: (world) => ({ body: { name: world.name('Application'), project_id: world.ids.project } }),
    errors: { 400: () => ({ body: { name: 'Nowhere', project_id: UNKNOWN_ID } }) },
  },
  'applications.delete': {
    success: async (world) => ({ parameters: { application_id: await makeApplication(world) } }),
  },
  'applications.metrics': {
    success: ofApplication,
    errors: { 400: (world) => ({ ...ofApplication(world), query: '?source=GENAI_TABLES' }) },
  },
  'environments.get': {
    success: async (world) => {
      const parameters = { model_id: world.ids.churn };
      const answer = await world.done('models.environments', { parameters });
      return { parameters: { env_id: String(field(answer, 'data.items.0.id')) } };
    },
  },
  'jobs.list': { success: () => ({}) },
  'files.upload': {
    success: () => ({ parts: { file: textFile('events.csv', 'Age\n33\n') } }),
    errors: { 400: () => ({ parts: { file: textFile('events.exe', 'Age\n33\n') } }) },
  },
  'files.multipart-init': { success: () => ({ body: { filename: 'events.csv' } }) },
  'files.multipart-upload': {
    success: async (world) => aPart(await startFile(world)),
    errors: {
      400: async (world) => aPart(await startFile(world), 0),
      404: () => aPart(UNKNOWN_ID),
    },
  },
  'files.multipart-complete': {
    success: async (world) => {
      const fileId = await startFile(world);
      const parts = [{ number: 1, id: await uploadPart(world, fileId, 1, 'Age\n') }];
      return { body: { file_id: fileId, parts } };
    },
    errors: { 404: () => ({ body: { file_id: UNKNOWN_ID, parts: [{ number: 1, id: 'x' }] } }) },
  },
} satisfies Partial<Record<OperationId, Case>>;
