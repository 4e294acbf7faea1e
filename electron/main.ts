/**
 * Entry of the window. If the data folder is already open, this process passes its arguments to the window there and
 * ends, so this file imports little. Otherwise it opens its window, and loads the application while the page loads.
 */
import { mkdirSync } from 'node:fs';
import * as electron from 'electron';
import { app, type BrowserWindow } from 'electron';
import type { MenuActs } from './first-window.ts';
import { openGate } from './ipc/gate.ts';
import { declareAppScheme, prepareAnswers } from './platform/app-protocol.ts';
import { configureCollector } from './platform/collector.ts';
import { usableData } from './platform/data-copy.ts';
import { introduceToDesktop, startedProgram } from './platform/desktop.ts';
import { createFailure } from './platform/failure.ts';
import { takeTokenFromEnvironment } from './platform/given-token.ts';
import { keepMinidumps } from './platform/minidumps.ts';
import { keepOpenEvents } from './platform/open-events.ts';
import { dataPaths, defaultDataDir, makeDataDir } from './platform/paths.ts';
import { APP_ORIGIN } from './platform/renderer-files.ts';
import { readStartOptions } from './platform/start-options.ts';
import { systemClock } from './platform/system.ts';
import { AppError } from './shared/errors.ts';

const startedAtMs = systemClock.monotonicMs();
takeTokenFromEnvironment();
configureCollector();
const options = readStartOptions(process.argv);
const failure = createFailure(options);

try {
  start();
} catch (thrown) {
  failure.end(thrown);
}

/** Not a top-level await, because Electron's `ready` waits for the end of this module. */
function start(): void {
  if (options.isDataDirMissing) {
    throw new AppError('INVALID_ARGUMENT', '--data-dir expects a folder after it.');
  }
  const named = dataPaths(options.dataDir ?? defaultDataDir(process.platform, process.env));
  const { paths, copyNotice } = usableData(named);
  makeDataDir(paths);
  mkdirSync(paths.engineDir, { recursive: true, mode: 0o700 });
  app.setPath('userData', paths.engineDir);
  if (!app.requestSingleInstanceLock()) {
    process.stderr.write(`Spandeck is already open on ${paths.dataDir}; its window comes to the front.\n`);
    app.quit();
    return;
  }
  process.on('uncaughtException', failure.end);
  declareAppScheme();
  const program = startedProgram(process.platform, process.execPath, process.env);
  introduceToDesktop(electron, { platform: process.platform, program, isPackaged: app.isPackaged });
  keepMinidumps(electron, paths.minidumpsDir);
  const takeOpenEvents = keepOpenEvents(app);
  let window: BrowserWindow | null = null;
  const answerBy = openGate({ origin: APP_ORIGIN, window: () => window });
  const acts: MenuActs = {
    early: null,
    command: (id) => {
      acts.early = id;
    },
    quit: () => app.quit(),
  };
  const first = import('./first-window.ts');
  const loaded = first.then(async () => {
    const application = await import('./application.ts');
    prepareAnswers();
    return application;
  });
  const here = import.meta.dirname;
  const started = app.whenReady().then(async () => {
    const { openFirstWindow } = await first;
    const opened = openFirstWindow({ here, paths, acts });
    ({ window } = opened);
    opened.window.once('closed', () => {
      window = null;
    });
    const windowAtMs = systemClock.monotonicMs();
    const { runApplication } = await loaded;
    // The window was closed meanwhile, so the runtime has quit.
    if (window === null) return;
    runApplication({
      ...{ here, paths, program, options, copyNotice, startedAtMs, windowAtMs },
      ...{ failure, takeOpenEvents, answerBy, acts },
      ...opened,
    });
  });
  started.catch(failure.end);
}
