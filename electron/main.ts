/** Composition root: builds every part in order and connects it to the window. No other file does. */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as electron from 'electron';
import { app, BrowserWindow, dialog, nativeTheme } from 'electron';
import type { ReportFailure } from './core/guard-timers.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import { createHandlers, storedParts } from './ipc/handlers.ts';
import { MessageQueue } from './ipc/message-queue.ts';
import { publish, registerChannels } from './ipc/register.ts';
import { createJobNotifications } from './jobs/job-notifications.ts';
import { createAppLock } from './platform/app-lock.ts';
import { declareAppScheme, serveApp } from './platform/app-protocol.ts';
import { createBackground } from './platform/background.ts';
import { closeAll } from './platform/closing.ts';
import { configureCollector } from './platform/collector.ts';
import { usableData } from './platform/data-copy.ts';
import { hasTrayPlace, introduceToDesktop, startedProgram } from './platform/desktop.ts';
import { askClosing, askHanging, askQuitting } from './platform/dialogs.ts';
import { createDragOut } from './platform/drag-out.ts';
import { takeTokenFromEnvironment } from './platform/given-token.ts';
import { createKeychain, endInSpiteOf } from './platform/keychain.ts';
import { noteRun, type RunNote } from './platform/last-run.ts';
import { createFileLogger, type FileLogger } from './platform/logger.ts';
import { createMenu } from './platform/menu.ts';
import { keepMinidumps } from './platform/minidumps.ts';
import { OpenRequestQueue, readOpenRequest, TASKS } from './platform/open-requests.ts';
import { PagesToPrint } from './platform/pages-to-print.ts';
import { dataPaths, defaultDataDir, makeDataDir } from './platform/paths.ts';
import { createPrintPdf } from './platform/print-pdf.ts';
import { APP_ORIGIN } from './platform/renderer-files.ts';
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
import { readStartOptions } from './platform/start-options.ts';
import { systemClock, systemCountry, systemRandom } from './platform/system.ts';
import { systemCertificates } from './platform/system-certificates.ts';
import { createSystemFeedback } from './platform/system-feedback.ts';
import { systemProxy } from './platform/system-proxy.ts';
import { offerTextMenu } from './platform/text-menu.ts';
import { NO_TRAY, trayOf } from './platform/tray.ts';
import { startUtilityProcess } from './platform/utility-process.ts';
import { lockDownSession, openWindow } from './platform/window.ts';
import { type CrashWatch, reloadAfterCrash } from './platform/window-crash.ts';
import { lockWindow } from './platform/window-lock.ts';
import { detached, failureOf } from './shared/detached.ts';
import { AppError, toAppError } from './shared/errors.ts';
import { EventSequence } from './shared/event-sequence.ts';
import { DEFAULT_SETTINGS } from './shared/settings.ts';

const startedAtMs = systemClock.monotonicMs();
takeTokenFromEnvironment();
configureCollector();
const options = readStartOptions(process.argv);
let paths = dataPaths(options.dataDir ?? defaultDataDir(process.platform, process.env));
/** The message to show if `paths` are those of a copy. */
let copyNotice: string | null = null;
const here = import.meta.dirname;
const program = startedProgram(process.platform, process.execPath, process.env);
const hasTray = hasTrayPlace(process.platform, process.env);

/** A keychain without a dialog answers sooner; the window does not wait for one with a dialog. */
const TOKEN_PATIENCE_MS = 1_000;
/** The check takes a CPU second per gigabyte: it must not slow down the first use of the window. */
const STORE_CHECK_AFTER_MS = 10_000;

/** Target of a click on a notification, by what it is about. */
const NOTICE_PLACES = { jobs: 'go.my-jobs', alerts: 'go.alert-rules', both: 'go.start' } as const;

/** Created with the window; earlier requests wait in `openedEarly`. */
let opened: OpenRequestQueue | null = null;
const openedEarly = [readOpenRequest(options.words, process.cwd(), isFile)];
let window: BrowserWindow | null = null;
let engine: Engine | null = null;
/** Null until the engine exists. */
let reportFailure: ReportFailure | null = null;
let thisRun: RunNote | null = null;
let isClosing: () => boolean = () => false;
/** Quits without asking. */
let quit: () => void = () => app.quit();
/** Whether the person is asked about a quit by the system; and what to stop when a quit begins. */
let asksFirst: () => boolean = () => false;
let beforeClosing: () => void = () => undefined;
/** Brings it back from the background too, once that is set up. */
let showAgain: () => void = comeToFront;

try {
  start();
} catch (thrown) {
  fail(null, thrown);
}

