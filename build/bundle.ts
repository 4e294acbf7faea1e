/**
 * Bundles the app into dist/: main and its worker threads as ES modules, the preload as one CommonJS file, the renderer
 * as a page. A part is rebuilt only if one of its input files has changed.
 *
 *   node build/bundle.ts [--force]
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
// Imports only types, because loading the bundler takes longer than finding out that nothing is stale.
import type { InlineConfig, Plugin, Rolldown } from 'vite';
import { inAscii } from './ascii.ts';
import { notices, packageFolder, withDependencies } from './notices.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist');
const STAMPS = path.join(DIST, '.stamps');
/**
 * Packages with native code, and modules of the runtime; all others are bundled. The engine's own scripts too: to find
 * and read its 180 files took half of the start of each query.
 */
const EXTERNAL = ['electron', 'better-sqlite3', 'keytar', '@duckdb/node-bindings'];
/** Files that are in no bundle, but affect all of them. */
const COMMON_INPUTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'build/bundle.ts',
  'build/ascii.ts',
];

interface Part {
  readonly name: string;
  readonly entry: string;
  /** Name of the output file or folder in dist/. */
  readonly output: string;
  readonly kind: 'module' | 'preload' | 'page';
  /** Set if only the window or only the command line starts the part. */
  readonly of?: 'window' | 'command line';
  /**
   * Whether dynamic imports go into separate files next to the part, `NAME-….js`. Help needs a tenth of the code of
   * commands, threads that read text need half of their code, and the window opens before anything is requested.
   */
  readonly isSplit?: boolean;
  /**
   * Modules whose static imports go into one file for each module, without those of the modules before. Without layers,
   * a split part would have a file for each set of importers.
   */
  readonly layers?: readonly string[];
}

/** All bundles. A worker is next to main.js under its entry's name, so that `scriptPath` finds it. */
export const PARTS: readonly Part[] = [
  {
    name: 'main',
    entry: 'electron/main.ts',
    output: 'main.js',
    kind: 'module',
    of: 'window',
    isSplit: true,
    // A start that hands over to an open window loads only the first layer; the window opens before the last one is
    // loaded.
    layers: ['electron/main.ts', 'electron/first-window.ts', 'electron/application.ts'],
  },
  {
    name: 'cli',
    entry: 'electron/cli.ts',
    output: 'cli.js',
    kind: 'module',
    of: 'command line',
    isSplit: true,
    // Most commands read; other commands share small files.
    layers: [
      'electron/cli.ts',
      'electron/cli/main.ts',
      'electron/cli/context.ts',
      'electron/cli/read-commands.ts',
    ],
  },
  {
    name: 'upload-worker',
    entry: 'electron/uploads/worker/upload-worker.ts',
    output: 'upload-worker.js',
    kind: 'module',
    isSplit: true,
  },
  {
    name: 'service-worker',
    entry: 'electron/sample-service/service-worker.ts',
    output: 'service-worker.js',
    kind: 'module',
  },
  {
    name: 'receive-worker',
    entry: 'electron/api/receive-worker.ts',
    output: 'receive-worker.js',
    kind: 'module',
  },
  {
    name: 'answer-worker',
    entry: 'electron/api/answer-worker.ts',
    output: 'answer-worker.js',
    kind: 'module',
  },
  { name: 'check-worker', entry: 'electron/db/check-worker.ts', output: 'check-worker.js', kind: 'module' },
  {
    name: 'system-certificates-worker',
    entry: 'electron/platform/system-certificates-worker.ts',
    output: 'system-certificates-worker.js',
    kind: 'module',
  },
  {
    name: 'pack-worker',
    entry: 'electron/engine/pack-worker.ts',
    output: 'pack-worker.js',
    kind: 'module',
  },
  {
    name: 'maintenance-worker',
    entry: 'electron/db/maintenance-worker.ts',
    output: 'maintenance-worker.js',
    kind: 'module',
  },
  {
    name: 'analysis-process',
    entry: 'electron/analysis/analysis-process.ts',
    output: 'analysis-process.js',
    kind: 'module',
  },
  {
    name: 'search-worker',
    entry: 'electron/engine/search-worker.ts',
    output: 'search-worker.js',
    kind: 'module',
  },
  {
    name: 'snapshot-worker',
    entry: 'electron/engine/snapshot-worker.ts',
    output: 'snapshot-worker.js',
    kind: 'module',
  },
  {
    name: 'near-duplicate-worker',
    entry: 'electron/engine/near-duplicate-worker.ts',
    output: 'near-duplicate-worker.js',
    kind: 'module',
  },
  {
    name: 'coverage-worker',
    entry: 'electron/engine/coverage-worker.ts',
    output: 'coverage-worker.js',
    kind: 'module',
  },
  {
    name: 'comparison-worker',
    entry: 'electron/engine/comparison-worker.ts',
    output: 'comparison-worker.js',
    kind: 'module',
  },
  {
    name: 'order-worker',
    entry: 'electron/engine/order-worker.ts',
    output: 'order-worker.js',
    kind: 'module',
  },
  {
    name: 'update-worker',
    entry: 'electron/db/update-worker.ts',
    output: 'update-worker.js',
    kind: 'module',
  },
  { name: 'preload', entry: 'electron/preload.ts', output: 'preload.cjs', kind: 'preload', of: 'window' },
  {
    name: 'renderer',
    entry: 'renderer/index.html',
    output: 'renderer',
    kind: 'page',
    of: 'window',
    // One file for the window and one for its first view, because each file costs a request to main.
    layers: ['renderer/mount.ts', 'renderer/views/start/StartView.svelte'],
  },
];

