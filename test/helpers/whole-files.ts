/** A sample service, uploads to it, and files that are sent unchanged. */
import { afterEach, beforeEach } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { ServiceClient } from '../../electron/api/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { WholeFile, WholeFileState } from '../../electron/shared/whole-file-contract.ts';
import type { WholeFileRequest } from '../../electron/uploads/types.ts';
import { RawService, TOKEN } from './sample-service.ts';
import { UploadRig, type UploadRigOptions } from './upload-rig.ts';

/** Size of a part in bytes, so that small files have several parts. */
export const PART = 1_000;
export let raw: RawService;
export let rig: UploadRig;
let modelId: string;
/** Additional rigs on the same service, which end with the test. */
export const extra: UploadRig[] = [];

/** Opens an additional rig on the same service. */
export function open(options: Partial<UploadRigOptions> = {}): UploadRig {
  return new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100, ...options });
}
/** Creates a service and uploads for every test of the file. */
export function useWholeFiles(): void {
  beforeEach(async () => {
    raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
    rig = open();
    modelId = await rig.modelId('Card fraud');
    raw.service.clearReport();
  });
  afterEach(async () => {
    for (const each of extra.splice(0)) await each[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
    await raw.service.stop();
  });
}

export const counting = (count: number) => Array.from({ length: count }, (_, index) => `whole-${index}`);
export function csv(ids: readonly string[], name = 'fraud.csv'): { path: string; name: string } {
  const rows = ids.map((id) => `${id},2025-10-01 08:00:00`);
  return { path: rig.write(name, ['transaction_id,processed_at', ...rows].join('\n')), name };
}
export const request = (changes: Partial<WholeFileRequest> = {}): WholeFileRequest => ({
  modelId,
  envType: 'PRODUCTION',
  envName: null,
  publishes: true,
  ...changes,
});
export const requests = (operation: OperationId) => raw.service.report().operations[operation]?.requests ?? 0;
export const until = (state: WholeFileState, of = rig) =>
  of.until(() => of.wholeFiles.find((file) => file.state === state));
export const ids = () => raw.service.events(modelId).ids.filter((id) => id.startsWith('whole-'));
export const only = (of = rig): WholeFile => {
  const [file] = of.uploads.wholeFiles.list();
  if (file === undefined) throw new Error('No file is listed.');
  return file;
};

/** Blocks one operation until it is released, so that a test finds it midway. */
export function held(operation: string) {
  const { promise: whenReached, resolve: reached } = Promise.withResolvers<null>();
  const wrapClient = (client: ServiceClient): ServiceClient => ({
    ...client,
    call: async (asked, input, options) => {
      if (asked === operation) {
        reached(null);
        await new Promise((_resolve, reject) => {
          options.signal?.addEventListener('abort', () =>
            reject(new AppError('CANCELLED', 'Cancelled.', { outcome: 'unsent' })),
          );
        });
      }
      return client.call(asked, input, options);
    },
  });
  return { wrapClient, whenReached };
}
