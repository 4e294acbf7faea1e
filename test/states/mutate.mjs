/** Loaded before a search: gives one file of the product another text at one place, as `MUTANT` says. */
import { registerHooks } from 'node:module';

const { file, text } = JSON.parse(process.env['MUTANT'] ?? '{}');

registerHooks({
  load(url, context, next) {
    if (url !== file) return next(url, context);
    return { format: 'module', source: text, shortCircuit: true };
  },
});
