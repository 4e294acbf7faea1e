/** A process of its own that asks for a deletion of events and is killed before the answer comes. */
import { parseArgs } from 'node:util';
import { UploadRig } from './upload-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
  },
});

const rig = new UploadRig({ baseUrl: values.url, token: values.token, folder: values.folder });
const say = (word: string) => process.stdout.write(`${word}\n`);
const modelId = await rig.modelId(values.model);
const request = { modelId, eventIds: ['a'], timeRange: null, updateMetrics: false };
const sending = rig.uploads.deleteEvents(request);
say('sending');
const { status } = await sending;
say(status);
await rig[Symbol.asyncDispose]();
process.exit(0);
