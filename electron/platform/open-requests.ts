import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NoticeTarget } from '../core/jobs/job-notifications.ts';
import { COMMANDS } from '../shared/commands.ts';
import { isViewLink, MAX_VIEW_CHARACTERS } from '../shared/saved-view.ts';

/** A request from outside the window: from the file manager, a link, or command-line arguments. */
interface Opened {
  /** Full paths of existing files. They are offered for an upload; nothing is sent yet. */
  readonly files: readonly string[];
  /** A navigation command of the table; links cannot run other commands. */
  readonly command: string | null;
  /** A link to a view. The window parses it, shows what it would open, and asks. */
  readonly link: string | null;
}

const MAX_FILES = 500;
const MAX_CHARACTERS = 4_096;
const OPEN_LINK = 'views.open-link';
const SCHEME = 'spandeck://';

/** Places that the system offers before the window is open, in the jump list of Windows. */
export const TASKS = [
  { link: `${SCHEME}uploads`, title: 'Uploads' },
  { link: `${SCHEME}search`, title: 'Search' },
  { link: `${SCHEME}my-jobs`, title: 'Jobs' },
] as const;

/**
 * Parses the arguments after the program's name, which are untrusted: options, folders, missing files and unknown links
 * are ignored. `folder`: the folder to which relative paths refer. `spandeck://uploads` means *Go to uploads*.
 */
export function readOpenRequest(
  words: readonly string[],
  folder: string,
  isFile: (path: string) => boolean,
): Opened {
  const files: string[] = [];
  let command: string | null = null;
  let link: string | null = null;
  for (const word of words) {
    if (word === '' || word.startsWith('-') || word.includes('\0')) continue;
    if (word.length > (isViewLink(word) ? MAX_VIEW_CHARACTERS : MAX_CHARACTERS)) continue;
    if (isViewLink(word)) link = word;
    else if (word.toLowerCase().startsWith(SCHEME)) command = commandOf(word) ?? command;
    else {
      const path = pathOf(word, folder);
      if (path !== null && files.length < MAX_FILES && !files.includes(path) && isFile(path))
        files.push(path);
    }
  }
  return { files, command, link };
}

/** The command of a link spandeck://PLACE; null for any other link. */
function commandOf(link: string): string | null {
  const place = /^spandeck:\/\/([a-z-]+)\/?$/i.exec(link)?.[1]?.toLowerCase();
  return COMMANDS.find(({ id }) => id === `go.${place}`)?.id ?? null;
}

/** Full path of an argument. Desktops may pass a file as a file: URL. */
function pathOf(word: string, folder: string): string | null {
  if (/^file:\/\//i.test(word)) {
    try {
      return fileURLToPath(word);
    } catch {
      // The URL is malformed, or of a file on another computer.
      return null;
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word)) return null;
  return isAbsolute(word) ? word : resolve(folder, word);
}

/** Target of a click on a notification about one alert. */
type OpenedAlert = Extract<NoticeTarget, { about: 'alert' }>;

/** Functions that send messages to the window. */
interface OpenMessages {
  command: (id: string, link?: string) => void;
  alert: (alert: OpenedAlert) => void;
}

/**
 * Holds requests until the window can show them, which needs an open connection and a painted first view. Holds a
 * command of the menu until there is a page.
 */
export class OpenRequestQueue {
  #files: string[] = [];
  #command: string | null = null;
  #alert: OpenedAlert | null = null;
  #link: string | null = null;
  /** The last command of the menu that no page was there to take. */
  #menuCommand: string | null = null;
  #isReady = false;
  /** True while a page listens: it painted its first view, and was not left since. */
  #isShown = false;
  #isLocked = false;
  readonly #send: OpenMessages;

  constructor(send: OpenMessages) {
    this.#send = send;
  }

  add({ files, command, link }: Opened): void {
    this.#files.push(...files.filter((file) => !this.#files.includes(file)));
    this.#command = command ?? this.#command;
    this.#link = link ?? this.#link;
    this.#flush();
  }

  /** Adds a command of the menu, which needs a page but no connection. A locked window ignores it. */
  addMenu(command: string): void {
    if (this.#isLocked) return;
    this.#menuCommand = command;
    this.#flush();
  }

  /** Adds a place to show, after a click on a notification. */
  addPlace(command: string): void {
    this.add({ files: [], command, link: null });
  }

  addAlert(alert: OpenedAlert): void {
    this.#alert = alert;
    this.#flush();
  }

  /** Notes that a view was painted; `welcome` means that no connection is open, `locked` that the window is locked. */
  ready(view: string): void {
    this.#isShown = true;
    this.#isLocked = view === 'locked';
    this.#isReady = view !== 'welcome' && !this.#isLocked;
    this.#flush();
  }

  /** Notes that the page was left by a reload, a crash or the lock, so that requests wait for the next view. */
  left(): void {
    this.#isReady = false;
    this.#isShown = false;
  }

  /** Whether an unlocked page takes messages. */
  get isListening(): boolean {
    return this.#isShown && !this.#isLocked;
  }

  /** Returns the pending files and clears them. The window requests them like files of the dialog. */
  takeFiles(): string[] {
    return this.#files.splice(0);
  }

  #flush(): void {
    if (this.isListening && this.#menuCommand !== null) {
      this.#send.command(this.#menuCommand);
      this.#menuCommand = null;
    }
    if (!this.#isReady) return;
    if (this.#command !== null) this.#send.command(this.#command);
    this.#command = null;
    if (this.#alert !== null) this.#send.alert(this.#alert);
    this.#alert = null;
    if (this.#link !== null) this.#send.command(OPEN_LINK, this.#link);
    this.#link = null;
    if (this.#files.length > 0) this.#send.command('uploads.choose');
  }
}
