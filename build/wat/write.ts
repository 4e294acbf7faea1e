/**
 * Assembles every `.wat` file of electron/ into a module next to it. Run `node build/wat/write.ts` after changing one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { assembledFiles } from './assembled-files.ts';

for (const { source, target, text } of assembledFiles()) {
  if (readFileSync(target, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(target, text);
  console.log(`${source} -> ${target}`);
}
