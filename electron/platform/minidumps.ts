/** Minidumps of crashed processes, if the runtime supports them. They are kept on this computer and never sent. */
import { methodOf, partOf } from './runtime-parts.ts';

/** Starts keeping minidumps; call it once, before the application is ready. `runtime`: the loaded module `electron`. */
export function keepMinidumps(runtime: object, folder: string): void {
  const start = methodOf(partOf(runtime, 'crashReporter'), 'start');
  if (start === null) return;
  methodOf(partOf(runtime, 'app'), 'setPath')?.('crashDumps', folder);
  start({ uploadToServer: false, compress: false });
}
