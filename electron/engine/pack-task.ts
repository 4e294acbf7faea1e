/** What the thread of packs is asked to do. */
import { z } from 'zod';
import { packChoice } from '../shared/pack-model.ts';

const source = {
  libraryFile: z.string(),
  /** What the window remembers of the connection: the saved charts and views are in it. */
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
    /** Where the library of the new connection is made. */
    folder: z.string(),
  }),
]);
export type PackTask = z.infer<typeof packTask>;
