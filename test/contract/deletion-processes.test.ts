/** A deletion of events that one process is sending, as another process on the same folder sees it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../electron/api/types.ts';
import { Lives } from '../helpers/lives.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig, type UploadRigOptions } from '../helpers/upload-rig.ts';

const MODEL = 'Card fraud';
const lives = new Lives('deletion-child.ts');
let raw: RawService;
let rigs: UploadRig[] = [];

beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
});
afterEach(async () => {
  lives.killAll();
  for (const rig of rigs.toReversed()) await rig[Symbol.asyncDispose]();
  rigs = [];
  await raw.service.stop();
});

function open(options: Partial<UploadRigOptions> = {}): UploadRig {
  const rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100, ...options });
  rigs.push(rig);
  return rig;
}

/** Starts a window on the folder of `sender`, whose process may be alive. */
const openBeside = ({ folder }: UploadRig, isAlive = true) =>
  open({ folder, options: { processId: process.pid + 1, isProcessAlive: () => isAlive } });

/** Delays the request for a deletion, or its answer, until it is released. */
function gate(what: 'request' | 'answer') {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: letThrough } = Promise.withResolvers<void>();
  const wrapClient = (client: ServiceClient): ServiceClient => ({
    ...client,
    call: async (operation, input, options) => {
      if (operation !== 'events.delete') return client.call(operation, input, options);
      const answer = what === 'answer' ? await client.call(operation, input, options) : null;
      reach();
      await opened;
      return answer ?? client.call(operation, input, options);
    },
  });
  return { wrapClient, reached, letThrough };
}

async function sendingRig(what: 'request' | 'answer' = 'request') {
  const held = gate(what);
  const sender = open({ wrapClient: held.wrapClient });
  const modelId = await sender.modelId(MODEL);
  const request = { modelId, eventIds: ['a'], timeRange: null, updateMetrics: false };
  const answered = sender.uploads.deleteEvents(request);
  await held.reached;
  return { sender, answered, letThrough: held.letThrough };
}

const statuses = (rig: UploadRig) => rig.uploads.listDeletions().deletions.map(({ status }) => status);
const sent = () => raw.service.report().operations['events.delete']?.requests ?? 0;

describe('a deletion that another process is sending', () => {
  test('is shown as being sent by a window that starts, and its job is followed to the end', async () => {
    const { sender, answered, letThrough } = await sendingRig();
    const window = openBeside(sender);
    await window.uploads.recover({ continues: true });
    expect(statuses(window)).toEqual(['sending']);
    expect(statuses(sender)).toEqual(['sending']);
    letThrough();
    await answered;
    await window.until(() => window.deletions.find(({ status }) => status === 'SUCCESS'));
    expect(window.deletions.map(({ status }) => status)).not.toContain('unknown');
    expect(statuses(window)).toEqual(['SUCCESS']);
    expect(sent()).toBe(1);
  });

  test('is followed by a window that was open before, once its list is read', async () => {
    const held = gate('request');
    const sender = open({ wrapClient: held.wrapClient });
    const window = openBeside(sender);
    await window.uploads.recover({ continues: true });
    const modelId = await sender.modelId(MODEL);
    const request = { modelId, eventIds: ['a'], timeRange: null, updateMetrics: false };
    const answered = sender.uploads.deleteEvents(request);
    await held.reached;
    expect(statuses(window)).toEqual(['sending']);
    held.letThrough();
    await answered;
    await window.until(() => window.deletions.find(({ status }) => status === 'SUCCESS'));
  });

  test('if that process is gone when the window starts, the outcome is unknown', async () => {
    const { sender, answered, letThrough } = await sendingRig();
    const window = openBeside(sender, false);
    await window.uploads.recover({ continues: true });
    expect(window.uploads.listDeletions().deletions).toMatchObject([
      { status: 'unknown', error: { code: 'CONNECTION_LOST', details: { outcome: 'unknown' } } },
    ]);
    letThrough();
    await answered;
    // The process was alive after all, so its knowledge counts.
    expect(statuses(window)).not.toContain('unknown');
  });

  test('if that process is killed while the window watches, the outcome becomes unknown', async () => {
    raw.service.setFaults([
      { match: { operation: 'events.delete' }, action: { type: 'delay', delayMs: 600_000 } },
    ]);
    const window = open();
    const args = { url: raw.service.baseUrl, token: TOKEN, folder: window.folder, model: MODEL };
    const child = lives.start(args);
    await child.heard('sending');
    await window.uploads.recover({ continues: true });
    expect(statuses(window)).toEqual(['sending']);
    child.kill();
    const unknown = await window.until(() => window.deletions.find(({ status }) => status === 'unknown'));
    expect(unknown).toMatchObject({ jobId: null, error: { details: { outcome: 'unknown' } } });
    expect(statuses(window)).toEqual(['unknown']);
  });
});

test('a deletion in flight when the program ends may still be answered', async () => {
  const { sender, answered, letThrough } = await sendingRig('answer');
  const stopping = sender.uploads.stop(60_000);
  letThrough();
  await stopping;
  expect(await answered).toMatchObject({ error: null });
  expect(statuses(sender)).not.toContain('sending');
});