/**
 * Files copied next to the bundles: the window's icon, and the script that starts the command line on the person's
 * Node.
 */
const BESIDE = {
  'build/packaging/icons/256x256.png': 'icon.png',
  'build/packaging/start-cli.cjs': 'start-cli.cjs',
};

function layBeside(): void {
  fs.mkdirSync(DIST, { recursive: true });
  for (const [from, to] of Object.entries(BESIDE)) {
    const target = path.join(DIST, to);
    const bytes = fs.readFileSync(path.join(ROOT, from));
    if (fs.existsSync(target) && fs.readFileSync(target).equals(bytes)) continue;
    fs.writeFileSync(`${target}.${process.pid}`, bytes);
    fs.renameSync(`${target}.${process.pid}`, target);
  }
}

/** Maps a file, relative to the root, to the sha256 of its contents. */
type Stamp = Readonly<Record<string, string>>;

function hashFile(file: string): string {
  const absolute = path.join(ROOT, file);
  return fs.existsSync(absolute)
    ? createHash('sha256').update(fs.readFileSync(absolute)).digest('hex')
    : 'absent';
}

const stampFile = (part: Part): string => path.join(STAMPS, `${part.name}.json`);

function isFresh(part: Part): boolean {
  const needed = [path.join(DIST, part.output), stampFile(part), packagesFile(part)];
  if (!needed.every((file) => fs.existsSync(file))) return false;
  const stamp = JSON.parse(fs.readFileSync(stampFile(part), 'utf8')) as Stamp;
  return Object.entries(stamp).every(([file, hash]) => hashFile(file) === hash);
}

/** File with the list of packages bundled into a part, next to the part's stamp. */
const packagesFile = (part: Part): string => path.join(STAMPS, `${part.name}.packages.json`);
const NOTICES = path.join(DIST, 'THIRD_PARTY_NOTICES.txt');
/** A copy for the About view, because the window can access only its own folder. */
const WINDOW_NOTICES = path.join(DIST, 'renderer', 'THIRD_PARTY_NOTICES.txt');

