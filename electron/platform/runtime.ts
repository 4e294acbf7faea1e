import { app } from 'electron';
import type { AppInfo } from '../shared/contract.ts';

/** The program that opened the window. Only Electron has its own version in `process.versions`. */
export function runtimeInfo(): Omit<AppInfo, 'crash' | 'brokenRun' | 'notice' | 'canDragOut'> {
  const { versions } = process;
  return {
    version: app.getVersion(),
    runtime: versions['electron'] === undefined ? 'Chromium host' : 'Electron',
    versions: {
      electron: versions['electron'] ?? '',
      chrome: versions['chrome'] ?? '',
      node: versions.node,
    },
    platform: process.platform,
  };
}
