/** The checks that run no program of the project: types by zone, format and lint, and file lengths. */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { compile } from 'svelte/compiler';
import { ROOT } from './runtime.ts';
import { COMPILED, type TOOLS, toolCommand } from './tools.ts';
import { wordingProblems } from './wording.ts';

export interface Check {
  readonly name: string;
  readonly run: () => Promise<{ isPassed: boolean; text: string }>;
}

/** Zones with one `tsc` run each, so that each sees only the types that its code may use. The slowest comes first. */
const TYPE_ZONES = [
  ['product against the Chromium host', 'build/chromium-host/tsconfig.host.json'],
  ['test', 'test/tsconfig.json'],
  ['electron', 'electron/tsconfig.json'],
  ['Chromium host, and its members against Electron', 'build/chromium-host/tsconfig.json'],
  ['electron/core', 'electron/core/tsconfig.json'],
  ['build', 'build/tsconfig.json'],
  ['preload', 'electron/tsconfig.preload.json'],
  ['preload against the Chromium host', 'build/chromium-host/tsconfig.host-preload.json'],
] as const;

/**
 * Maximum lines of a file. From 300 lines on, ask whether the file does two things; above the limit, it must be split
 * at a natural boundary.
 */
const LINE_LIMITS: Readonly<Record<string, number>> = { '.ts': 500, '.mjs': 500, '.js': 500, '.svelte': 400 };
const SOURCE_FOLDERS = ['electron', 'renderer', 'build', 'test'];

/** Cache that makes the next run of the checks faster. */
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'spandeck');

/**
 * A large young generation is collected less often, and parallel collection would only compete with the check that runs
 * at the same time.
 */
const SHORT_LIVED = ['--single-threaded-gc', '--min-semi-space-size=32'];

/**
 * Cache of files that were found formatted, which are not read again. Prettier's cache covers its own version and
 * options, but not its plugin's.
 */
function prettierCache(): string {
  const { version } = JSON.parse(
    fs.readFileSync(path.join(ROOT, 'node_modules/prettier-plugin-svelte/package.json'), 'utf8'),
  );
  return path.join(CACHE, `prettier-svelte-${version}.json`);
}

/** Runs a development tool and collects its output. */
function runTool(
  name: keyof typeof TOOLS,
  args: readonly string[],
): Promise<{ isPassed: boolean; text: string }> {
  const [program, script] = toolCommand(name);
  return runProgram(program, [...SHORT_LIVED, script, ...args]);
}

/**
 * Checks the types of a zone with TypeScript 7: with one checker, because two checks run at a time, and incrementally
 * since its last run.
 */
function checkTypes(config: string): Promise<{ isPassed: boolean; text: string }> {
  const tsc = path.join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const info = path.join(CACHE, 'types', `${config.replaceAll('/', '-')}.tsbuildinfo`);
  const options = ['--checkers', '1', '--incremental', '--tsBuildInfoFile', info];
  return runProgram(process.execPath, [tsc, '-p', config, ...options]);
}

function runProgram(program: string, args: readonly string[]): Promise<{ isPassed: boolean; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      // GOGC makes TypeScript 7 collect garbage less often: a fifth less work for a tenth more memory.
      env: { NODE_COMPILE_CACHE: COMPILED, GOGC: '400', ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ isPassed: code === 0, text }));
  });
}

/** Paths of the source files with one of these extensions, relative to the root. */
function sourceFiles(extensions: readonly string[]): string[] {
  return SOURCE_FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile() && extensions.includes(path.extname(item.name)))
      .map((item) => path.relative(ROOT, path.join(item.parentPath, item.name))),
  );
}

const readSource = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Files over the length limit (docs/ARCHITECTURE.md, "Rules"), as "path: lines, limit". */
function filesTooLong(): string[] {
  return sourceFiles(Object.keys(LINE_LIMITS)).flatMap((file) => {
    const limit = LINE_LIMITS[path.extname(file)] ?? Number.POSITIVE_INFINITY;
    const lines = readSource(file).trimEnd().split('\n').length;
    return lines > limit ? [`${file}: ${lines} lines, the limit is ${limit}`] : [];
  });
}

/** Files that are not checked: the one with the rules and its test, which contain the forbidden words. */
const WORDING_RULES = ['build/wording.ts', 'test/unit/wording.test.ts'];

function unclearWording(): string[] {
  return sourceFiles(['.ts', '.mts', '.mjs', '.svelte'])
    .filter((file) => !WORDING_RULES.includes(file))
    .flatMap((file) => wordingProblems(file, readSource(file)));
}

/** The compiler's messages about each component, as "path:line: code: message". */
function svelteComplaints(): string[] {
  return fs.globSync('renderer/**/*.svelte', { cwd: ROOT }).flatMap((file) => {
    const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
    try {
      const { warnings } = compile(source, { filename: file, generate: false });
      return warnings.map(({ code, message, start }) => `${file}:${start?.line ?? 1}: ${code}: ${message}`);
    } catch (error) {
      return [`${file}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/** The result of a check from the list of its findings. */
const listed = (found: readonly string[]): ReturnType<Check['run']> =>
  Promise.resolve({ isPassed: found.length === 0, text: found.join('\n') });

const typeChecks = (): Check[] => [
  {
    name: 'types: renderer',
    run: () =>
      runTool('svelte-check', [
        '--tsconfig',
        'renderer/tsconfig.json',
        '--fail-on-warnings',
        '--output',
        'human',
        // Without the compiler, because svelte-check would first compile each script separately; "lint: Svelte" calls
        // the compiler directly.
        '--diagnostic-sources',
        'js,css',
      ]),
  },
  ...TYPE_ZONES.map(([zone, config]) => ({
    name: `types: ${zone}`,
    run: () => checkTypes(config),
  })),
];

const lintChecks = (): Check[] => [
  {
    name: 'lint: biome',
    run: () => runTool('biome', ['check', '--diagnostic-level=warn', '--max-diagnostics=50']),
  },
  {
    name: 'lint: Svelte',
    run: () => listed(svelteComplaints()),
  },
  {
    name: 'lint: prettier (Svelte)',
    run: () =>
      runTool('prettier', [
        ...['--config', 'build/prettier.json', '--check', 'renderer/**/*.svelte'],
        ...['--cache', '--cache-strategy', 'content', '--cache-location', prettierCache()],
      ]),
  },
  {
    name: 'lint: sizes of files',
    run: () => listed(filesTooLong()),
  },
  {
    name: 'lint: wording (docs/style.md)',
    run: () => listed(unclearWording()),
  },
];

/** The checks of the parts that are wanted. */
export function checksOf(isWanted: (part: string) => boolean): Check[] {
  return [...(isWanted('types') ? typeChecks() : []), ...(isWanted('lint') ? lintChecks() : [])];
}
