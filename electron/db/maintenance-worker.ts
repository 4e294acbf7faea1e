/** The thread that measures, checks, compacts, repairs or searches one store; started by `maintenance-thread.ts`. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '../shared/errors.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import { checkStore, compactStore, measureStore, repairStore } from './maintenance.ts';
import { maintenanceTask } from './maintenance-thread.ts';
import { neededFiles } from './needed-files.ts';
import { earliestPlannedStart } from './planned-start-file.ts';
import { listCopies, removeCopy, restoreCopy } from './store-copies.ts';

takeFormats(getEnvironmentData);

const task = maintenanceTask.parse(workerData);
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

function run(): unknown {
  switch (task.kind) {
    case 'measure':
      return measureStore(task, task.nowMs);
    case 'check': {
      const { error, note } = checkStore(task, task.nowMs);
      return { error: error?.toWire() ?? null, note };
    }
    case 'compact':
      compactStore(task, task.nowMs);
      return null;
    case 'repair':
      return repairStore(task, task.nowMs, logger);
    case 'copies':
      return listCopies(task);
    case 'removeCopy':
      removeCopy(task.file, task.name);
      return null;
    case 'restore':
      return restoreCopy(task, task.name, task.nowMs, logger);
    case 'neededFiles':
      return neededFiles(task.file, task.nowMs);
    case 'plannedStart':
      return earliestPlannedStart(task.file, task.nowMs);
  }
}

try {
  parentPort?.postMessage({ value: run() });
} catch (problem) {
  parentPort?.postMessage({ error: toAppError(problem).toWire() });
}