/** Records all project files that a build uses; packages are covered by the lock file. */
function inputCollector(inputs: Set<string>, packages: Set<string>): Plugin {
  return {
    name: 'collect-inputs',
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const file = path.relative(ROOT, id.replace(/^\0/, '').replace(/[?#].*$/, ''));
        const folder = packageFolder(file);
        if (folder !== null) packages.add(folder);
        const isOurs = !['..', 'node_modules'].includes(file.split(path.sep)[0] ?? '');
        if (isOurs && fs.statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true)
          inputs.add(file);
      }
    },
  };
}

function asciiScripts(): Plugin {
  return {
    name: 'ascii-scripts',
    generateBundle(_options, bundle) {
      for (const made of Object.values(bundle)) if (made.type === 'chunk') made.code = inAscii(made.code);
    },
  };
}

/** Folder for the unfinished output of a run, so that a build that fails or is killed leaves dist unchanged. */
const workFolder = (part: Part): string => path.join(DIST, `.building-${process.pid}`, part.name);

type Splitting = Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>;

/** Splits a part into one file for each layer. */
function layered(layers: readonly string[]): Splitting {
  let layerOf: Map<string, string> | null = null;
  return {
    includeDependenciesRecursively: false,
    groups: [
      {
        name: (module, graph) => {
          layerOf ??= layersOf(layers, (id) => graph.getModuleInfo(id)?.importedIds ?? []);
          // The entry waits for the other files, so they must not import it.
          return graph.getModuleInfo(module)?.isEntry === true ? null : (layerOf.get(module) ?? null);
        },
      },
    ],
  };
}

/** For each module, the name of the first layer that imports it statically. */
function layersOf(
  layers: readonly string[],
  importsOf: (id: string) => readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const layer of layers) {
    const open = [path.join(ROOT, layer)];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      found.set(id, path.basename(layer, '.ts'));
      // Helpers of the bundler get a file of their own, because the entry uses them too.
      open.push(...importsOf(id).filter((other) => !other.startsWith('\0vite/')));
    }
  }
  return found;
}

function nodeConfig(part: Part): InlineConfig {
  const isPreload = part.kind === 'preload';
  return {
    build: {
      ssr: path.join(ROOT, part.entry),
      target: 'node24',
      minify: false,
      rolldownOptions: {
        // A single file, or files in the same folder, so that `import.meta.url` refers to the same place as in the
        // source.
        output: {
          format: isPreload ? 'cjs' : 'es',
          entryFileNames: part.output,
          chunkFileNames: `${part.name}-[name].js`,
          codeSplitting: part.layers === undefined ? part.isSplit === true : layered(part.layers),
          // Comments are removed, because a command reads these files at each start.
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
    ssr: { noExternal: true, external: EXTERNAL, target: 'node' },
  };
}

async function pageConfig(part: Part): Promise<InlineConfig> {
  const { svelte } = await import('@sveltejs/vite-plugin-svelte');
  return {
    root: path.join(ROOT, path.dirname(part.entry)),
    base: './',
    plugins: [
      svelte({
        configFile: false,
        dynamicCompileOptions: ({ filename }) =>
          filename.includes('node_modules') ? undefined : { runes: true },
      }),
      preloadLayers(part.layers ?? []),
    ],
    build: {
      target: 'esnext',
      // The Content-Security-Policy allows only files of the app, so assets must not become data: URLs or inline
      // scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: part.layers === undefined || layered(part.layers) } },
      // One style sheet for all views, so that the order of its rules is fixed.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 2_000,
      emptyOutDir: true,
    },
  };
}

/**
 * Makes the page fetch the files of its layers, and files that lead to them, together with the entry, which imports
 * them later.
 */
function preloadLayers(layers: readonly string[]): Plugin {
  const names = layers.map((layer) => path.basename(layer, '.ts'));
  const modules = layers.map((layer) => path.join(ROOT, layer));
  return {
    name: 'preload-layers',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.values(bundle)
          .filter(
            (made) =>
              made.type === 'chunk' &&
              (made.facadeModuleId === null
                ? names.includes(made.name)
                : modules.includes(made.facadeModuleId)),
          )
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
            injectTo: 'head',
          })),
    },
  };
}

/** All files in the page's folder, because files imported by style sheets are not in the module graph. */
function pageFiles(part: Part): string[] {
  const folder = path.dirname(part.entry);
  const found = fs.readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true });
  return found
    .filter((item) => item.isFile())
    .map((item) => path.relative(ROOT, path.join(item.parentPath, item.name)));
}

