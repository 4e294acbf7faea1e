const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Every signal to end quits in order, however many come: Electron's own handler takes the first one only, and the
 * second then ends the process with the stores open. Call once the app is ready, after Electron has set its own.
 */
export function quitOnSignals(source: Pick<NodeJS.Process, 'on'>, quit: () => void): void {
  for (const signal of SIGNALS) source.on(signal, quit);
}
