/** The tasks of the pack thread. */
import { packChoice } from '../shared/pack-model.ts';
import * as z from '../shared/zod.ts';

const source = {
  libraryFile: z.string(),
  /** The window's state of the connection, which includes the saved charts and views. */
  layout: z.record(z.string(), z.unknown()),
  choice: packChoice,
};
const passphrase = z.string().min(1);

export const packTask = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), ...source }),
  z.strictObject({
    kind: z.literal('create'),
    ...source,
    path: z.string(),
    passphrase,
    name: z.string(),
    nowMs: z.number(),
  }),
  z.strictObject({ kind: z.literal('show'), path: z.string(), passphrase }),
  z.strictObject({
    kind: z.literal('open'),
    path: z.string(),
    passphrase,
    connectionId: z.uuid(),
    /** The folder in which the library of the new connection is created. */
    folder: z.string(),
  }),
]);
export type PackTask = z.infer<typeof packTask>;
