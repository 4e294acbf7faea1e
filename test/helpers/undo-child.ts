/** A process that undoes an upload, and is killed while its second deletion is being sent. */
import { givenOptions, say } from './child-life.ts';
import { UploadRig } from './upload-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'job');

const rig = new UploadRig({
  baseUrl: values.url,
  token: values.token,
  folder: values.folder,
  options: { idsPerDeletion: 10 },
});
const { events, deletions } = await rig.uploads.planUndo(values.job);
await rig.uploads.undo(values.job, { events, deletions: deletions.length });
await rig.until(() => {
  const sending = rig.deletions.filter(({ status }) => status === 'sending');
  return new Set(sending.map(({ deletionId }) => deletionId)).size > 1 ? sending : undefined;
});
say('second is being sent');