/** No top-level await: Electron's `ready` waits for the end of this module. */
function start(): void {
  if (options.isDataDirMissing) {
    throw new AppError('INVALID_ARGUMENT', '--data-dir expects a folder after it.');
  }
  const usable = usableData(paths);
  paths = usable.paths;
  copyNotice = usable.copyNotice;
  makeDataDir(paths);
  mkdirSync(paths.engineDir, { recursive: true, mode: 0o700 });
  app.setPath('userData', paths.engineDir);
  if (!app.requestSingleInstanceLock()) {
    process.stderr.write(`Spandeck is already open on ${paths.dataDir}; its window comes to the front.\n`);
    app.quit();
    return;
  }
  const logger = createFileLogger(paths.logsDir, systemClock);
  process.on('uncaughtException', (error) => fail(logger, error));
  // An unhandled rejection leaves a known state: the window reports it, and the application continues.
  process.on('unhandledRejection', (reason) => {
    const { what, thrown } = failureOf(reason);
    if (reportFailure === null) fail(logger, thrown);
    else reportFailure(what, thrown);
  });
  thisRun = noteRun(paths.runNote, systemClock.nowMs(), logger);
  declareAppScheme();
  introduceToDesktop(electron, { platform: process.platform, program, isPackaged: app.isPackaged });
  keepMinidumps(electron, paths.minidumpsDir);
  app.on('second-instance', (_event, argv, folder) => {
    open(argv.slice(1), folder);
    showAgain();
  });
  // macOS passes files and links as events, the first ones before the window exists.
  app.on('open-file', (event, path) => {
    event.preventDefault();
    open([path], '/');
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    open([link], '/');
  });
  app.on('window-all-closed', () => quit());
  const close = () => {
    if (engine === null) return null;
    beforeClosing();
    return closeAll({ window, stop: engine.stop, clock: systemClock, logger }).then(() => thisRun?.end());
  };
  ({ isClosing, quit } = quitInOrder(app, close, () => asksFirst()));
  const started = app.whenReady().then(
    () => run(logger).catch((thrown: unknown) => fail(logger, thrown)),
    (thrown: unknown) => fail(logger, thrown),
  );
  detached('starting', started);
}

