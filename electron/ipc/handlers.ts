import { clipboard } from 'electron';
import type { Session } from '../engine/session.ts';
import type { Library } from '../library/library.ts';
import { chooseFiles, folderOf, openFolder } from '../platform/dialogs.ts';
import { runtimeInfo } from '../platform/runtime.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ListQuery, RowPage, RowWindow } from '../shared/model.ts';
import type { SqlAnswers, SqlRequest } from '../shared/sql-model.ts';
import { agentHandlers } from './agent-handlers.ts';
import { damagedHandlers } from './damaged-handlers.ts';
import {
  buildHandlers,
  coverageHandlers,
  presetHandlers,
  runHandlers,
  scoreHandlers,
  snapshotHandlers,
} from './dataset-handlers.ts';
import { fileOf } from './dragged-file.ts';
import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { healthHandlers } from './health-handlers.ts';
import { jobHandlers } from './job-handlers.ts';
import { keepHandlers } from './keep-handlers.ts';
import { lockHandlers } from './lock-handlers.ts';
import { askForFile } from './open-dialog.ts';
import { outboxHandlers } from './outbox-handlers.ts';
import { packHandlers } from './pack-handlers.ts';
import type { Handlers } from './register.ts';
import { reportHandlers } from './report-handlers.ts';
import { saveAs } from './save-dialog.ts';
import { trafficHandlers } from './traffic-handlers.ts';

/** One handler for each channel; each delegates to the component that does the work. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...shellHandlers(deps),
    ...appHandlers(deps),
    ...connectionHandlers(deps),
    ...libraryHandlers(deps),
    ...resourceHandlers(deps),
    ...jobHandlers(deps),
    ...damagedHandlers(deps),
    ...healthHandlers(deps),
    ...agentHandlers(deps),
    ...lockHandlers(deps),
    ...packHandlers(deps),
    ...reportHandlers(deps),
    ...keepHandlers(deps),
    ...outboxHandlers(deps),
    ...layoutHandlers(deps),
    ...trafficHandlers(deps),
    ...uploadHandlers(deps),
    ...buildHandlers(deps),
    ...scoreHandlers(deps),
    ...runHandlers(deps),
    ...snapshotHandlers(deps),
    ...coverageHandlers(deps),
    ...presetHandlers(deps),
  };
}

/** Handlers that need only the system. */
export function shellHandlers({
  logsDir,
}: Pick<HandlerDeps, 'logsDir'>): Pick<Handlers, 'app:copy-text' | 'app:open-logs'> {
  return {
    'app:copy-text': async ({ text }) => {
      await clipboard.writeText(text);
      return null;
    },
    'app:open-logs': async () => {
      await openFolder(logsDir);
      return null;
    },
  };
}

function appHandlers({
  engine,
  window,
  onReady,
  onSaved,
  takeCrash,
  takeBrokenRun,
  takeNotice,
  dragOut,
  isOnBattery,
}: HandlerDeps): Omit<HandlersOf<'app' | 'settings'>, keyof ReturnType<typeof shellHandlers>> {
  return {
    'app:get-info': () => ({
      ...runtimeInfo(),
      canDragOut: dragOut.isThere(),
      crash: takeCrash(),
      brokenRun: takeBrokenRun(),
      notice: takeNotice(),
    }),
    'app:report-ready': ({ view }) => {
      onReady(view);
      return null;
    },
    'app:report-saved': () => {
      onSaved();
      return null;
    },
    'app:report-power': ({ isOnBattery: isSeen, ...news }) =>
      engine.power.report({ ...news, isOnBattery: isOnBattery() ?? isSeen }),
    'app:save-file': ({ fileName, base64 }) =>
      saveAs({ engine, window }, fileName, async (path) => {
        await engine.writeFile(path, Buffer.from(base64, 'base64'));
        return {};
      }),
    'app:drag-out': async (dragged) => {
      await dragOut.start(await fileOf({ engine, dragOut }, dragged));
      return null;
    },
    'settings:get': () => engine.readSettings(),
    'settings:set': (patch) => engine.saveSettings(withoutUndefined(patch)),
  };
}

