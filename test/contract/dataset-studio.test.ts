/**
 * From two queries to a dataset: near-duplicates are excluded, a review edits spans, and some spans are missing or at
 * another time. Also done offline until the commit, and with kills midway. The items are those of the preview, each
 * once.
 */
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { bucketsOf, callsOf, cleanUp, expectOnce, preview, storedItems } from '../helpers/dataset-builds.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { SpansService } from '../helpers/spans-service.ts';
import { isElsewhere, isGone, STUDIO_MAPPING, STUDIO_SPANS, studioSpan } from '../helpers/studio-spans.ts';

const lives = new Lives('build-child.ts');
afterEach(() => lives.killAll());

const SPANS = STUDIO_SPANS;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2031, 0, 1);
const iso = (ms: number) => new Date(ms).toISOString();
const isRejected = (at: number) => at % 100 === 10;
const isEdited = (at: number) => at % 50 === 12;
const COUNTS = {
  nearDuplicates: SPANS / 20,
  rejected: SPANS / 100,
  edited: SPANS / 50,
  gone: SPANS / 100 + SPANS / 200,
  elsewhere: (3 * SPANS) / 200,
};
/** Without near-duplicates, rejected spans and missing spans. */
const ITEMS = SPANS - COUNTS.nearDuplicates - COUNTS.rejected - COUNTS.gone;

test.each(['online', 'cut until the commit', 'killed in the middle'] as const)(
  '2,000 spans of two queries, with near-duplicates, missing and moved ones, %s: each item once, as in the preview',
  async (way) => {
    const folder = new DataFolder();
    const spans = Array.from({ length: SPANS }, (_, at) => studioSpan(at, FIRST_MS));
    const service = await SpansService.start(folder, spans);
    const { raw, applicationId } = service;
    cleanUp(async () => {
      expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
      await raw.service.stop();
      folder[Symbol.dispose]();
    });
    let isCut = false;
    const cut = () => {
      if (isCut) throw new AppError('OFFLINE', 'The network is cut.', { outcome: 'unsent' });
    };
    const rig = new DatasetRig({
      ...{ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder, schedulerHaste: 20 },
      wrapClient: (client) => ({
        ...client,
        call: async (...asked) => {
          cut();
          return client.call(...asked);
        },
        list: async (...asked) => {
          cut();
          return client.list(...asked);
        },
      }),
    });
    const { builds } = rig.datasets;
    const { buildId } = builds.create({
      applicationId,
      applicationName: 'Support assistant',
      name: 'Studio',
    });
    // The queries share a hundred spans, which are selected only once.
    for (const [from, to] of [
      [0, 1_200],
      [1_100, SPANS],
    ] as const) {
      const [start_time, end_time] = [iso(FIRST_MS + from * 60_000), iso(FIRST_MS + to * 60_000)];
      builds.pickAll(buildId, {
        kind: 'service',
        selection: { application_id: applicationId, start_time, end_time, ordering: 'start_time' },
      });
      await builds.whenIdle(buildId);
    }
    expect(builds.get(buildId).counts.picked).toBe(SPANS);
    isCut = way === 'cut until the commit';
    service.remove(spans.filter((_, at) => isGone(at)));
    service.move(
      spans.filter((_, at) => isElsewhere(at)),
      iso(FIRST_MS + 5 * DAY_MS),
    );

    await rig.target(buildId, 'Studio', [...STUDIO_MAPPING]);
    expect((await builds.findNearDuplicates(buildId, 0.85, 'sure')).nearDuplicates).toMatchObject({
      found: COUNTS.nearDuplicates,
      skipped: COUNTS.nearDuplicates,
    });
    const at = (span_id: string) => spans.findIndex((span) => span.span_id === span_id);
    const places = new Map(preview(rig, buildId).map(({ span_id, position }) => [at(span_id), position]));
    const events = spans.flatMap((_, index): ReviewEvent[] => {
      const position = places.get(index) ?? -1;
      const patch = isRejected(index)
        ? { verdict: 'rejected' as const }
        : { verdict: 'edited' as const, expected: `Edited ${index}` };
      return isRejected(index) || isEdited(index) ? [{ type: 'mark', position, patch, atMs: index }] : [];
    });
    await builds.addReview(buildId, 0, events);
    const toSend = ITEMS + COUNTS.gone;
    expect(builds.plan(buildId)).toMatchObject({
      ...{ spans: toSend, edited: COUNTS.edited, itemCalls: 1 },
      calls: Math.ceil((toSend - COUNTS.edited) / 200) + 1,
    });
    await builds.change(buildId, { widens: true, skipsUnresolved: true });
    expect(callsOf(raw).requests ?? 0).toBe(0);

    if (way === 'killed in the middle') {
      await rig[Symbol.asyncDispose]();
      raw.service.setFaults([
        { match: { operation: 'datasets.add-spans' }, action: { type: 'delay', delayMs: 60 } },
        { match: { operation: 'datasets.add-items' }, action: { type: 'delay', delayMs: 60 } },
      ]);
      const args = { url: raw.service.baseUrl, token: TOKEN, folder: folder.path, build: buildId };
      for (const killAfter of [5, 9]) await lives.live(args, killAfter);
      expect(await lives.live(args, null)).toMatch(/^ended (done|needs-decision)$/);
    } else {
      await builds.control(buildId, 'commit');
      if (isCut) {
        await rig.until(() => rig.builds.find(({ state }) => state === 'waiting'));
        isCut = false;
        rig.datasets.wake();
      }
      await builds.whenIdle(buildId);
      await rig[Symbol.asyncDispose]();
    }

    const after = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
    cleanUp(() => after[Symbol.asyncDispose]());
    const own = after.datasets.builds;
    for (let turn = 0; turn < 5 && own.get(buildId).state === 'needs-decision'; turn += 1) {
      await own.control(buildId, 'gather-evidence');
      for (const { batch, state, evidence } of own.listBatches(buildId, 0, 200).batches) {
        if (state === 'unknown' && evidence?.verdict === 'not-stored')
          await own.decideBatch(buildId, batch, 'resend');
      }
      await own.whenIdle(buildId);
    }
    const done = await own.control(buildId, 'verify');
    expect(done, done.reason).toMatchObject({
      state: 'done',
      counts: { acknowledged: ITEMS, excluded: SPANS - ITEMS, unresolved: 0, unknown: 0 },
      check: { verdict: 'equal', comparedItems: ITEMS, equalItems: ITEMS },
      search: { found: [{ spans: COUNTS.elsewhere }] },
    });
    const rows = preview(after, buildId).filter(({ state }) => state === 'acknowledged');
    const items = [
      ...(await storedItems(raw, done.datasetId ?? '')),
      ...(
        await raw.page(
          raw.path('datasets.items', { dataset_id: done.datasetId ?? '' }, '?limit=1000&offset=1000'),
        )
      ).items,
    ];
    const byId = new Map(items.map((item) => [item['id'], item]));
    expect(rows.map(({ itemId }) => bucketsOf(byId.get(itemId) ?? {}))).toEqual(rows.map(({ item }) => item));
    expectOnce(
      items.map((item) => String(item['source_id'])),
      ITEMS,
    );
    if (way === 'killed in the middle') return;
    // All calls but the last are full: for existing spans, for spans found elsewhere, and for edited ones.
    const { statuses } = callsOf(raw);
    const there = ITEMS - COUNTS.edited - COUNTS.elsewhere;
    expect(statuses['201']).toBe(Math.ceil(there / 200) + 1);
    expect(raw.service.report().operations['datasets.add-items']).toMatchObject({ statuses: { 201: 1 } });
  },
);
