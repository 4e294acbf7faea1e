/** A process of the upload engine that continues or starts a job, and is killed by the test. */

import { MAX_UPLOADING } from '../../electron/uploads/uploads.ts';
import { givenOptions, say } from './child-life.ts';
import { impatient, UploadRig } from './upload-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'file', 'model', 'rows');

const rig = new UploadRig({
  baseUrl: values.url,
  token: values.token,
  folder: values.folder,
  wrapClient: impatient,
  // As in the application: requests of a killed process may be stored after the next process has counted.
  options: { maxInFlight: MAX_UPLOADING, evidenceSettleMs: 300_000 },
});
const [recovered] = await rig.uploads.recover({ continues: true });
const stored = recovered ?? rig.uploads.listJobs()[0];
const job =
  stored ??
  (await rig.uploads.createJob(
    await rig.plan(values.file, values.model, { batchRows: Number(values.rows || 100) }),
    true,
  ));
const watching = (async () => {
  // Prints one line for each batch that is stored as acknowledged.
  for (let told = 0; ; ) {
    const now = await rig.until(() => {
      const count = rig.jobs.at(-1)?.batches.acknowledged ?? 0;
      return count > told ? count : undefined;
    });
    told = now;
    say(`acknowledged ${now}`);
  }
})();
watching.catch((problem: unknown) => say(`failed ${String(problem)}`));
const ended = await rig.uploads.whenIdle(job.jobId);
say(`ended ${ended.state}`);
await rig[Symbol.asyncDispose]();
process.exit(0);
