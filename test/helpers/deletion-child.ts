/** A process that requests a deletion of events, and is killed before the answer arrives. */
import { givenOptions, say } from './child-life.ts';
import { UploadRig } from './upload-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'model');

const rig = new UploadRig({ baseUrl: values.url, token: values.token, folder: values.folder });
const modelId = await rig.modelId(values.model);
const request = { modelId, eventIds: ['a'], timeRange: null, updateMetrics: false };
const sending = rig.uploads.deleteEvents(request);
say('sending');
const { status } = await sending;
say(status);
await rig[Symbol.asyncDispose]();
process.exit(0);
