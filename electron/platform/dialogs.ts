import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BrowserWindow, dialog, shell } from 'electron';
import { AppError } from '../shared/errors.ts';
import type { ClosingAnswer } from './background.ts';

/**
 * Files that a person chose in the system's dialog; empty if cancelled. The application passes the last folder, because
 * Electron 43 and later do not remember it.
 */
export async function chooseFiles(window: BrowserWindow, lastFolder: string | null): Promise<string[]> {
  const answer = await dialog.showOpenDialog(window, {
    title: 'Choose event files',
    ...(await folderOption(lastFolder)),
    properties: ['openFile', 'multiSelections'],
    filters: [
      {
        name: 'Event files',
        extensions: [
          'csv',
          'tsv',
          'txt',
          'jsonl',
          'ndjson',
          'json',
          'parquet',
          'arrow',
          'feather',
          'xlsx',
          'gz',
          'zst',
          'br',
          'zip',
        ],
      },
      { name: 'Tables sent whole', extensions: ['csv', 'parquet'] },
      { name: 'All files', extensions: ['*'] },
    ],
  });
  return answer.canceled ? [] : answer.filePaths;
}

/** Dialogs for choosing a single file, with their file extensions. */
const ONE_FILE = {
  pack: { title: 'Open a pack', name: 'Packs', extensions: ['pack'] },
  authorities: {
    title: 'Choose certificate authorities',
    name: 'Certificates',
    extensions: ['pem', 'crt', 'cer'],
  },
  certificate: {
    title: 'Choose the client certificate',
    name: 'Certificates with their key',
    extensions: ['p12', 'pfx', 'pem'],
  },
} as const;

/** The chosen file of this kind; null if cancelled. */
export async function chooseOne(
  window: BrowserWindow,
  kind: keyof typeof ONE_FILE,
  lastFolder: string | null,
): Promise<string | null> {
  const { title, name, extensions } = ONE_FILE[kind];
  const answer = await dialog.showOpenDialog(window, {
    title,
    ...(await folderOption(lastFolder)),
    properties: ['openFile'],
    filters: [
      { name, extensions: [...extensions] },
      { name: 'All files', extensions: ['*'] },
    ],
  });
  return answer.canceled ? null : (answer.filePaths[0] ?? null);
}

/** A folder for the files of a mirror, which the dialog can also create; null if cancelled. */
export async function chooseFolder(window: BrowserWindow, lastFolder: string | null): Promise<string | null> {
  const answer = await dialog.showOpenDialog(window, {
    title: 'Choose an empty folder, or a mirror to refresh',
    buttonLabel: 'Mirror here',
    ...(await folderOption(lastFolder)),
    properties: ['openDirectory', 'createDirectory', 'promptToCreate'],
  });
  return answer.canceled ? null : (answer.filePaths[0] ?? null);
}

/** A path for saving `fileName`; null if cancelled. */
export async function chooseSavePath(
  window: BrowserWindow,
  lastFolder: string | null,
  fileName: string,
): Promise<string | null> {
  const folder = (await folderOption(lastFolder)).defaultPath;
  const answer = await dialog.showSaveDialog(window, {
    title: 'Save file',
    defaultPath: folder === undefined ? fileName : join(folder, fileName),
  });
  return answer.canceled || answer.filePath === '' ? null : answer.filePath;
}

async function folderOption(folder: string | null): Promise<{ defaultPath?: string }> {
  if (folder === null) return {};
  const isThere = await stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isThere ? { defaultPath: folder } : {};
}

const jobsText = (running: number): string => (running === 1 ? '1 job runs' : `${running} jobs run`);

/**
 * Asks once whether jobs should continue when the window is closed; the answer is stored as a setting. `hasTray`: if
 * false, the window is minimized to the task bar instead.
 */
export async function askClosing(
  window: BrowserWindow,
  running: number,
  hasTray: boolean,
): Promise<ClosingAnswer> {
  const answers = ['background', 'quit', 'cancel'] as const;
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `${jobsText(running)}. Let the work go on without the window?`,
    detail: `${hasTray ? 'Spandeck then stays beside the clock.' : 'The window is then minimized, because this desktop shows no icons beside the clock.'} Otherwise the work stops and goes on at the next start. You are asked once; Settings, Jobs changes it.`,
    buttons: ['Go on in the background', 'Quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  });
  return answers[response] ?? 'cancel';
}

/** Asks whether to quit although jobs are running; true to quit. */
export async function askQuitting(window: BrowserWindow, running: number): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `${jobsText(running)}. Quit all the same?`,
    detail: 'The work stops, loses nothing, and goes on at the next start.',
    buttons: ['Quit', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}

/** Asks whether to reload an unresponsive page; true to reload it. */
export async function askHanging(window: BrowserWindow): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'The window does not answer.',
    detail:
      'You can wait, or load it again: tabs and drafts come back, and jobs go on meanwhile. What was typed in the last second may be lost.',
    buttons: ['Wait', 'Load again'],
    defaultId: 0,
    cancelId: 0,
  });
  return response === 1;
}

export const folderOf = dirname;

/** Shows the file in the system's file manager. */
export function showInFolder(path: string): void {
  shell.showItemInFolder(path);
}

/** Opens a folder in the system's file manager. Throws INTERNAL if the system cannot. */
export async function openFolder(path: string): Promise<void> {
  const problem = await shell.openPath(path);
  if (problem !== '')
    throw new AppError('INTERNAL', `Expected a file manager that opens ${path}. The system said: ${problem}`);
}