function connectionHandlers({ engine, window }: HandlerDeps): HandlersOf<'connections'> {
  const { connections } = engine;
  return {
    'connections:list': () => connections.list(),
    'connections:get-keychain': () => connections.keychainStatus(),
    'connections:choose-file': ({ kind }) => askForFile({ engine, window }, kind),
    'connections:test': ({ draft, token, secrets }) => engine.testConnection(draft, token, secrets),
    'connections:save': ({ draft, token, secrets }) => engine.saveConnection(draft, token, secrets),
    'connections:activate': ({ connectionId }) => connections.activate(connectionId),
    'connections:forget': async ({ connectionId }, readsNow) => {
      const removed = await connections.forget(connectionId);
      readsNow();
      return removed;
    },
    'connections:open-sample': () => engine.openSample(),
    'connections:set-sample-running': ({ isRunning }) => engine.setSampleRunning(isRunning),
    'connections:set-offline': async ({ connectionId, isOffline }, readsNow) => {
      await engine.setOffline(isOffline);
      const { network } = await engine.session(connectionId);
      readsNow();
      return network.state();
    },
    'connections:get-network': async ({ connectionId }, readsNow) => {
      const { network } = await engine.session(connectionId);
      readsNow();
      return network.state();
    },
  };
}

/** Reads parts of long stored records; null if another answer is stored by now. */
export function storedParts(engine: HandlerDeps['engine']) {
  return async (part: { connectionId: string; textId: number; from: number }): Promise<string | null> =>
    (await engine.session(part.connectionId)).library.readRecord(part);
}

function libraryHandlers({ engine }: HandlerDeps): HandlersOf<'library'> {
  const library = async (connectionId: string) => (await engine.session(connectionId)).library;
  return {
    'library:open-list': async ({ connectionId, window, isClick = false, ...request }, readsNow) => {
      const opened = isClick ? (await askedAgain(engine, connectionId)).library : await library(connectionId);
      const state = await opened.openList({ ...request, isClick }, readsNow);
      return { state, page: window === undefined ? null : await firstRows(opened, request.query, window) };
    },
    'library:read-rows': async (request) =>
      (await library(request.connectionId)).readRows(request, 'message'),
    'library:fetch-rows': async (request) => (await library(request.connectionId)).fetchRows(request),
    'library:open-record': async (request) =>
      (await library(request.connectionId)).openRecord(request, 'message'),
    'library:release': ({ connectionId, viewId }) => {
      engine.releaseView(connectionId, viewId);
      return null;
    },
    'library:profile': async ({ connectionId, ...request }) => (await library(connectionId)).profile(request),
    'library:sql': async (request) => runSql((await engine.session(request.connectionId)).sql, request),
    'library:search': async ({ connectionId, ...request }) =>
      (await engine.session(connectionId)).search.find(request),
  };
}

function runSql(sql: Session['sql'], request: SqlRequest): Promise<SqlAnswers[keyof SqlAnswers]> {
  switch (request.act) {
    case 'views':
      return sql.describe();
    case 'run':
      return sql.run(request.runId, request.sql);
    case 'rows':
      return sql.rows(request.runId, request.window);
    case 'profile':
      return sql.profile(request.runId, request.fields, request.filters);
    case 'stop':
      return sql.stop(request.runId).then(() => null);
  }
}

/**
 * The first rows of a list; null for an invalid filter, so that the list still opens. Reading its rows then reports the
 * error.
 */
async function firstRows(library: Library, query: ListQuery, window: RowWindow): Promise<RowPage | null> {
  // Yields to other work, because opening the list has already used the main thread.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    return await library.readRows({ query, window }, 'message');
  } catch (thrown) {
    if (toAppError(thrown).code !== 'INVALID_ARGUMENT') throw thrown;
    return null;
  }
}

