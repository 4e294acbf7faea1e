/**
 * Every name that crosses between the window and the main process, and nothing else: a sandboxed preload
 * bundles this file, so it imports nothing. Arguments and results are in contract.ts.
 */
export const INVOKE_CHANNELS = [
  'app:get-info',
  'app:report-ready',
  'app:open-external',
  'app:copy-text',
  'settings:get',
  'settings:set',
  'connections:list',
  'connections:get-keychain',
  'connections:test',
  'connections:save',
  'connections:activate',
  'connections:forget',
  'connections:open-sample',
  'connections:set-sample-running',
  'connections:set-offline',
  'connections:get-network',
  'library:open-list',
  'library:read-rows',
  'library:refresh-list',
  'library:fetch-rows',
  'library:open-record',
  'library:release',
  'layout:read',
  'layout:write',
  'traffic:get-lanes',
  'traffic:get-log',
  'uploads:offer-files',
  'uploads:choose-files',
  'uploads:inspect',
  'uploads:start-dry-run',
  'uploads:cancel-dry-run',
  'uploads:create-job',
  'uploads:list-jobs',
  'uploads:get-job',
  'uploads:control-job',
  'uploads:list-batches',
  'uploads:list-bad-rows',
  'uploads:decide-batch',
  'uploads:save-file',
  'uploads:forget-job',
  'events:delete',
  'events:list-deletions',
] as const;

export const EVENT_CHANNELS = [
  'app:command',
  'settings:changed',
  'connections:changed',
  'connections:network-changed',
  'library:list-changed',
  'library:record-changed',
  'traffic:changed',
  'uploads:job-changed',
  'uploads:dry-run-changed',
  'events:deletion-changed',
] as const;

export type InvokeChannel = (typeof INVOKE_CHANNELS)[number];
export type EventChannel = (typeof EVENT_CHANNELS)[number];
