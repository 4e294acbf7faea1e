/** The command line of `npm run service`, and the files it reads. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseFaults } from './faults.ts';
import { type LimitOverrides, parseLimitOverrides } from './limit-settings.ts';
import type { TokenEntry } from './settings.ts';
import type { SampleServiceOptions } from './start-service.ts';

export const USAGE =
  'npm run service -- --port P --token T [--read-only-token T] [--no-project-token T] [--db FILE] [--limits spec|off|FILE] [--faults FILE] [--empty] [--strict] [--cap N] [--token-days N]';

const OPTIONS = {
  port: { type: 'string' },
  token: { type: 'string' },
  'read-only-token': { type: 'string', multiple: true },
  'no-project-token': { type: 'string', multiple: true },
  db: { type: 'string' },
  limits: { type: 'string' },
  faults: { type: 'string' },
  empty: { type: 'boolean' },
  strict: { type: 'boolean' },
  cap: { type: 'string' },
  'token-days': { type: 'string' },
} as const;

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value) || value < least || value > most) {
    throw new Error(`--${name} must be a whole number from ${least} to ${most}; "${text}" was given.`);
  }
  return value;
}

function readJsonFile(name: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new Error(`--${name}: the file ${file} cannot be read (${code}).`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`--${name}: the file ${file} is not JSON.`);
  }
}

function limitsOf(choice: string): 'spec' | 'off' | LimitOverrides {
  if (choice === 'spec' || choice === 'off') return choice;
  return parseLimitOverrides(readJsonFile('limits', choice));
}

function tokenText(name: string, text: string): string {
  if (/^\S+$/.test(text)) return text;
  throw new Error(`--${name} must be a text without spaces.`);
}

/** Throws an Error with a one-line message for invalid arguments. */
export function parseServiceArguments(argv: readonly string[]): SampleServiceOptions {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false, strict: true });
  if (values.port === undefined) throw new Error('--port is missing; 0 takes any free port.');
  if (values.token === undefined) throw new Error('--token is missing.');
  const further = (['read-only', 'no-project'] as const).flatMap((role) =>
    (values[`${role}-token`] ?? []).map(
      (text): TokenEntry => ({ token: tokenText(`${role}-token`, text), role }),
    ),
  );
  return {
    port: wholeNumber('port', values.port, 0, 65_535),
    token: tokenText('token', values.token),
    tokens: further,
    dbFile: values.db ?? null,
    limits: limitsOf(values.limits ?? 'spec'),
    faults: values.faults === undefined ? [] : parseFaults(readJsonFile('faults', values.faults)),
    isEmpty: values.empty ?? false,
    isStrict: values.strict ?? false,
    settings: {
      ...(values.cap === undefined ? {} : { maxLimit: wholeNumber('cap', values.cap, 1, 1_000_000) }),
      ...(values['token-days'] === undefined
        ? {}
        : { tokenDays: wholeNumber('token-days', values['token-days'], 0, 10_000) }),
    },
  };
}
