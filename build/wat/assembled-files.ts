/** The modules with compiled code, with the texts that are made from their sources. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { assemble } from './assembler.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface AssembledFile {
  source: string;
  target: string;
  /** The text that `target` should have. */
  text: string;
}

export function assembledFiles(): AssembledFile[] {
  return globSync('electron/**/*.wat', { cwd: ROOT })
    .sort()
    .map((name) => {
      const source = join(ROOT, name);
      const code = Buffer.from(assemble(readFileSync(source, 'utf8'))).toString('base64');
      const text = `/** ${basename(name)} assembled by \`node build/wat/write.ts\`, in base64. */\nexport const CODE =\n  '${code}';\n`;
      return { source, target: source.replace(/\.wat$/, '-code.ts'), text };
    });
}
