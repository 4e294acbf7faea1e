/** The composition root of the window: builds every part in order and connects them. No other file does this. */
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import * as electron from 'electron';
import { app, BrowserWindow, nativeTheme } from 'electron';
import { guardTimers, type ReportFailure } from './core/guard-timers.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import type { FirstWindow, MenuActs } from './first-window.ts';
import { failedHandlers } from './ipc/failed-handlers.ts';
import type { Answer } from './ipc/gate.ts';
import { createHandlers, storedParts } from './ipc/handlers.ts';
import { MessageQueue } from './ipc/message-queue.ts';
import { answersOf, type Handlers, publish } from './ipc/register.ts';
import { createJobNotifications } from './jobs/job-notifications.ts';
import { createAppLock } from './platform/app-lock.ts';
import { createBackground } from './platform/background.ts';
import { closeAll, createPageSaver, SAVING_MS } from './platform/closing.ts';
import { hasTrayPlace } from './platform/desktop.ts';
import { askClosing, askHanging, askQuitting } from './platform/dialogs.ts';
import { createDragOut } from './platform/drag-out.ts';
import type { Failure } from './platform/failure.ts';
import { createKeychain, endInSpiteOf } from './platform/keychain.ts';
import { noteRun } from './platform/last-run.ts';
import type { OpenEvent } from './platform/open-events.ts';
import { OpenRequestQueue, readOpenRequest, TASKS } from './platform/open-requests.ts';
import type { DataPaths } from './platform/paths.ts';
import { createPrintPdf } from './platform/print-pdf.ts';
import {
  addRecentFiles,
  hider,
  minimizer,
  offerTasks,
  onSystemEnd,
  powerNews,
  systemUnlock,
} from './platform/runtime-parts.ts';
import { quitInOrder, quitOnSignals } from './platform/signals.ts';
import { createSmokeReport } from './platform/smoke.ts';
import type { StartOptions } from './platform/start-options.ts';
import { systemClock, systemCountry, systemRandom } from './platform/system.ts';
import { systemCertificates } from './platform/system-certificates.ts';
import { createSystemFeedback } from './platform/system-feedback.ts';
import { systemProxy } from './platform/system-proxy.ts';
import { offerTextMenu } from './platform/text-menu.ts';
import { NO_TRAY, trayOf } from './platform/tray.ts';
import { startUtilityProcess } from './platform/utility-process.ts';
import { type CrashWatch, reloadAfterCrash } from './platform/window-crash.ts';
import { lockWindow } from './platform/window-lock.ts';
import { detached, failureOf } from './shared/detached.ts';
import { toAppError } from './shared/errors.ts';
import { EventSequence } from './shared/event-sequence.ts';
import { DEFAULT_SETTINGS } from './shared/settings.ts';

/**
 * Maximum wait of the window for a token. A keychain without a dialog answers sooner; the window does not wait for a
 * dialog.
 */
const TOKEN_PATIENCE_MS = 1_000;
/** Delay of the check, which takes a CPU second per gigabyte and must not slow down the first use of the window. */
const STORE_CHECK_AFTER_MS = 10_000;

/** Target of a click on a notification, by the subject of the notification. */
const NOTICE_PLACES = { jobs: 'go.my-jobs', alerts: 'go.alert-rules', both: 'go.start' } as const;

interface ApplicationDeps extends FirstWindow {
  options: StartOptions;
  paths: DataPaths;
  /** The message to show if `paths` belong to a copy of the data folder. */
  copyNotice: string | null;
  /** The program that opens links. */
  program: string;
  startedAtMs: number;
  windowAtMs: number;
  failure: Failure;
  /** Passes on the open requests received since the start, and each later one. */
  takeOpenEvents: (take: (event: OpenEvent) => void) => void;
  answerBy: (answer: Answer) => void;
  acts: MenuActs;
}

