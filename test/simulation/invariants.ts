/** All invariants by name. Some are checked at each request, and the others at quiet points. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../../electron/engine/session.ts';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { isUnreachable } from '../../electron/shared/errors.ts';
import { goneAtOf } from '../../electron/shared/gone-field.ts';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import { NEWEST_FIRST, RECORD_SHOWN, SETTINGS_STAY, TOKEN_HIDDEN, WORK_LISTED } from './acts/browse-acts.ts';
import { ROWS_MATCH, ROWS_SHOWN, ROWS_SORTED } from './acts/grid-acts.ts';
import { MARKED_ITEM } from './acts/item-acts.ts';
import { MARKER_COLUMN } from './acts/upload-acts.ts';
import { linesOf } from './analysis.ts';
import { KEYCHAIN_ANSWER } from './computer.ts';
import { openDatabasesOf } from './databases.ts';
import type { Arrived } from './service.ts';
import type { SentFile, Stage } from './stage.ts';
import { currentThreads } from './threads.ts';
import type { Life } from './world.ts';

/** Allows time for storing a page that arrived before its view was closed. */
const CLOSED_VIEW_GRACE_MS = 1_000;
const MAX_FINDINGS = 5;
const MAX_BATCHES = 10_000;
const MAX_LEFT = 12;

type Findings = string[];

/** Checked for each request that arrives at a service. Each check returns the violation, or null. */
const ON_ARRIVAL: Readonly<Record<string, (stage: Stage, arrived: Arrived) => string | null>> = {
  'a token goes only to the origin it was typed for': (_, { origin, token, path }) =>
    token === '' || token.startsWith(`token-${new URL(origin).hostname}-`)
      ? null
      : `${token.slice(0, -5)} came to ${origin}${path}`,
  'nothing is deleted unasked': ({ deletions }, { method, path, origin }) => {
    const id = /^\/v3\/evals\/datasets\/([^/?]+)$/.exec(path)?.[1];
    return method !== 'DELETE' || id === undefined || deletions.has(id) ? null : `${origin}${path}`;
  },
};

const CLOSED_VIEW = 'nothing is read for a view that was closed';

const LEFT_ADDRESS = 'nothing is sent to an address that no connection has';
/** Allows time for ending a session whose connection was moved. */
const LEFT_ADDRESS_GRACE_MS = 5_000;

const STOPPED = 'nothing more is sent once the program ends';
/** Allows time for the requests that end work normally. */
const STOPPED_GRACE_MS = 500;

function checkDeparture(stage: Stage, path: string, origin: string, life: Life): void {
  for (const [process, atMs] of stage.stoppedAtMs)
    if (life.isOf(process) && stage.world.nowMs - atMs > STOPPED_GRACE_MS)
      stage.world.fail(STOPPED, `${origin}${path} ${Math.round(stage.world.nowMs - atMs)} ms after it`);
  const leftMs = stage.world.nowMs - (stage.leftAtMs.get(origin) ?? Number.POSITIVE_INFINITY);
  if (leftMs > LEFT_ADDRESS_GRACE_MS)
    stage.world.fail(LEFT_ADDRESS, `${origin}${path} ${Math.round(leftMs)} ms after it`);
  checkViews(stage, path);
}

/** Only views request items in a certain order, so such a request needs an open view. */
function checkViews(stage: Stage, path: string): void {
  const mark = /datasets\/([^/]+)\/items\?.*ordering=/.exec(path)?.[1];
  if (mark === undefined || [...stage.views.values()].some((view) => view.mark === mark)) return;
  const closedMs = stage.world.nowMs - (stage.closedAtMs.get(mark) ?? Number.POSITIVE_INFINITY);
  if (closedMs > CLOSED_VIEW_GRACE_MS)
    stage.world.fail(CLOSED_VIEW, `${path} ${Math.round(closedMs)} ms after it`);
}

const UPLOAD_COUNTS = 'counts of uploads add up';
const BUILD_COUNTS = 'counts of builds add up';
const OVER_STAYS = 'an upload that is over stays over';

const isOver = ({ state }: Pick<UploadJob, 'state'>): boolean => state === 'done' || state === 'cancelled';

