/** The running parts of one connection: client, offline library, uploads, network state. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createServiceClient } from '../api/service-client.ts';
import type { ServiceClient } from '../api/types.ts';
import { createNetworkMonitor, type NetworkMonitor } from '../connections/network-monitor.ts';
import { observeClient } from '../connections/observed-client.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { openLibraryStore } from '../db/library-store.ts';
import type { RequestLogStore } from '../db/request-log-store.ts';
import { openUploadStore } from '../db/upload-store.ts';
import { createLibrary, type Library } from '../library/library.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import type { Connection, Settings } from '../shared/model.ts';
import type { FileRegistry, Uploads } from '../uploads/types.ts';
import { createUploads } from '../uploads/uploads.ts';

export interface Session {
  connection: Connection;
  client: ServiceClient;
  library: Library;
  uploads: Uploads;
  network: NetworkMonitor;
  requestLog: RequestLogStore;
  /** Where the command line writes the receipts of a job unless told otherwise. */
  receiptsFile(jobId: string): string;
  stop(): Promise<void>;
}