async function run(logger: FileLogger): Promise<void> {
  quitOnSignals(process, quit);
  lockDownSession();
  const pages = new PagesToPrint(systemRandom.uuid);
  serveApp(join(here, 'renderer'), pages);
  const outgoing = { messages: new MessageQueue(), order: new EventSequence() };
  const keychain = createKeychain(
    process.platform,
    undefined,
    () => engine?.readSettings().keychainWaitMs ?? DEFAULT_SETTINGS.keychainWaitMs,
  );
  endInSpiteOf(keychain, true);
  const lock = createAppLock({
    file: paths.lockFile,
    clock: systemClock,
    logger,
    system: systemUnlock(electron),
  });
  /** A locked window needs no events: it reloads when it is unlocked. */
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
    clock: systemClock,
    power,
    limitMs: () => (engine?.readSettings() ?? DEFAULT_SETTINGS).lockAfterMs,
    askPage: () => command('app.lock'),
    reload: () => window?.webContents.reload(),
  });
  const jobNotifications = createJobNotifications({
    clock: systemClock,
    feedback: createSystemFeedback(() => window),
    settings: () => engine?.readSettings() ?? DEFAULT_SETTINGS,
    isInFront: () => window?.isFocused() === true && !window.isMinimized(),
    onOpen: (target) => {
      showAgain();
      if (target.about === 'alert') notify(window, outgoing, 'alerts:open', target);
      else command(NOTICE_PLACES[target.about]);
    },
  });
  const background = createBackground({
    showTray: hasTray ? trayOf(electron) : NO_TRAY,
    hide: () => (hasTray ? hider(window) : minimizer(window)),
    show: comeToFront,
    running: jobNotifications.running,
    choice: () => (engine?.readSettings() ?? DEFAULT_SETTINGS).whenClosed,
    keepChoice: (whenClosed) => void engine?.saveSettings({ whenClosed }),
    askClosing: (running) =>
      window === null ? Promise.resolve('quit') : askClosing(window, running, hasTray),
    askQuitting: (running) => (window === null ? Promise.resolve(true) : askQuitting(window, running)),
    quit,
    isClosing,
    isMac: process.platform === 'darwin',
  });
  showAgain = background.show;
  const showMenu = createMenu(process.platform, command, background.quit);
  app.on('activate', background.show);
  ({ asksFirst } = background);
  beforeClosing = () => {
    jobNotifications.stop();
    windowLock.stop();
  };
  const smoke = createSmokeReport(options, startedAtMs, quit);
  // Its page loads while the engine opens, and calls nothing before this turn has ended.
  const newWindow = openWindow({ preload: join(here, 'preload.cjs'), stateFile: paths.windowState, logger });
  smoke.windowOpened();
  engine = createEngine({
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
    copyNotice,
    publish: (channel, payload) => {
      if (channel === 'settings:changed') {
        followTheme();
        showMenu((engine?.readSettings() ?? DEFAULT_SETTINGS).shortcuts);
      }
      if ('job' in payload && 'kind' in payload) jobNotifications.take(payload);
      if ('alerts' in payload) jobNotifications.takeAlerts(payload);
      notify(window, outgoing, channel, payload);
    },
  });
  ({ reportFailure } = engine);
  let { notice } = engine;
  power.onBack(engine.lookAtServices);
  power.onPower(reportPower);
  reportPower();
  offerTasks(electron, program, TASKS);
  followTheme();
  let crashes: CrashWatch | null = null;
  const queue = new OpenRequestQueue((id, link) =>
    notify(window, outgoing, 'app:command', link === undefined ? { command: id } : { command: id, link }),
  );
  for (const early of openedEarly.splice(0)) queue.add(early);
  opened = queue;
  registerChannels({
    ...outgoing,
    origin: APP_ORIGIN,
    window: () => window,
    logger,
    readStored: storedParts(engine),
    isLocked: lock.isLocked,
    handlers: createHandlers({
      ...{ engine, lock, windowLock, isOnBattery: power.isOnBattery },
      logsDir: paths.logsDir,
      dragOut: createDragOut({
        runtime: electron,
        contents: () => window?.webContents ?? null,
        folder: paths.draggedDir,
        makeFolder: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
      }),
      printPdf: createPrintPdf({
        ...{ pages, clock: systemClock, country: systemCountry },
        openWindow: (options) => new BrowserWindow(options),
      }),
      window: () => window,
      takeCrash: () => crashes?.take() ?? null,
      takeBrokenRun: () => thisRun?.take() ?? null,
      takeNotice: () => {
        const said = notice;
        notice = null;
        return said;
      },
      takeOpened: () => queue.takeFiles(),
      onFiles: (paths) => addRecentFiles(electron, paths),
      onReady: (view) => {
        crashes?.ready();
        queue.ready(view);
        if (window !== null) detached('looking at the window of a smoke test', smoke.ready(window, view));
      },
    }),
  });
  showMenu(engine.readSettings().shortcuts);
  window = newWindow;
  if (!lock.isLocked()) openShown(engine);
  offerTextMenu(electron, window.webContents);
  crashes = reloadAfterCrash(window.webContents, {
    clock: systemClock,
    logger,
    isClosing,
    askHanging: () => askHanging(newWindow),
    onGivenUp: ({ reason }) => {
      say(
        'the window keeps crashing',
        `The window crashed several times in a row (${reason}), so Spandeck quits. Stored data is kept. Details are in the logs: ${paths.logsDir}.`,
      );
      quit();
    },
  });
  window.on('close', background.onClose);
  onSystemEnd(electron, window, () => {
    // The system may end the process before everything is closed; the stores survive that.
    thisRun?.end();
    quit();
  });
  window.on('closed', () => {
    window = null;
    // A page that is printed now must not keep the application running without a window.
    for (const other of BrowserWindow.getAllWindows()) other.destroy();
  });
  logger.info('opened', { version: app.getVersion() });
}

/** Opens the connection that the page shows first, while the page loads. */
function openShown({ connections, session }: Engine): void {
  const { activeId } = connections.list();
  if (activeId === null) return;
  // The page opens it again, and shows the error.
  session(activeId).catch(() => undefined);
}

/** An unhandled error: logs it, shows it to the person, and ends the application. */
function fail(logger: FileLogger | null, thrown: unknown): void {
  const error = toAppError(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? null) : null;
  logger?.error('stopped by a failure', { code: error.code, reason: error.message, stack });
  logger?.flushSync();
  thisRun?.fail(error.message);
  process.stderr.write(`error ${error.code}: ${error.message}\n`);
  say(error.toWire().title, error.message);
  app.exit(1);
}

/** Nobody sees a dialog in a smoke run, and it would block. */
function say(title: string, message: string): void {
  if (!options.isSmoke) dialog.showErrorBox(`Spandeck: ${title}`, message);
}

function comeToFront(): void {
  if (window === null) return;
  if (window.isMinimized()) window.restore();
  if (!window.isVisible()) window.show();
  window.focus();
}

/** Makes the system's title bar, menus and dialogs as light or dark as the page. */
function followTheme(): void {
  const theme = engine?.readSettings().theme ?? 'system';
  if (nativeTheme.themeSource !== theme) nativeTheme.themeSource = theme;
}

function open(words: readonly string[], folder: string): void {
  const found = readOpenRequest(words, folder, isFile);
  addRecentFiles(electron, found.files);
  if (opened === null) openedEarly.push(found);
  else opened.add(found);
}

/** A path that cannot be checked counts as no file. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
