/** Changes in the schema of spans are noticed by the next read for offline use, with a real service. */
import { expect, test } from 'vitest';
import { groupName } from '../../electron/shared/schema-model.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { type OwnSpan, SpansService } from '../helpers/spans-service.ts';

const currentRig = engineRig();
const DAY_MS = 86_400_000;

test('a type and a mapping that changed in new spans are reported once, accepted, and over', async () => {
  const { engine, folder } = currentRig();
  const startMs = Date.parse('2025-05-01T10:00:00Z');
  const spans = (
    from: number,
    count: number,
    attributes: (at: number) => Record<string, unknown>,
  ): OwnSpan[] =>
    Array.from({ length: count }, (_, at) => ({
      trace_id: `own-trace-${from + at}`,
      span_id: `own-span-${from + at}`,
      start_time: new Date(startMs + (from + at) * 1_000).toISOString(),
      record: { name: 'Answer', span_type: 'own', span_attributes: attributes(at) },
    }));
  const service = await SpansService.start(
    folder,
    spans(0, 60, () => ({ 'own.price': 12, 'own.question': 'Why?' })),
  );
  const { applicationId } = service;
  const { id } = await engine.connections.save(draft(service.raw.service.baseUrl), TOKEN);
  const session = await engine.session(id);
  engine.saveSettings({ keepShare: 1 });
  session.datasets.presets.save({ kind: 'spans', applicationId }, 'QA pairs', [
    { bucket: 'inputs', field: 'question', key: 'own.question' },
  ]);
  const range = { startMs: startMs - DAY_MS, endMs: startMs + DAY_MS };
  const { keptId } = session.keep.start(planFor({ kind: 'application', id: applicationId, range }), null);
  const sync = async () => {
    if ((await session.keep.whenIdle(keptId)).counts.read > 0) session.keep.control(keptId, 'refresh');
    await session.keep.whenIdle(keptId);
    return session.schema.list();
  };
  await session.keep.whenIdle(keptId);
  expect(await sync()).toEqual([]);

  service.add(spans(100, 30, () => ({ 'own.price': '12 €' })));
  const list = { kind: 'spans', id: applicationId };
  const changes = [
    { list, kind: 'blind', group: '', path: 'span_attributes.own.question', mappings: ['QA pairs'] },
    {
      list,
      kind: 'type',
      group: groupName('own', 'Answer'),
      path: 'span_attributes.own.price',
      after: { rows: 30 },
    },
  ];
  const found = await sync();
  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining(
      changes.map((each) =>
        expect.objectContaining({
          ...each,
          ...('after' in each ? { after: expect.objectContaining(each.after) } : {}),
        }),
      ),
    ),
  );
  service.add(spans(200, 30, () => ({ 'own.price': '13 €' })));
  const again = await sync();
  expect(again.map(({ changeId, after }) => [changeId, after.rows])).toEqual(
    found.map(({ changeId, after }) => [changeId, after.rows + 30]),
  );

  const [price, question] = ['own.price', 'own.question'].map((key) =>
    again.find(({ path }) => path.endsWith(key)),
  );
  const accepted = await session.schema.accept(price?.changeId ?? 0);
  const stateOf = (changes: typeof again, of: typeof price) =>
    changes.find(({ changeId }) => changeId === of?.changeId)?.state;
  expect(stateOf(accepted, price)).toBe('accepted');
  await expect(session.schema.accept(price?.changeId ?? 0)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
  service.add(spans(300, 30, () => ({ 'own.price': '14 €', 'own.question': 'Why again?' })));
  const last = await sync();
  expect(last).toHaveLength(2);
  expect(stateOf(last, question)).toBe('over');
  await service.raw.service.stop();
});