/** Runs the application. Call it once, with the window that waits for its answers. */
export function runApplication(deps: ApplicationDeps): void {
  const { window: ownWindow, logger, pages, showMenu, paths, program, options, failure, acts } = deps;
  let window: BrowserWindow | null = ownWindow;
  let engine: Engine | null = null;
  /** Null until the engine exists. */
  let reportFailure: ReportFailure | null = null;
  const thisRun = noteRun(paths.runNote, systemClock.nowMs(), logger);
  failure.noteBy(({ code, message }, stack) => {
    logger.error('stopped by a failure', { code, reason: message, stack });
    logger.flushSync();
    thisRun.fail(message);
  });
  // An unhandled rejection leaves a known state: the window reports it, and the application continues.
  process.on('unhandledRejection', (reason) => {
    const { what, thrown } = failureOf(reason);
    if (reportFailure === null) failure.end(thrown);
    else reportFailure(what, thrown);
  });
  const clock = guardTimers(systemClock, (what, thrown) =>
    reportFailure === null ? failure.end(thrown) : reportFailure(what, thrown),
  );
  const close = () => {
    if (engine === null) {
      thisRun.end();
      return null;
    }
    jobNotifications.stop();
    windowLock.stop();
    return closeAll({ window, save: saver.save, stop: engine.stop, clock: systemClock, logger }).then(
      thisRun.end,
    );
  };
  const { isClosing, quit } = quitInOrder(app, close, () => background.asksFirst());
  quitOnSignals(process, quit);
  app.on('window-all-closed', quit);
  const outgoing = { messages: new MessageQueue(), order: new EventSequence() };
  const settings = () => engine?.readSettings() ?? DEFAULT_SETTINGS;
  const keychain = createKeychain(process.platform, undefined, () => settings().keychainWaitMs);
  endInSpiteOf(keychain, true);
  const lock = createAppLock({
    file: paths.lockFile,
    clock: systemClock,
    logger,
    system: systemUnlock(electron),
  });
  /** Passes events only to unlocked windows: a locked window reloads when it is unlocked, so it needs none. */
  const notify: typeof publish = (target, out, channel, payload) => {
    if (!lock.isLocked()) publish(target, out, channel, payload);
  };
  const command = (id: string) => notify(window, outgoing, 'app:command', { command: id });
  const power = powerNews(electron);
  const reportPower = () => {
    const isOnBattery = power.isOnBattery();
    if (isOnBattery !== null) engine?.power.report({ isOnBattery });
  };
  const windowLock = lockWindow({
    lock,
    clock,
    power,
    limitMs: () => settings().lockAfterMs,
    askPage: () => command('app.lock'),
    reload: () => {
      queue.left();
      window?.webContents.reload();
    },
  });
  const jobNotifications = createJobNotifications({
    clock,
    feedback: createSystemFeedback(() => window),
    settings,
    isInFront: () => window?.isFocused() === true && !window.isMinimized(),
    onOpen: (target) => {
      background.show();
      if (target.about === 'alert') queue.addAlert(target);
      else queue.addPlace(NOTICE_PLACES[target.about]);
    },
  });
  const hasTray = hasTrayPlace(process.platform, process.env);
  const background = createBackground({
    showTray: hasTray ? trayOf(electron) : NO_TRAY,
    hide: () => (hasTray ? hider(window) : minimizer(window)),
    show: () => comeToFront(window),
    running: jobNotifications.running,
    choice: () => settings().whenClosed,
    keepChoice: (whenClosed) => void engine?.saveSettings({ whenClosed }),
    askClosing: (running) =>
      window === null ? Promise.resolve('quit') : askClosing(window, running, hasTray),
    askQuitting: (running) => (window === null ? Promise.resolve(true) : askQuitting(window, running)),
    quit,
    isClosing,
    isMac: process.platform === 'darwin',
  });
  acts.quit = background.quit;
  app.on('activate', background.show);
  const smoke = createSmokeReport(options, deps, quit);
  const queue = new OpenRequestQueue({
    command: (id, link) =>
      notify(window, outgoing, 'app:command', link === undefined ? { command: id } : { command: id, link }),
    alert: (alert) => notify(window, outgoing, 'alerts:open', alert),
  });
  const saver = createPageSaver(
    () => notify(window, outgoing, 'app:closing', { withinMs: SAVING_MS }),
    () => queue.isListening,
  );
  acts.command = (id) => queue.addMenu(id);
  if (acts.early !== null) queue.addMenu(acts.early);
  const pageLeft = () => {
    queue.left();
    saver.saved();
  };
  ownWindow.webContents.on('did-navigate', pageLeft);
  ownWindow.webContents.on('render-process-gone', pageLeft);
  const open = ({ words, folder }: Pick<OpenEvent, 'words' | 'folder'>) => {
    const found = readOpenRequest(words, folder, isFile);
    addRecentFiles(electron, found.files);
    queue.add(found);
  };
  open({ words: options.words, folder: process.cwd() });
  deps.takeOpenEvents((event) => {
    open(event);
    if (event.isLaterStart) background.show();
  });
  /** Makes the system's title bar, menus and dialogs light or dark, like the page. */
  const followTheme = () => {
    const { theme } = settings();
    if (nativeTheme.themeSource !== theme) nativeTheme.themeSource = theme;
  };
  const crashes: CrashWatch = reloadAfterCrash(ownWindow.webContents, {
    clock,
    logger,
    isClosing,
    askHanging: () => askHanging(ownWindow),
    onGivenUp: ({ reason }) => {
      failure.say(
        'the window keeps crashing',
        `The window crashed several times in a row (${reason}), so Spandeck quits. Stored data is kept. Details are in the logs: ${paths.logsDir}.`,
      );
      quit();
    },
  });
  const dragOut = createDragOut({
    runtime: electron,
    contents: () => window?.webContents ?? null,
    folder: paths.draggedDir,
    makeFolder: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  });
  const ofLock = { lock, windowLock };

  /** Throws the errors of `createEngine`. */
  const start = (): Handlers => {
    const created = createEngine({
      paths,
      clock: systemClock,
      random: systemRandom,
      logger,
      keychain,
      startChild: startUtilityProcess,
      surroundings: { environment: process.env, systemProxy: systemProxy(), systemCertificates },
      followsOfflineAtStart: true,
      resumesUploads: true,
      checksStoresAfterMs: STORE_CHECK_AFTER_MS,
      tokenPatienceMs: TOKEN_PATIENCE_MS,
      copyNotice: deps.copyNotice,
      publish: (channel, payload) => {
        if (channel === 'settings:changed') {
          followTheme();
          showMenu(settings().shortcuts);
        }
        if ('job' in payload && 'kind' in payload) jobNotifications.take(payload);
        if ('alerts' in payload) jobNotifications.takeAlerts(payload);
        notify(window, outgoing, channel, payload);
      },
    });
    engine = created;
    ({ reportFailure } = created);
    let { notice } = created;
    power.onBack(created.lookAtServices);
    power.onPower(reportPower);
    reportPower();
    offerTasks(electron, program, TASKS);
    followTheme();
    showMenu(settings().shortcuts);
    const handlers = createHandlers({
      ...{ ...ofLock, engine: created, isOnBattery: power.isOnBattery, dragOut },
      logsDir: paths.logsDir,
      printPdf: createPrintPdf({
        ...{ pages, clock: systemClock, country: systemCountry },
        openWindow: (given) => new BrowserWindow(given),
      }),
      window: () => window,
      takeCrash: crashes.take,
      takeBrokenRun: thisRun.take,
      takeNotice: () => {
        const said = notice;
        notice = null;
        return said;
      },
      takeOpened: () => queue.takeFiles(),
      onFiles: (files) => addRecentFiles(electron, files),
      onSaved: saver.saved,
      onReady: (view) => {
        crashes.ready();
        queue.ready(view);
        if (window !== null) detached('looking at the window of a smoke test', smoke.ready(window, view));
      },
    });
    answer = answersOf({
      ...{ ...outgoing, logger, handlers, isLocked: lock.isLocked },
      readStored: storedParts(created),
    });
    if (!lock.isLocked()) openShown(created);
    logger.info('opened', { version: app.getVersion() });
    return handlers;
  };
  /** Tries to start. Throws errors that prevent a start. */
  const attempt = (): Handlers => {
    try {
      return start();
    } catch (thrown) {
      const { code, message, stack = null } = toAppError(thrown);
      logger.error('not opened', { code, reason: message, stack });
      process.stderr.write(`error ${code}: ${message}\n`);
      throw thrown;
    }
  };
  let answer: Answer;
  try {
    attempt();
  } catch (thrown) {
    // Nobody reads the window of a smoke run.
    if (options.isSmoke) throw thrown;
    const error = toAppError(thrown);
    answer = answersOf({
      ...{ ...outgoing, logger, isLocked: lock.isLocked },
      // The window shows the reason, and a button that tries again.
      handlers: failedHandlers({ ...ofLock, logsDir: paths.logsDir, error, tryAgain: attempt }),
      readStored: () => null,
    });
  }
  deps.answerBy((...call) => answer(...call));
  offerTextMenu(electron, ownWindow.webContents);
  ownWindow.on('close', (event) => {
    // Without an engine there is nothing to save, and a quit would not wait.
    if (engine !== null) background.onClose(event);
  });
  onSystemEnd(electron, ownWindow, () => {
    // The system may end the process before everything is closed; the stores survive that.
    thisRun.end();
    quit();
  });
  ownWindow.on('closed', () => {
    window = null;
    // Destroys windows for printing, which must not keep the application running without a visible window.
    for (const other of BrowserWindow.getAllWindows()) other.destroy();
  });
}

/** Opens the connection that the page shows first, while the page loads. */
function openShown({ connections, session }: Engine): void {
  const { activeId } = connections.list();
  if (activeId === null) return;
  // An error is ignored here, because the page opens the connection again and shows it.
  session(activeId).catch(() => undefined);
}

function comeToFront(window: BrowserWindow | null): void {
  if (window === null) return;
  if (window.isMinimized()) window.restore();
  if (!window.isVisible()) window.show();
  window.focus();
}

/** A path that cannot be checked counts as no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