function wrongCountsOf({ jobId, counts, state }: UploadJob): Findings {
  const { rows, ...parts } = counts;
  const sum = parts.rejected + parts.acknowledged + parts.refused + parts.unknown + parts.unsent;
  const isRight = (sum === rows || rows === 0) && Object.values(parts).every((count) => count >= 0);
  return isRight ? [] : [`${jobId} (${state}): ${JSON.stringify(counts)}`];
}

function wrongBuildCountsOf({ buildId, counts, state }: DatasetBuild): Findings {
  const { picked, ...parts } = counts;
  const sum = parts.excluded + parts.added + parts.unsent + parts.unresolved + parts.sending;
  const all = sum + parts.unknown + parts.acknowledged + parts.givenUp;
  return all === picked ? [] : [`${buildId} (${state}): ${JSON.stringify(counts)}`];
}

/** Checks each job when it is published. */
export function watchJobs({ computer, world, overUploads }: Stage): void {
  computer.onJob = (job) => {
    if (job.kind === 'upload') {
      for (const each of wrongCountsOf(job.own)) world.fail(UPLOAD_COUNTS, each);
      if (isOver(job.own)) overUploads.add(job.id);
    }
    if (job.kind === 'build') for (const each of wrongBuildCountsOf(job.own)) world.fail(BUILD_COUNTS, each);
  };
}

export function watchArrivals(stage: Stage): void {
  stage.network.onDeparture = (path, origin, life) => checkDeparture(stage, path, origin, life);
  stage.network.onArrival = (arrived) => {
    for (const [name, check] of Object.entries(ON_ARRIVAL)) {
      const wrong = check(stage, arrived);
      if (wrong !== null) stage.world.fail(name, wrong);
    }
  };
}

