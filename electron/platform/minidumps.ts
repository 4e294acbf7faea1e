/** Minidumps of crashed processes, if the runtime supports them: kept on this computer, never sent. */
import { methodOf, partOf } from './runtime-parts.ts';

/** Call once, before the application is ready. `runtime`: the loaded module `electron`. */
export function keepMinidumps(runtime: object, folder: string): void {
  const start = methodOf(partOf(runtime, 'crashReporter'), 'start');
  if (start === null) return;
  methodOf(partOf(runtime, 'app'), 'setPath')?.('crashDumps', folder);
  start({ uploadToServer: false, compress: false });
}
