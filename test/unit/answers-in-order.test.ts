/** Answers that arrive after a newer event, or after the answer to a later request. */
import { expect, test, vi } from 'vitest';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { buildAsJob } from '../../electron/shared/job-kinds/build.ts';
import type { RequestLogRow } from '../../electron/shared/traffic-model.ts';
import type { DryRun, OfferedFile } from '../../electron/shared/upload-model.ts';
import { Basket } from '../../renderer/state/basket.svelte.ts';
import { ConnectionsState } from '../../renderer/state/connections.svelte.ts';
import { jobs } from '../../renderer/state/jobs.svelte.ts';
import { NetworkState } from '../../renderer/state/network.svelte.ts';
import { RequestLogModel } from '../../renderer/state/request-log.svelte.ts';
import { SettingsState } from '../../renderer/state/settings.svelte.ts';
import { TrafficState } from '../../renderer/state/traffic.svelte.ts';
import { UploadDraft } from '../../renderer/state/uploads-draft.svelte.ts';
import { PagedRows } from '../../renderer/state/uploads-paged.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';
import { aRequest } from '../helpers/traffic.ts';

/** A fake main process that answers requests when the test tells it to, in any order. */
class HeldMain {
  readonly asked: { channel: string; argument: unknown; answer: (value: unknown) => Promise<void> }[] = [];
  readonly #main = numberedClient(
    (channel, argument) =>
      new Promise((resolve) => {
        const answer = (value: unknown) => {
          resolve(value);
          return new Promise<void>((done) => setImmediate(done));
        };
        this.asked.push({ channel, argument, answer });
      }),
  );
  readonly client = this.#main.client;
  readonly notify = this.#main.emit;

  /** Answers the newest unanswered request on this channel. */
  async answer(channel: string, value: unknown): Promise<void> {
    const at = this.asked.findLastIndex((question) => question.channel === channel);
    if (at === -1) throw new Error(`Nothing was asked on ${channel}.`);
    await this.asked.splice(at, 1)[0]?.answer(value);
  }
}

const connectionId = 'c';

test('an answer about lanes requested before a pause does not undo the pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const main = new HeldMain();
  const traffic = new TrafficState(main.client);
  const overview = (isAllPaused: boolean) => ({ lanes: [], waiting: [], isAllPaused, uploadOrder: null });
  const watching = traffic.watch(connectionId);
  const pausing = traffic.pause(null);
  await main.answer('traffic:control', overview(true));
  await pausing;
  expect(traffic.overview.isAllPaused).toBe(true);
  await main.answer('traffic:get-lanes', overview(false));
  await watching;
  expect(traffic.overview.isAllPaused).toBe(true);
  expect(traffic.isLoaded).toBe(true);
  vi.useRealTimers();
});

test('the error about the lanes of a connection is not shown in the next one', async () => {
  const main = new HeldMain();
  const traffic = new TrafficState(main.client);
  const first = traffic.watch(connectionId);
  await main.answer('traffic:get-lanes', Promise.reject(new Error('The service was not reached.')));
  await first;
  expect(traffic.error).not.toBeNull();
  const second = traffic.watch('d');
  expect([traffic.error, traffic.isLoaded]).toEqual([null, false]);
  const nothing = { lanes: [], waiting: [], isAllPaused: false, uploadOrder: null };
  await main.answer('traffic:get-lanes', nothing);
  await second;
});

test('the network state of a connection is the last one reported; another connection does not change it', async () => {
  const main = new HeldMain();
  const network = new NetworkState(main.client);
  network.listen();
  const state = (of: string, now: string) => ({ connectionId: of, state: now });
  const loading = [network.load('c'), network.load('d')];
  main.notify('connections:network-changed', state('c', 'unauthorized'));
  await main.answer('connections:get-network', state('d', 'online'));
  await main.answer('connections:get-network', state('c', 'online'));
  await Promise.all(loading);
  expect([network.phaseOf('c'), network.phaseOf('d')]).toEqual(['unauthorized', 'online']);
});

test('of two settings changed at once, neither reverts while the other is answered, in any order', async () => {
  const main = new HeldMain();
  const settings = new SettingsState(main.client);
  const shown = () => ({ theme: settings.theme, isSidebarOpen: settings.isSidebarOpen });
  const loading = settings.load();
  await main.answer('settings:get', { theme: 'light', isSidebarOpen: true });
  await loading;
  const both = [settings.set({ theme: 'dark' }), settings.set({ isSidebarOpen: false })];
  const changed = { theme: 'dark', isSidebarOpen: false };
  main.notify('settings:changed', { theme: 'dark', isSidebarOpen: true });
  expect(shown()).toEqual(changed);
  await main.answer('settings:set', changed);
  main.notify('settings:changed', changed);
  await main.answer('settings:set', { theme: 'dark', isSidebarOpen: true });
  await Promise.all(both);
  expect(shown()).toEqual(changed);
});

const build = (buildId: string, changedAtMs: number): DatasetBuild =>
  ({ connectionId, buildId, changedAtMs, name: `${buildId} ${changedAtMs}` }) as unknown as DatasetBuild;