/** Checked at quiet points, when no request is in flight and the service is reachable. */
const WHEN_QUIET: Readonly<Record<string, (stage: Stage) => Promise<Findings> | Findings>> = {
  'no limit is exceeded, and no request is malformed': ({ services }) =>
    [...services.values()].flatMap(({ app, origin }) => {
      const { overLimit, beforeRetryAfter, unknownRoutes, malformedRequests, latest } = app.report();
      const count = overLimit + beforeRetryAfter + unknownRoutes + malformedRequests;
      if (count === 0) return [];
      // Each violation is reported only once.
      app.clearReport();
      return latest
        .filter(({ kind }) => kind !== 'missingCredentials')
        .map(({ kind, endpoint, message }) => `${origin}: ${kind} at ${endpoint}: ${message}`);
    }),
  'no event is stored twice unless a person had it sent again': (stage) =>
    perFile(stage, (sent, counts) =>
      sent.mayRepeat.size > 0
        ? counts.filter(([marker, count]) => count > 1 && !sent.mayRepeat.has(marker))
        : counts.filter(([, count]) => count > 1),
    ),
  'what is called sent is at the service': async (stage) => {
    const done = new Set(
      (await uploadsOf(stage)).flatMap(({ job }) => (job.state === 'done' ? [job.jobId] : [])),
    );
    return perFile(stage, (sent, counts) =>
      done.has(sent.jobId) && !sent.mayMiss ? counts.filter(([, count]) => count === 0) : [],
    );
  },
  [UPLOAD_COUNTS]: async (stage) => (await uploadsOf(stage)).flatMap(({ job }) => wrongCountsOf(job)),
  'counts of uploads are those of their batches': async (stage) =>
    (await uploadsOf(stage)).flatMap(({ session, job: { jobId, counts, state } }) => {
      const rows = { acknowledged: 0, refused: 0, unknown: 0 };
      const asked = { jobId, states: null, offset: 0, limit: MAX_BATCHES };
      for (const batch of session.uploads.listBatches(asked).batches)
        if (batch.state in rows) rows[batch.state as keyof typeof rows] += batch.rows;
      const { acknowledged, refused, unknown } = counts;
      const isSame =
        rows.acknowledged === acknowledged && rows.refused === refused && rows.unknown === unknown;
      return isSame
        ? []
        : [`${jobId} (${state}): ${JSON.stringify(counts)}, batches ${JSON.stringify(rows)}`];
    }),
  [OVER_STAYS]: async (stage) =>
    (await uploadsOf(stage)).flatMap(({ job }) =>
      stage.overUploads.has(job.jobId) && !isOver(job) ? [`${job.jobId} is ${job.state}`] : [],
    ),
  'a job that is over has an end, and one that is not has none': async (stage) =>
    (await uploadsOf(stage)).flatMap(({ job }) =>
      isOver(job) === (job.endedAtMs !== null) || job.state === 'failed'
        ? []
        : [`${job.jobId} is ${job.state}, ended ${job.endedAtMs}`],
    ),
  [BUILD_COUNTS]: async (stage) => (await buildsOf(stage)).flatMap(wrongBuildCountsOf),
  'a list that is called complete is what the service has': async (stage) => {
    const { engine } = stage.run;
    const found: Findings = [];
    for (const { id, baseUrl } of stage.connections()) {
      const { library } = await engine.session(id);
      const query = { operation: 'datasets.list', path: {}, query: {} };
      const { freshness } = await library.openList({ viewId: 'rest', query, refresh: 'never' });
      const window = { offset: 0, limit: 1_000, sort: null, narrow: null };
      const page = await library.readRows({ query, window });
      // Rows that the service no longer returns remain, but are marked.
      const rows = page.rows.filter(({ record }) => goneAtOf(record) === null);
      engine.releaseView(id, 'rest');
      const there = stage.service(new URL(baseUrl).origin).datasets();
      const isSame =
        rows.length === there.length &&
        there.every((each) => rows.some(({ record }) => record['id'] === each['id']));
      if (!freshness.isComplete)
        found.push(`${id}: not complete, ${JSON.stringify(freshness).slice(0, 300)}`);
      else if (!isSame) found.push(`${id}: ${rows.length} datasets here, ${there.length} at ${baseUrl}`);
    }
    return found;
  },
  'what was forgotten is gone': (stage) => {
    const known = new Set(stage.connections().map(({ id }) => id));
    const folder = join(stage.computer.folder, 'connections');
    const left = stage.outside(() => (existsSync(folder) ? readdirSync(folder) : []));
    return [
      ...left.filter((name) => !known.has(name.slice(0, 36))).map((name) => `folder ${name}`),
      ...stage.computer
        .keptTokens()
        .filter((id) => !known.has(id))
        .map((id) => `token of ${id}`),
    ];
  },
  'counts of score runs add up': async (stage) =>
    (await sessionsOf(stage)).flatMap((session) =>
      session.datasets.scores.list(null).flatMap(({ runId, state, counts }) => {
        const { items, unscored, scored, skipped, failed } = counts;
        const isWhole =
          unscored + scored + skipped + failed === items && (state !== 'done' || unscored === 0);
        return isWhole ? [] : [`${runId} (${state}): ${JSON.stringify(counts)}`];
      }),
    ),
  'no row becomes two items, and each row that was added is an item': async (stage) => {
    const sessions = await sessionsOf(stage);
    const jobs = sessions.flatMap((session) => session.datasets.items.list(null));
    return stage.additions.flatMap(({ itemsId, datasetId, firstMarker, rows, mayRepeat, mayMiss }) => {
      const counts = itemMarkers(stage, datasetId);
      if (counts === null) return [];
      const own = Array.from({ length: rows }, (_, row) => counts.get(firstMarker + row) ?? 0);
      const twice = own.filter((count) => count > 1).length;
      const there = own.filter((count) => count > 0).length;
      const added = jobs.find((job) => job.itemsId === itemsId)?.counts.added ?? 0;
      return [
        ...(twice > 0 && !mayRepeat ? [`${twice} rows of ${itemsId} are there twice`] : []),
        ...(there < added && !mayMiss ? [`${there} rows of ${itemsId} are there, ${added} were added`] : []),
      ];
    });
  },
  'counts of additions add up': async (stage) =>
    (await sessionsOf(stage)).flatMap((session) =>
      session.datasets.items.list(null).flatMap(({ itemsId, state, counts }) => {
        const { rows, ...parts } = counts;
        const sum = parts.badRows + parts.added + parts.refused + parts.unknown + parts.givenUp;
        const isWhole = rows === null || (state === 'done' ? sum === rows : sum <= rows);
        return isWhole ? [] : [`${itemsId} (${state}): ${JSON.stringify(counts)}`];
      }),
    ),
  'a service that can be reached is found': async (stage) =>
    (await sessionsOf(stage)).flatMap(({ connection, network }) => {
      const { state, error } = network.state();
      return state === 'online' ? [] : [`${connection.baseUrl} is ${state}: ${error?.message ?? ''}`];
    }),
  'a finished export is whole, and only one that is not over has parts': async (stage) => {
    const all = (await sessionsOf(stage)).flatMap((session) => session.exports.list());
    const { documents } = stage.computer;
    const names = stage.outside(() => (existsSync(documents) ? readdirSync(documents) : []));
    const latest = new Map(all.toReversed().map((job) => [job.file ?? '', job]));
    return [
      ...[...latest].flatMap(([file, { state, rows, exportId }]) => {
        if (state !== 'done') return [];
        const there = stage.outside(() => wholeRows(file));
        return there === rows ? [] : [`${exportId}: ${there ?? 'no'} rows in ${file}, ${rows} were written`];
      }),
      ...names.flatMap((name) => {
        const [, id] = /\.([0-9a-f]{8})\.part/.exec(name) ?? [];
        const owner = all.find(({ exportId }) => exportId.slice(0, 8) === id);
        return id === undefined || (owner !== undefined && !isOverExport(owner)) ? [] : [`left: ${name}`];
      }),
    ];
  },
  'no span becomes two items of one build': (stage) =>
    [...stage.builds].flatMap(([name, { origin, mayRepeat }]) => {
      if (mayRepeat) return [];
      const ids = itemSources(stage, origin, name);
      const twice = ids.length - new Set(ids).size;
      return twice === 0 ? [] : [`${twice} items of ${name} are there twice`];
    }),
};

