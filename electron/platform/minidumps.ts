/** Minidumps of processes that ended by themselves: kept on this computer, sent nowhere. Where the runtime makes them. */
import { methodOf, partOf } from './runtime-parts.ts';

/** Once, before the application is ready. `runtime`: the module `electron` as it is here. */
export function keepMinidumps(runtime: object, folder: string): void {
  const start = methodOf(partOf(runtime, 'crashReporter'), 'start');
  if (start === null) return;
  methodOf(partOf(runtime, 'app'), 'setPath')?.('crashDumps', folder);
  start({ uploadToServer: false, compress: false });
}