async function buildPart(part: Part): Promise<void> {
  const startedAtMs = Date.now();
  const inputs = new Set([...COMMON_INPUTS, ...(part.kind === 'page' ? pageFiles(part) : [])]);
  const packages = new Set<string>();
  const config = part.kind === 'page' ? await pageConfig(part) : nodeConfig(part);
  const folder = workFolder(part);
  const { build } = await import('vite');
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    ...config,
    plugins: [...(config.plugins ?? []), inputCollector(inputs, packages), asciiScripts()],
    build: { ...config.build, outDir: folder, reportCompressedSize: false, copyPublicDir: false },
  });
  // A file that was saved during the build may or may not be in the result, so it gets a stamp that never matches.
  const stampOf = (file: string): string =>
    fs.statSync(path.join(ROOT, file)).mtimeMs > startedAtMs ? 'changed during the build' : hashFile(file);
  const stamp: Record<string, string> = Object.fromEntries(
    [...inputs].sort().map((file) => [file, stampOf(file)]),
  );
  fs.mkdirSync(STAMPS, { recursive: true });
  fs.rmSync(stampFile(part), { force: true });
  const move = (made: string, name: string): void => {
    fs.rmSync(path.join(DIST, name), { recursive: true, force: true });
    fs.renameSync(made, path.join(DIST, name));
  };
  if (part.kind === 'page') {
    move(folder, part.output);
  } else {
    // The main file of the part comes last, because it must not refer to files that do not exist yet.
    const others = fs.readdirSync(folder).filter((name) => name !== part.output);
    const earlier = fs.readdirSync(DIST).filter((name) => name.startsWith(`${part.name}-`));
    for (const name of [...others, part.output]) move(path.join(folder, name), name);
    for (const name of earlier) if (!others.includes(name)) fs.rmSync(path.join(DIST, name), { force: true });
    // Split files are part of the stamp, so that a missing one is made again.
    for (const file of others.map((name) => path.join('dist', name))) stamp[file] = hashFile(file);
  }
  fs.writeFileSync(packagesFile(part), JSON.stringify([...packages].sort(), null, 1));
  fs.writeFileSync(stampFile(part), JSON.stringify(stamp, null, 1));
}

/** Writes the notices of all parts, including those that were not rebuilt. */
function writeNotices(): void {
  const bundled = PARTS.filter((part) => fs.existsSync(packagesFile(part))).flatMap(
    (part) => JSON.parse(fs.readFileSync(packagesFile(part), 'utf8')) as string[],
  );
  const beside = withDependencies(
    ROOT,
    EXTERNAL.filter((name) => name !== 'electron'),
  );
  const text = notices(ROOT, [...bundled, ...beside]);
  fs.writeFileSync(NOTICES, text);
  if (fs.existsSync(path.dirname(WINDOW_NOTICES))) fs.writeFileSync(WINDOW_NOTICES, text);
}

/** A part could not be built; the message is the bundler's. */
export class BundleError extends Error {}

const messageOf = (thrown: unknown): string =>
  stripVTControlCharacters(thrown instanceof Error ? thrown.message : String(thrown));

export interface BundleOptions {
  /** Builds all parts, even if they are not stale. */
  readonly isForced?: boolean;
  /** Leaves out parts that only the window, or only the command line, starts. */
  readonly only?: 'window' | 'command line';
}

/** Builds stale parts and reports them to `say`. Tries every part, then rejects with a BundleError if one failed. */
export async function bundle(say: (line: string) => void, options: BundleOptions = {}): Promise<void> {
  const { isForced = false, only } = options;
  const failures: string[] = [];
  layBeside();
  let hasBuilt = !fs.existsSync(NOTICES);
  for (const part of PARTS) {
    if (only !== undefined && part.of !== undefined && part.of !== only) continue;
    if (!fs.existsSync(path.join(ROOT, part.entry))) {
      failures.push(`bundle: ${part.name} failed. Expected its entry ${part.entry}, found no such file.`);
      continue;
    }
    if (!isForced && isFresh(part)) continue;
    const startedAt = performance.now();
    try {
      await buildPart(part);
      hasBuilt = true;
      say(`bundle: ${part.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failures.push(`bundle: ${part.name} failed. ${messageOf(error)}`);
    } finally {
      fs.rmSync(path.join(DIST, `.building-${process.pid}`), { recursive: true, force: true });
    }
  }
  if (failures.length > 0) throw new BundleError(failures.join('\n'));
  if (hasBuilt) writeNotices();
}

if (import.meta.main) {
  await bundle((line) => process.stdout.write(`${line}\n`), {
    isForced: process.argv.includes('--force'),
  }).catch((error: unknown) => {
    if (!(error instanceof BundleError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