const isOverExport = ({ state }: { state: string }): boolean => state === 'done' || state === 'cancelled';

/** The number of rows in an exported file, null if the file is missing or its manifest states another number. */
function wholeRows(file: string): number | null {
  if (!existsSync(file) || !existsSync(`${file}.manifest.json`)) return null;
  const rows = linesOf(readFileSync(file, 'utf8')) - 1;
  const manifest: unknown = JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'));
  const stated =
    typeof manifest === 'object' && manifest !== null && 'rows' in manifest ? manifest.rows : null;
  return stated === rows ? rows : null;
}

/** Whether a job waits, or is planned and due. */
function isWaiting(state: string, startAtMs: number | null): boolean {
  return state === 'waiting' || (startAtMs !== null && startAtMs <= Date.now());
}

const WOKEN = 'what waits for the service is woken once it is back';

/** Call when the service has been reachable for a while, as no job should wait for it any more. */
export async function checkWoken(stage: Stage): Promise<void> {
  for (const session of await sessionsOf(stage)) {
    if (session.network.state().state !== 'online') continue;
    const page = session.jobs.list({ kinds: null, states: null, search: null, offset: 0, limit: 200 });
    for (const { kind, id, state, startAtMs, error } of page.jobs)
      if (isWaiting(state, startAtMs) && error !== null && isUnreachable(error.code))
        stage.world.fail(WOKEN, `${kind} ${id} waits: ${error.message}`);
  }
}

export async function checkQuiet(stage: Stage): Promise<void> {
  for (const [name, check] of Object.entries(WHEN_QUIET)) {
    const findings = await check(stage);
    for (const each of findings.slice(0, MAX_FINDINGS)) stage.world.fail(name, each);
  }
}

/** Everything that remains of a process, as readable text. */
export function leftOf({ world, network }: Stage, life: Life): string[] {
  const steps = world
    .pendingOf(life)
    .filter(({ kind, label }) => kind !== 'person' && label !== KEYCHAIN_ANSWER);
  const threads = [...currentThreads().running].filter(
    (worker) => worker.keepsProcess && worker.life.isOf(life),
  );
  const left = [
    ...steps.map(({ kind, label, life: owner }) => `${kind} ${label} of ${owner.name}`),
    ...threads.map((worker) => `thread ${worker.life.name}`),
    ...openDatabasesOf(life).map((file) => `open ${file.slice(file.lastIndexOf('/') + 1)}`),
    ...(network.ofLife(life) > 0 ? [`${network.ofLife(life)} requests`] : []),
  ];
  return left.slice(0, MAX_LEFT);
}

