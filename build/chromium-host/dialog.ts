/** `dialog` through zenity. */
import * as path from 'node:path';
import type { BrowserWindow } from './browser-window.ts';
import { runProgram } from './programs.ts';
import { HostObject } from './unsupported.ts';

interface FileFilter {
  readonly name: string;
  readonly extensions: readonly string[];
}

/** Types as in Electron's documentation, limited to the parts that the stand-in supports. */
export interface OpenDialogOptions {
  title?: string;
  defaultPath?: string;
  buttonLabel?: string;
  filters?: FileFilter[];
  properties?: ('openFile' | 'openDirectory' | 'multiSelections' | 'createDirectory' | 'promptToCreate')[];
}

export interface SaveDialogOptions {
  title?: string;
  defaultPath?: string;
  buttonLabel?: string;
  filters?: FileFilter[];
  properties?: ('createDirectory' | 'showOverwriteConfirmation')[];
}

export interface MessageBoxOptions {
  message: string;
  type?: 'none' | 'info' | 'error' | 'question' | 'warning';
  buttons?: string[];
  defaultId?: number;
  cancelId?: number;
  title?: string;
  detail?: string;
  noLink?: boolean;
}

/** Arguments for zenity that the file dialogs have in common. */
function fileArguments(options: OpenDialogOptions | SaveDialogOptions): string[] {
  const args = ['--file-selection', '--separator=\n'];
  if (options.title !== undefined) args.push(`--title=${options.title}`);
  if (options.defaultPath !== undefined) args.push(`--filename=${path.resolve(options.defaultPath)}`);
  for (const { name, extensions } of options.filters ?? []) {
    args.push(
      `--file-filter=${name} | ${extensions.map((item) => (item === '*' ? '*' : `*.${item}`)).join(' ')}`,
    );
  }
  return args;
}

type Last<Options> = [Options] | [BrowserWindow, Options];

const optionsOf = <Options>(args: Last<Options>): Options => (args.length === 1 ? args[0] : args[1]);

export class Dialog extends HostObject {
  showOpenDialog(
    window: BrowserWindow,
    options: OpenDialogOptions,
  ): Promise<{ canceled: boolean; filePaths: string[] }>;
  showOpenDialog(options: OpenDialogOptions): Promise<{ canceled: boolean; filePaths: string[] }>;
  async showOpenDialog(
    ...given: Last<OpenDialogOptions>
  ): Promise<{ canceled: boolean; filePaths: string[] }> {
    const options = optionsOf(given);
    const args = fileArguments(options);
    if (options.properties?.includes('multiSelections') === true) args.push('--multiple');
    if (options.properties?.includes('openDirectory') === true) args.push('--directory');
    const { code, text } = await runProgram('zenity', args, 'dialog.showOpenDialog');
    const filePaths = code === 0 ? text.split('\n').filter((line) => line !== '') : [];
    return { canceled: code !== 0, filePaths };
  }

  showSaveDialog(
    window: BrowserWindow,
    options: SaveDialogOptions,
  ): Promise<{ canceled: boolean; filePath: string }>;
  showSaveDialog(options: SaveDialogOptions): Promise<{ canceled: boolean; filePath: string }>;
  async showSaveDialog(...given: Last<SaveDialogOptions>): Promise<{ canceled: boolean; filePath: string }> {
    const args = [...fileArguments(optionsOf(given)), '--save'];
    const { code, text } = await runProgram('zenity', args, 'dialog.showSaveDialog');
    return { canceled: code !== 0, filePath: code === 0 ? text.trimEnd() : '' };
  }

  showMessageBox(
    window: BrowserWindow,
    options: MessageBoxOptions,
  ): Promise<{ response: number; checkboxChecked: boolean }>;
  showMessageBox(options: MessageBoxOptions): Promise<{ response: number; checkboxChecked: boolean }>;
  async showMessageBox(
    ...given: Last<MessageBoxOptions>
  ): Promise<{ response: number; checkboxChecked: boolean }> {
    const options = optionsOf(given);
    const {
      message,
      detail = '',
      title = '',
      buttons = ['OK'],
      cancelId = buttons.length > 1 ? buttons.length - 1 : 0,
    } = options;
    const args = [
      '--question',
      '--no-markup',
      '--switch',
      `--title=${title}`,
      `--text=${message}\n\n${detail}`.trimEnd(),
    ];
    for (const button of buttons) args.push(`--extra-button=${button}`);
    const { text } = await runProgram('zenity', args, 'dialog.showMessageBox');
    const chosen = buttons.indexOf(text.trimEnd());
    return { response: chosen === -1 ? cancelId : chosen, checkboxChecked: false };
  }

  /** Electron allows this before 'ready', when only standard error is available, so the text is printed there. */
  showErrorBox(title: string, content: string): void {
    process.stderr.write(`${title}\n${content}\n`);
  }
}

export const dialog: Dialog = new Dialog();
