/** Deletions of traces, sessions and applications, and files that are uploaded and published; by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textFile } from '../helpers/multipart.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { makeApplication, startFile, uploadPart } from './sample-service-cases/applications.ts';
import { querySpans, spanQuery } from './sample-service-cases/datasets.ts';
import { all, field, list, rule, UNKNOWN_ID, World } from './sample-service-cases/world.ts';

let world: World;
let clock: VirtualClock;
beforeAll(async () => {
  clock = new VirtualClock();
  world = await World.start({ clock });
});
afterAll(() => world.stop());

const spans = (rest?: Record<string, unknown>) => querySpans(world, rest);

describe('deletions', () => {
  it('of traces and sessions delete their spans, and repeat without harm', async () => {
    const before = Number(field(await spans({ page_size: 1 }), 'total'));
    const [span] = list(field(await spans({ page_size: 1 }), 'items'));
    const ofTrace = all(rule('Span::trace_id', field(span, 'trace_id')));
    const size = Number(field(await spans(ofTrace), 'total'));
    const body = { application_id: world.ids.application, trace_ids: [field(span, 'trace_id')] };
    for (let round = 0; round < 2; round += 1) expect(await world.done('traces.delete', { body })).toBeNull();
    expect(field(await spans({ page_size: 1 }), 'total')).toBe(before - size);
    const [other] = list(field(await spans({ page_size: 1 }), 'items'));
    const session = field(other, 'session_id');
    await world.done('sessions.delete', {
      body: { application_id: world.ids.application, session_ids: [session] },
    });
    expect(field(await spans(all(rule('Span::session_id', session))), 'total')).toBe(0);
    for (const wrong of ['0'.repeat(32), 'F'.repeat(32), 'abc']) {
      const refused = await world.send('traces.delete', { body: { ...body, trace_ids: [wrong] } });
      expect(refused.status).toBe(400);
    }
  });

  it('of an application run as one job, and delete everything that belongs to it', async () => {
    const parameters = { application_id: world.ids.claims };
    const datasets = async () => {
      const filter = JSON.stringify(all(rule('application_id', world.ids.claims, 'equal')).filter);
      return field(
        await world.done('datasets.list', { query: `?filter=${encodeURIComponent(filter)}` }),
        'data.items',
      );
    };
    const [dataset] = list(await datasets());
    const job = field(await world.done('applications.delete', { parameters }), 'data.job.id');
    expect(field(await world.done('applications.delete', { parameters }), 'data.job.id')).toBe(job);
    const state = async () =>
      field(await world.done('jobs.get', { parameters: { job_id: String(job) } }), 'data');
    expect(await state()).toMatchObject({ status: 'PENDING', progress: 0 });
    clock.advance(2_500);
    expect(await state()).toMatchObject({ status: 'STARTED', progress: 50 });
    expect(field(await world.done('applications.get', { parameters }), 'data.name')).toBe(
      'Claims triage agent',
    );
    clock.advance(1_500);
    expect(await state()).toMatchObject({ status: 'SUCCESS', progress: 100 });
    expect((await world.send('applications.get', { parameters })).status).toBe(404);
    expect((await world.send('catalog.list', { parameters })).status).toBe(400);
    expect(
      (await world.send('spans.query', spanQuery(world, { application_id: world.ids.claims }))).status,
    ).toBe(404);
    expect(await datasets()).toEqual([]);
    const items = { parameters: { dataset_id: String(field(dataset, 'id')) } };
    expect((await world.send('datasets.items', items)).status).toBe(404);
    const jobs = list(field(await world.done('jobs.list', {}), 'data.items'));
    expect(jobs.find((entry) => field(entry, 'id') === job)).toMatchObject({ status: 'SUCCESS' });
    expect(jobs[0]).not.toHaveProperty('progress');
  });

  it('keep other applications', async () => {
    const id = await makeApplication(world);
    await world.done('applications.delete', { parameters: { application_id: id } });
    clock.advance(5_000);
    expect(Number(field(await spans({ page_size: 1 }), 'total'))).toBeGreaterThan(1_000);
  });
});

describe('files', () => {
  async function publish(fileId: string, modelId = world.ids.churn): Promise<unknown> {
    const body = { model_id: modelId, env_type: 'PRODUCTION', source: { type: 'FILE', file_id: fileId } };
    const answer = await world.done('events.publish', { body });
    clock.advance(5_000);
    const parameters = { job_id: String(field(answer, 'data.job.id')) };
    return field(await world.done('jobs.get', { parameters }), 'data');
  }

  it('in one request or in parts are published by a job', async () => {
    const text = 'Age,Geography,Balance\n31,Spain,1.5\n"47","Sp""ain, north",\n';
    const whole = field(
      await world.done('files.upload', { parts: { file: textFile('events.csv', text) } }),
      'data.id',
    );
    expect(await publish(String(whole))).toMatchObject({ status: 'SUCCESS', error_message: null });
    const parts = await startFile(world);
    const second = await uploadPart(world, parts, 2, text.slice(20));
    const first = await uploadPart(world, parts, 1, text.slice(0, 20));
    const body = {
      file_id: parts,
      parts: [
        { number: 1, id: first },
        { number: 2, id: second },
      ],
    };
    const early = {
      model_id: world.ids.churn,
      env_type: 'PRODUCTION',
      source: { type: 'FILE', file_id: parts },
    };
    expect((await world.send('events.publish', { body: early })).status).toBe(400);
    expect(
      (await world.send('files.multipart-complete', { body: { ...body, parts: body.parts.slice(1) } }))
        .status,
    ).toBe(400);
    await world.done('files.multipart-complete', { body });
    expect((await world.send('files.multipart-complete', { body })).status).toBe(400);
    expect(await publish(parts)).toMatchObject({ status: 'SUCCESS' });
    const rows = [
      { Age: 31, Geography: 'Spain', Balance: 1.5 },
      { Age: 47, Geography: 'Sp"ain, north', Balance: null },
    ];
    expect(world.raw.service.events(world.ids.churn).records).toEqual([...rows, ...rows]);
  });

  it('that do not fit end in a failed job that names the line, and store nothing', async () => {
    const before = world.raw.service.events(world.ids.churn).count;
    const upload = async (name: string, text: string) =>
      String(field(await world.done('files.upload', { parts: { file: textFile(name, text) } }), 'data.id'));
    const bad = await publish(await upload('events.csv', 'Age\n31\nold\n'));
    expect(bad).toMatchObject({ status: 'FAILURE', error_message: expect.stringContaining('Line 3') });
    const parquet = await publish(await upload('events.parquet', 'PAR1'));
    expect(parquet).toMatchObject({ status: 'FAILURE', error_message: expect.stringContaining('CSV') });
    expect(world.raw.service.events(world.ids.churn).count).toBe(before);
    const source = { type: 'FILE', file_id: UNKNOWN_ID };
    const missing = { model_id: world.ids.churn, env_type: 'PRODUCTION', source };
    expect((await world.send('events.publish', { body: missing })).status).toBe(404);
  });
});