/** Checks that an orderly stop leaves nothing of the process. */
export function checkStopped(stage: Stage, life: Life): void {
  const left = leftOf(stage, life);
  if (left.length > 0) stage.world.fail('a stop leaves no timer, thread, store or request', left.join('; '));
}

/** Applies only while the disk has free space. */
export const IN_ORDER = 'a stop ends without an error';

export const INVARIANTS: readonly string[] = [
  ...Object.keys(ON_ARRIVAL),
  CLOSED_VIEW,
  LEFT_ADDRESS,
  STOPPED,
  WOKEN,
  ...[ROWS_SHOWN, ROWS_MATCH, ROWS_SORTED, RECORD_SHOWN],
  ...[SETTINGS_STAY, NEWEST_FIRST, WORK_LISTED, TOKEN_HIDDEN],
  ...Object.keys(WHEN_QUIET),
  'a stop leaves no timer, thread, store or request',
  'a stop ends within its time',
  IN_ORDER,
  'what is asked while all is well is answered',
  'what waits goes on once the service is back',
  'every refusal has a reason that is not a fault of the program',
  'no promise is rejected unheard',
  'nothing is thrown where nobody catches it',
  'no work fails in the background',
];

/** Finds violations for each file, from its markers and the number of times that each occurs at the services. */
function perFile(
  stage: Stage,
  wrong: (sent: SentFile, counts: [number, number][]) => [number, number][],
): Findings {
  const stored = new Map<string, Map<number, number>>();
  return stage.sent.flatMap((sent) => {
    const counts = stored.get(sent.modelId) ?? storedMarkers(stage, sent.modelId);
    stored.set(sent.modelId, counts);
    const own = Array.from({ length: sent.rows }, (_, row): [number, number] => [
      sent.firstMarker + row,
      counts.get(sent.firstMarker + row) ?? 0,
    ]);
    const found = wrong(sent, own);
    if (found.length === 0) return [];
    const [first] = found;
    return [
      `${found.length} of ${sent.rows} rows of ${sent.jobId}, first ${first?.[0]}: ${first?.[1]} times`,
    ];
  });
}

/** Counts markers at all services, as a connection may be moved to another service while its uploads wait. */
function storedMarkers(stage: Stage, modelId: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { life, app } of stage.services.values()) {
    for (const record of stage.world.lives.run(life, () => app.events(modelId).records)) {
      const value = Number(record[MARKER_COLUMN]);
      if (value % 1 === 0.25) counts.set(Math.floor(value), (counts.get(Math.floor(value)) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * How often each marked row is an item of a dataset, null if the dataset was deleted. The services have the same
 * datasets at first.
 */
function itemMarkers(stage: Stage, datasetId: string): Map<number, number> | null {
  if (stage.deletions.has(datasetId) || stage.deletedElsewhere.has(datasetId)) return null;
  const counts = new Map<number, number>();
  const all = [...stage.services.values()].flatMap(({ life, app }) =>
    stage.world.lives.run(life, () => app.service.stores.items.all(datasetId)),
  );
  for (const item of all) {
    const marker = Number(MARKED_ITEM.exec(JSON.stringify(item))?.[1] ?? 0);
    if (marker > 0) counts.set(marker, (counts.get(marker) ?? 0) + 1);
  }
  return counts;
}

/** The spans from which items were made. Items of files have none. */
function itemSources(stage: Stage, origin: string, name: string): string[] {
  const { life, app } = stage.service(origin);
  const dataset = stage
    .service(origin)
    .datasets()
    .find((record) => record['name'] === name);
  if (dataset === undefined) return [];
  const { items } = app.service.stores;
  return stage.world.lives.run(life, () =>
    items
      .all(String(dataset['id']))
      .flatMap(({ source_id: source }) => (typeof source === 'string' ? [source] : [])),
  );
}

async function sessionsOf(stage: Stage): Promise<Session[]> {
  const { engine } = stage.run;
  return await Promise.all(stage.connections().map(({ id }) => engine.session(id)));
}

async function uploadsOf(stage: Stage) {
  return (await sessionsOf(stage)).flatMap((session) =>
    session.uploads.listJobs().map((job) => ({ session, job })),
  );
}

async function buildsOf(stage: Stage) {
  return (await sessionsOf(stage)).flatMap((session) => session.datasets.builds.list());
}
