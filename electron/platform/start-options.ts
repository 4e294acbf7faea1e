/** The command-line arguments of the window. */
import { parseArgs } from 'node:util';

export interface StartOptions {
  /** Arguments that are not options, which are files and links to open. */
  words: readonly string[];
  dataDir: string | null;
  /** `--data-dir` was given without a folder. */
  isDataDirMissing: boolean;
  isSmoke: boolean;
  screenshot: string | null;
}

/**
 * Parses `argv`, which begins with the program's name. Unknown options are ignored, because the browser engine has its
 * own.
 */
export function readStartOptions(argv: readonly string[]): StartOptions {
  const { values, positionals } = parseArgs({
    args: argv.slice(1),
    strict: false,
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string' },
      smoke: { type: 'boolean' },
      screenshot: { type: 'string' },
      // An option of Electron, whose value is a script that runs before this one and not a file to open.
      require: { type: 'string', short: 'r', multiple: true },
    },
  });
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    words: positionals,
    dataDir: text(values['data-dir']),
    isDataDirMissing: values['data-dir'] === true,
    isSmoke: values['smoke'] === true,
    screenshot: text(values['screenshot']),
  };
}
