/** Loaded before a search: replaces text at one position in one file of the product, as the variable `MUTANT` says. */
import { registerHooks } from 'node:module';

const { file, text } = JSON.parse(process.env['MUTANT'] ?? '{}');

registerHooks({
  load(url, context, next) {
    if (url !== file) return next(url, context);
    return { format: 'module', source: text, shortCircuit: true };
  },
});
