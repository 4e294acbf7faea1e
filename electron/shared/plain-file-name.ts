import * as z from './zod.ts';

/** Suggested file name in the save dialog: no path, and no characters with a special meaning in file systems. */
export const plainFileName = z
  .string()
  .max(200)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression refuses these characters
  .regex(/^(?!\.{1,2}$)[^/\\:*?"<>|\u0000-\u001f\u007f]+$/, 'expected a file name without folders');