test('an answer about selected rows requested before a row was selected does not remove its tick', async () => {
  const main = new HeldMain();
  asWindow(main);
  const application = { id: 'x', name: 'X' };
  const kept = { ...build('b', 1), state: 'editing', applicationId: 'x', counts: { picked: 0 }, batches: {} };
  jobs.connectionId = connectionId;
  jobs.list = [buildAsJob(kept as unknown as DatasetBuild, () => [])];
  const basket = new Basket(application, { read: () => 'b', write: () => undefined, run: (work) => work() });
  const row = { trace_id: 't', span_id: 's' };
  const seeing = basket.see([row]);
  const query = { operation: 'spans.query', path: {}, query: {} };
  const picking = basket.toggle(query, [{ row, position: 0 }]);
  await vi.waitFor(() => main.answer('builds:pick-spans', { build: kept, added: 1, missing: [] }));
  await picking;
  await main.answer('builds:read', [null]);
  await seeing;
  expect(basket.isPicked(row)).toBe(true);
  vi.unstubAllGlobals();
});

/** Connects the client of the window to a main process that answers in any order. */
function asWindow(main: HeldMain): void {
  const invoke = async (channel: string, argument: unknown) => ({
    ok: true,
    ...(await main.client.ask(channel as never, argument as never)),
  });
  const on = (channel: string, listener: (message: unknown) => void) =>
    main.client.on(channel as never, (payload: unknown, seq) => listener({ payload, seq }));
  vi.stubGlobal('window', { spandeck: { invoke, on } });
}

test('shows the connections of the newest list, even if an older list and the answer to an action arrive later', async () => {
  const main = new HeldMain();
  asWindow(main);
  const state = new ConnectionsState();
  const known = (...ids: string[]) => ({
    connections: ids.map((id) => ({ id, createdAtMs: 1 })),
    activeId: ids[0] ?? null,
    updating: [],
  });
  const loading = state.load();
  const activating = state.activate('b');
  main.notify('connections:changed', known('c', 'a'));
  await main.answer('connections:activate', { id: 'b', createdAtMs: 1 });
  await main.answer('connections:list', known('b', 'c', 'a'));
  await Promise.all([loading, activating]);
  expect([state.list.map(({ id }) => id), state.activeId]).toEqual([['c', 'a'], 'c']);
  vi.unstubAllGlobals();
});

test('the answer to cancelling a check of a file does not restart a check that has ended', async () => {
  const main = new HeldMain();
  asWindow(main);
  const draft = new UploadDraft({ fileId: 'f' } as OfferedFile, { connectionId, batchRows: 1 });
  const check = (phase: string) => ({ dryRunId: 'd', phase }) as DryRun;
  draft.check.run = check('running');
  const ending = draft.check.cancel();
  main.notify('uploads:dry-run-changed', { connectionId, dryRun: check('cancelled') });
  await main.answer('uploads:cancel-dry-run', check('running'));
  await ending;
  expect(draft.check.run.phase).toBe('cancelled');
  vi.unstubAllGlobals();
});

const logged = (seq: number): RequestLogRow => ({ ...aRequest(), seq });
const page = (...seqs: number[]) => {
  const rows = seqs.map(logged);
  return { rows, matchingRows: rows.length, storedRows: rows.length, keptRows: 10_000, operations: [] };
};

test('the log misses no request that ended while it was read', async () => {
  const main = new HeldMain();
  const log = new RequestLogModel(connectionId, main.client);
  const opening = log.open();
  main.notify('traffic:logged', { connectionId, rows: [logged(2)], skipped: 0 });
  await main.answer('traffic:get-log', page(1));
  await main.answer('traffic:get-log', page(2, 1));
  await opening;
  expect(log.rows.map(({ seq }) => seq)).toEqual([2, 1]);
  expect(log.storedRows).toBe(2);
});

test('stops reading the log while requests end without a pause, and shows the newest', async () => {
  const main = new HeldMain();
  const log = new RequestLogModel(connectionId, main.client);
  const opening = log.open();
  for (let seq = 2; seq <= 4; seq += 1) {
    main.notify('traffic:logged', { connectionId, rows: [logged(seq)], skipped: 0 });
    await main.answer('traffic:get-log', page(seq - 1));
  }
  await opening;
  expect(main.asked).toEqual([]);
  expect(log.rows.map(({ seq }) => seq)).toEqual([4, 3]);
});

test('rows that were read again are not replaced by an older reading of the same page', async () => {
  const main = new HeldMain();
  const rows = new PagedRows<string>(
    (offset) =>
      main.client.invoke('rows' as never, offset as never) as Promise<{ rows: string[]; total: number }>,
  );
  const readings = [rows.want(0, 9), rows.reload()];
  await main.answer('rows', { rows: ['after'], total: 1 });
  await main.answer('rows', { rows: ['before'], total: 1 });
  await Promise.all(readings);
  expect(rows.at(0)).toBe('after');
});