function resourceHandlers({ engine }: HandlerDeps): HandlersOf<'resources'> {
  return {
    'resources:act': async ({ connectionId, ...request }) =>
      (await askedAgain(engine, connectionId)).resources.act(request),
    'resources:watch-job': async ({ connectionId, ...request }) =>
      (await askedAgain(engine, connectionId)).resources.watchJob(request),
    'resources:dry-run': async ({ connectionId, draft }) =>
      (await engine.session(connectionId)).dryRunRule(draft),
  };
}

function layoutHandlers({ engine }: HandlerDeps): HandlersOf<'layout'> {
  return {
    'layout:read': async ({ connectionId }) => (await engine.session(connectionId)).layout.read(),
    'layout:write': async ({ connectionId, key, value }) => {
      await (await engine.session(connectionId)).layout.write(key, value);
      return null;
    },
  };
}

function uploadHandlers({
  engine,
  window,
  takeOpened,
  onFiles,
}: HandlerDeps): HandlersOf<'uploads' | 'events'> {
  const uploads = async (connectionId: string) => (await engine.session(connectionId)).uploads;
  const ownWindow = () => {
    const open = window();
    if (open === null) throw new AppError('INTERNAL', 'There is no window to ask in.');
    return open;
  };
  return {
    'uploads:offer-files': ({ paths }) => engine.files.offer(paths),
    'uploads:choose-files': async () => {
      const opened = takeOpened();
      const paths =
        opened.length > 0 ? opened : await chooseFiles(ownWindow(), engine.readSettings().lastFolder);
      const first = paths[0];
      if (first === undefined) return [];
      engine.saveSettings({ lastFolder: folderOf(first) });
      onFiles(paths);
      return engine.files.offer(paths);
    },
    'uploads:offer-sample': ({ connectionId }) => engine.offerSampleFile(connectionId),
    'uploads:inspect': ({ connectionId, fileId, dialect }) =>
      engine.files
        .ownedBy(engine.connections.get(connectionId).id)
        .inspect(fileId, dialect === null ? null : withoutUndefined(dialect)),
    'uploads:profile': ({ connectionId, fileId, dialect }) =>
      engine.profileFile(
        fileId,
        dialect === null ? null : withoutUndefined(dialect),
        engine.connections.get(connectionId).id,
      ),
    'uploads:start-dry-run': async ({ connectionId, plan }) =>
      (await uploads(connectionId)).startDryRun(plan),
    'uploads:cancel-dry-run': async ({ connectionId, dryRunId }) =>
      (await uploads(connectionId)).cancelDryRun(dryRunId),
    'uploads:get-dry-run': async ({ connectionId, dryRunId }) =>
      (await uploads(connectionId)).getDryRun(dryRunId),
    'uploads:check-rows': async ({ connectionId, dryRunId, places }) =>
      (await uploads(connectionId)).checkRows(dryRunId, places),
    'uploads:check-value': async ({ connectionId, dryRunId, ...value }) => ({
      problem: await (await uploads(connectionId)).checkValue(dryRunId, value),
    }),
    'uploads:read-check': async ({ connectionId, jobId }) => (await uploads(connectionId)).checkOf(jobId),
    'uploads:keep-preparation': async ({ connectionId, preparationId, chosen }) => {
      const { preparations } = await uploads(connectionId);
      if (chosen === null) preparations.end(preparationId);
      else preparations.keep(preparationId, chosen.fileId, chosen.choices, chosen.isRestored);
      return null;
    },
    'uploads:list-preparations': async ({ connectionId }) =>
      (await uploads(connectionId)).preparations.list(),
    'uploads:list-bad-rows': async ({ connectionId, ...query }) =>
      (await uploads(connectionId)).listBadRows(query),
    'uploads:undo': async ({ connectionId, jobId, agreed, startAtMs }) =>
      (await askedAgain(engine, connectionId)).uploads.undo(jobId, agreed, startAtMs),
    'events:get-budget': async ({ connectionId }) => (await uploads(connectionId)).deletionBudget(),
  };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes keys that are set to undefined, which a partial zod schema allows and merging does not. */
function withoutUndefined<T extends object>(value: T): Defined<T> {
  // Safe cast: the filter removes exactly the keys that the type removes.
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Defined<T>;
}
