/**
 * Writes the script and the style of reports to `electron/core/report/viewer-text.ts`, which the
 * window and the command line share, so that the same data gives the same file in both.
 *
 *   node build/report-viewer.ts
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { build } from 'vite';

const ROOT = path.resolve(import.meta.dirname, '..');
export const VIEWER_FILE = path.join(ROOT, 'electron/core/report/viewer-text.ts');

/** The contents of the generated file. */
export async function viewerText(): Promise<string> {
  const script = await scriptText();
  const style = fs
    .readFileSync(path.join(ROOT, 'renderer/report/viewer.css'), 'utf8')
    .replaceAll(/\/\*.*?\*\/|\n\s*/gs, '')
    .trim();
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  return `/** Script and style of a report, made by build/report-viewer.ts from renderer/report. Do not edit. */
export const VIEWER_SCRIPT =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the script
  ${literal(script)};
export const VIEWER_STYLE =
  ${literal(style)};
/** Hashes (SHA-256 in Base64) for the security policy of the page. */
export const VIEWER_HASHES = {
  script: '${hash(script)}',
  style: '${hash(style)}',
} as const;
`;
}

/** A text in single quotes, as the formatter writes it. */
const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

async function scriptText(): Promise<string> {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      lib: { entry: path.join(ROOT, 'renderer/report/viewer.ts'), formats: ['iife'], name: 'report' },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  if (first === undefined || !('output' in first)) throw new Error('Expected the bundle of the viewer.');
  // Newlines in templates are escaped, because some editors would change them.
  const code = first.output[0].code.trim().replaceAll('\n', '\\n');
  if (/<\/script/i.test(code)) throw new Error('The viewer would end its own script.');
  return code;
}

if (process.argv[1] === import.meta.filename) fs.writeFileSync(VIEWER_FILE, await viewerText());
