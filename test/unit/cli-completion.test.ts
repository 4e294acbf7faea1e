/** Completion of the command line: the scripts match the tables, and bash itself runs the script for bash. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMON } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { completionScript } from '../../electron/cli/completion.ts';
import { RESOURCES } from '../../electron/cli/resource-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'spandeck-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = join(folder, 'completion.bash');
writeFileSync(script, completionScript('bash'));
writeFileSync(join(folder, 'a body.json'), '{}');

/** Returns the completions of bash with the cursor at the end of the last word. */
function offered(...typed: string[]): string[] {
  const body = `source "$1"; shift; COMP_WORDS=(spandeck "$@"); COMP_CWORD=$#; _spandeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', body, 'bash', script, ...typed], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

const hasBash = process.platform !== 'win32';

describe.runIf(hasBash)('completion in bash', () => {
  test('an empty word offers every command', () => {
    expect(offered('')).toEqual(COMMANDS.map(({ name }) => name));
  });

  test.each<[string, string[], string[]]>([
    ['the start of a command', ['del'], ['delete', 'delete-events']],
    ['a resource of a verb', ['ls', 'base'], ['baselines']],
    [
      'only resources that have the verb',
      ['update', ''],
      ['access-keys', 'alert-rules', 'alert-rules.notification', 'datasets', 'experiments'],
    ],
    ['flags of the resource, not of its neighbour', ['ls', 'baselines', '--mo'], ['--model']],
    ['nothing of another resource', ['ls', 'projects', '--mo'], []],
    ['options before the command', ['--base-url', 'http://x', 'get', 'mod'], ['models', 'models.metrics']],
    ['an option value is not a resource', ['ls', '--filter', '{}', 'proj'], ['projects']],
    ['methods', ['request', 'PA'], ['PATCH']],
    ['paths of the method', ['request', 'DELETE', '/v3/tr'], ['/v3/traces']],
    ['paths with parameters', ['request', 'GET', '/v3/jobs/'], ['/v3/jobs/{job_id}']],
    ['what can be done with what is planned', ['planned', ''], ['start', 'change', 'cancel']],
    ['what can be done with an upload', ['uploads', 're'], ['resume', 'receipts', 'rerun']],
    ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['files of --body', ['create', 'projects', '--body', `${folder}/a`], [`${folder}/a body.json`]],
    ['files behind @', ['create', 'projects', '--body', `@${folder}/a`], [`@${folder}/a body.json`]],
    ['files of upload', ['upload', `${folder}/a`], [`${folder}/a body.json`]],
    ['nothing for a word nobody knows', ['frobnicate', ''], []],
  ])('%s', (_name, typed, expected) => {
    expect(offered(...typed)).toEqual(expected);
  });

  test('offers every option of the command and the common ones after a dash', () => {
    const common = Object.keys(COMMON).map((name) => `--${name}`);
    expect(offered('upload', 'f.csv', '--')).toEqual([
      ...common,
      ...Object.keys(COMMANDS.find(({ name }) => name === 'upload')?.options ?? {}).map(
        (name) => `--${name}`,
      ),
    ]);
  });
});

test.each(['bash', 'zsh', 'fish'])('%s names every command and every resource', (shell) => {
  const text = completionScript(shell);
  for (const { name } of [...COMMANDS, ...RESOURCES]) expect(text).toContain(name);
});

test('quotes inside words are escaped', () => {
  // Help texts may contain apostrophes, and an unclosed quote would swallow the rest of the script.
  for (const shell of ['zsh', 'fish']) {
    const quotes =
      completionScript(shell).replaceAll(`'\\''`, '').replaceAll("\\'", '').split("'").length - 1;
    expect(quotes % 2).toBe(0);
  }
});

test('another shell is rejected with a list of the supported ones', () => {
  expect(() => completionScript('tcsh')).toThrowError(/bash, zsh, fish/);
  expect(() => completionScript(undefined)).toThrowError(/bash, zsh, fish/);
});
